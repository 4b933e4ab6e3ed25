insert into auth.users (id, instance_id, aud, role, email, encrypted_password, email_confirmed_at, email_change_confirm_status)
values ('11111111-1111-4111-8111-111111111111', '00000000-0000-0000-0000-000000000000', 'authenticated', 'authenticated',
  'ada@example.com', '', now(), 0)
on conflict do nothing;
insert into public.todos (user_id, task) values ('11111111-1111-4111-8111-111111111111', 'Write the first test');
