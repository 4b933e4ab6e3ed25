insert into private.limits (name, value, reason) values
  ('confirmations_per_person', 5, 'A person mistypes an address a few times at most.'),
  ('confirmations_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.'),
  ('confirmations_per_address', 3, 'An address that is asked again and again is not the one who asks.'),
  ('confirmation_days', 7, 'A mail that was not opened for a week is not waited for.');

insert into private.errors (code, status, message, hint) values
  ('not_a_guest', 409, 'This is for guests.', 'With an account, your address does the same.'),
  ('too_many_confirmations', 429, 'Enough confirmations were sent there, or from here, for one day.',
    'Look for the mail that was sent, or go on tomorrow.'),
  ('confirmation_gone', 410, 'This link does not confirm an address any more.', 'Leave the address at the plan again.')
on conflict (code) do update set status = excluded.status, message = excluded.message, hint = excluded.hint;
