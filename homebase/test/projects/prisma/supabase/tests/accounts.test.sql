begin;
select plan(5);
select enum_has_labels('public', 'Role', array['USER', 'ADMIN', 'MANAGER', 'GUEST']);
select is(
  (select rolbypassrls from pg_roles where rolname = 'prisma'), true, 'Prisma''s user passes by row security');
select col_is_fk('public', 'Post', 'authorId', 'a post has an author');
insert into auth.users (id, email) values ('aaaaaaaa-0000-4000-8000-000000000001', 'ada@example.com');
select results_eq(
  $$ select "email", "role"::text from "User" $$, $$ values ('ada@example.com', 'USER') $$, 'a sign-up makes an account');
set local role anon;
select is_empty('select * from "User"', 'accounts are hidden');
select * from finish();
rollback;
