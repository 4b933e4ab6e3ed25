insert into auth.users (id, aud, role, email) values
  ('aaaaaaaa-0000-4000-8000-000000000001', 'authenticated', 'authenticated', 'ada@example.com');
insert into public.expenses (owner_id, amount) values ('aaaaaaaa-0000-4000-8000-000000000001', 12.50);
