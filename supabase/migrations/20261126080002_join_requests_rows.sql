insert into private.limits (name, value, reason) values
  ('join_requests_per_person', 5, 'Nobody is brought along to more tables in a day.'),
  ('join_requests_per_network', 20, 'A whole table may sit in one room; new guests from there do not count anew.'),
  ('open_join_requests', 20, 'As many as a plan seats; a longer list is not read.');

insert into private.errors (code, status, message, hint) values
  ('too_many_join_requests', 429, 'That is more requests to join than one person or network makes in a day.',
    'Ask the host for an invite link, or try again tomorrow.'),
  ('join_requests_full', 409, 'Twenty people are already waiting for an answer from the host.',
    'Ask the host for an invite link.');
