begin;
select plan(5);
select has_table('public', 'todos', 'there are todos');
select policies_are('public', 'todos', array['Individuals can manage their own todos.']);
select throws_ok(
  $$ insert into public.todos (user_id, task) values ('11111111-1111-4111-8111-111111111111', 'x') $$,
  '23514', null, 'a task has more than three letters');
set local role authenticated;
set local "request.jwt.claims" to '{"sub": "11111111-1111-4111-8111-111111111111", "email": "ada@example.com"}';
select is((select count(*)::int from public.open_todos()), 1, 'Ada sees her own');
set local "request.jwt.claims" to '{"sub": "22222222-2222-4222-8222-222222222222"}';
select is_empty('select * from public.todos', 'others see none of them');
select * from finish();
rollback;
