/** Functions with one fault each and functions without one, for the checks of `db lint`. */

export const TABLES = `
create type public.mood as enum ('good', 'bad');
create domain public.short as text check (length(value) < 10);
create type public.pair as (a int, b text);
create table public.plans (id int primary key, title text not null, feeling public.mood, host uuid, tags text[], made timestamptz default now());
create table public.votes (plan_id int references public.plans, yes boolean);
create function public.touch(id int) returns void language sql as 'select';
`;

const func = (rest: string, body: string) => `create function f${rest} language plpgsql as $f$${body}$f$`;

export const FAULTS: { name: string; sql: string; expected: string[] }[] = [
  {
    name: "a field of an array's element that is not there, and one that gets a text for a number",
    sql: func(
      "(ps pair[]) returns pair[]",
      "\nbegin\n  ps[1].c := 1;\n  ps[2].a := 'x';\n  ps[3].b := 'y';\n  return ps;\nend",
    ),
    expected: [
      'error: column "c" not found in data type pair (3)',
      'error: invalid input syntax for type integer: "x" (4)',
    ],
  },
  {
    name: "a missing table",
    sql: func("() returns int", "\nbegin\n  return (select count(*) from nowhere);\nend"),
    expected: ['error: relation "nowhere" does not exist (3)'],
  },
  {
    name: "a missing column",
    sql: func("() returns void", "\nbegin\n  update plans set titel = 'a';\nend"),
    expected: ['error: column "titel" of relation "plans" does not exist (3)'],
  },
  {
    name: "a missing column in a condition, beside a variable",
    sql: func(
      "(given int) returns bool",
      "\nbegin\n  return exists (select from plans where id = given and nothing);\nend",
    ),
    expected: ['error: column "nothing" does not exist (3)'],
  },
  {
    name: "a missing function",
    sql: func("(given int) returns void", "\nbegin\n  perform no_such(given);\nend"),
    expected: ["error: function no_such(integer) does not exist (3)"],
  },
  {
    name: "a function that takes other types",
    sql: func("(given text) returns void", "\nbegin\n  perform touch(given);\nend"),
    expected: ["error: function touch(text) does not exist (3)"],
  },
  {
    name: "no RETURN",
    sql: func("() returns int", "\nbegin\n  perform 1;\nend"),
    expected: ["error: control reached end of function without RETURN"],
  },
  {
    name: "a path without RETURN",
    sql: func("(given int) returns int", "\nbegin\n  if given > 1 then return 1; end if;\nend"),
    expected: ["warning extra: control reached end of function without RETURN"],
  },
  {
    name: "a loop that may leave before its RETURN",
    sql: func(
      "() returns int",
      "\nbegin\n  loop\n    exit when random() > 0.5;\n    return 1;\n  end loop;\nend",
    ),
    expected: ["warning extra: control reached end of function without RETURN"],
  },
  {
    name: "a handler that does not return",
    sql: func("() returns int", "\nbegin\n  return 1;\nexception when others then\n  raise notice 'x';\nend"),
    expected: ["warning extra: control reached end of function without RETURN"],
  },
  {
    name: "a trigger on a column that its table lacks",
    sql: `create table t (id int); ${func("() returns trigger", "\nbegin\n  new.updated_at := now();\n  return new;\nend")}; create trigger a before update on t for each row execute function f()`,
    expected: ['error: record "new" has no field "updated_at" (3)'],
  },
  {
    name: "a trigger that reads a column that one of its two tables lacks",
    sql: `create table t (id int, name text); create table u (id int); ${func("() returns trigger", "\nbegin\n  raise notice '%', old.name;\n  return null;\nend")}; create trigger a after update on t for each row execute function f(); create trigger a after update on u for each row execute function f()`,
    expected: ['error: record "old" has no field "name" (3)'],
  },
  {
    name: "a trigger's function without RETURN",
    sql: `create table t (id int); ${func("() returns trigger", "\nbegin\n  perform new.id;\nend")}; create trigger a before update on t for each row execute function f()`,
    expected: ["error: control reached end of trigger procedure without RETURN"],
  },
  {
    name: "text into a number",
    sql: func(
      "() returns int",
      "\ndeclare\n  found_id int;\nbegin\n  select title into found_id from plans;\n  return found_id;\nend",
    ),
    expected: ["warning: target type is different type than source type (5)"],
  },
  {
    name: "a constant that is no number",
    sql: func("() returns int", "\ndeclare\n  given int := 'abc';\nbegin\n  return given;\nend"),
    expected: ['error: invalid input syntax for type integer: "abc" (3)'],
  },
  {
    name: "a constant that is no value of an enum",
    sql: func(
      "() returns mood",
      "\ndeclare\n  feeling public.mood;\nbegin\n  feeling := 'great';\n  return feeling;\nend",
    ),
    expected: ['error: invalid input value for enum mood: "great" (5)'],
  },
  {
    name: "a returned constant of another type",
    sql: func("() returns int", "\nbegin\n  return 'many';\nend"),
    expected: ['error: invalid input syntax for type integer: "many" (3)'],
  },
  {
    name: "types without a cast",
    sql: func("(given json) returns point", "\nbegin\n  return given;\nend"),
    expected: ["warning: target type is different type than source type (3)"],
  },
  {
    name: "a missing function in a row's first value",
    sql: func("() returns int", "\ndeclare\n  one public.plans := gone(1);\nbegin\n  return one.id;\nend"),
    expected: ["error: function gone(integer) does not exist (3)"],
  },
  {
    name: "an unused variable",
    sql: func("() returns void", "\ndeclare\n  idle int;\nbegin\nend"),
    expected: ['warning: unused variable "idle" (3)'],
  },
  {
    name: "a variable that is never read",
    sql: func("() returns void", "\ndeclare\n  idle int := 1;\nbegin\n  idle := 2;\nend"),
    expected: ['warning extra: never read variable "idle" (3)'],
  },
  {
    name: "an unused parameter",
    sql: func("(given int) returns int", "\nbegin\n  return 1;\nend"),
    expected: ['warning extra: unused parameter "given"'],
  },
  {
    name: "a parameter that is only written",
    sql: func("(given int) returns void", "\nbegin\n  given := 1;\nend"),
    expected: ['warning extra: parameter "given" is never read'],
  },
  {
    name: "a variable that shadows a parameter",
    sql: func("(given int) returns int", "\ndeclare\n  given int := 1;\nbegin\n  return given;\nend"),
    expected: ['warning: parameter "given" is shadowed (3)', 'warning extra: unused parameter "given"'],
  },
  {
    name: "a variable that shadows another",
    sql: func(
      "() returns int",
      "\ndeclare\n  a int := 1;\nbegin\n  declare\n    a int := 2;\n  begin\n    raise notice '%', a;\n  end;\n  return a;\nend",
    ),
    expected: ['warning extra: variable "a" shadows a previously defined variable (6)'],
  },
  {
    name: "code after RETURN",
    sql: func("() returns int", "\nbegin\n  return 1;\n  perform 2;\nend"),
    expected: ["warning extra: unreachable code (4)"],
  },
  {
    name: "code after an error",
    sql: func("() returns void", "\nbegin\n  raise exception 'no';\n  perform 2;\nend"),
    expected: ["warning extra: unreachable code (4)"],
  },
  {
    name: "format() with too few arguments",
    sql: func("() returns text", "\nbegin\n  return format('%s of %2$s', 1);\nend"),
    expected: ["error: too few arguments for format() (3)"],
  },
  {
    name: "a name that is a variable and a column",
    sql: func("() returns table (id int)", "\nbegin\n  return query select id from plans;\nend"),
    expected: ['error: column reference "id" is ambiguous (3)'],
  },
  {
    name: "a field that the rows of a loop lack",
    sql: func(
      "() returns void",
      "\ndeclare\n  one record;\nbegin\n  for one in select id from plans loop\n    raise notice '%', one.title;\n  end loop;\nend",
    ),
    expected: ['error: record "one" has no field "title" (6)'],
  },
  {
    name: "a field that a table's row lacks",
    sql: func(
      "() returns text",
      "\ndeclare\n  one plans%rowtype;\nbegin\n  select * into one from plans;\n  return one.name;\nend",
    ),
    expected: ['error: record "one" has no field "name" (6)'],
  },
  {
    name: "too many columns for the variables",
    sql: func(
      "() returns int",
      "\ndeclare\n  a int;\nbegin\n  select id, title into a from plans;\n  return a;\nend",
    ),
    expected: ["warning: too many attributes for target variables (5)"],
  },
  {
    name: "a query that returns other columns",
    sql: func("() returns table (a int, b text)", "\nbegin\n  return query select p.id from plans p;\nend"),
    expected: ["error: structure of query does not match function result type (3)"],
  },
  {
    name: "a query that returns another type",
    sql: func("() returns table (a bigint)", "\nbegin\n  return query select p.id from plans p;\nend"),
    expected: ["error: structure of query does not match function result type (3)"],
  },
  {
    name: "FOREACH over no array",
    sql: func(
      "(given int) returns void",
      "\ndeclare\n  one int;\nbegin\n  foreach one in array given loop\n    raise notice '%', one;\n  end loop;\nend",
    ),
    expected: ["error: FOREACH expression must yield an array, not type integer (5)"],
  },
  {
    name: "a missing table under a search path of its own",
    sql: func("() returns int", "\nbegin\n  return (select count(*) from plans);\nend").replace(
      "language",
      "set search_path = '' language",
    ),
    expected: ['error: relation "plans" does not exist (3)'],
  },
  {
    name: "a missing column in a cursor's query",
    sql: func(
      "() returns void",
      "\ndeclare\n  c cursor (k int) for select nothing from plans where id = k;\nbegin\n  for one in c(1) loop\n    raise notice '%', one;\n  end loop;\nend",
    ),
    expected: ['error: column "nothing" does not exist (5)'],
  },
  {
    name: "a missing function in a branch of CASE",
    sql: func(
      "(given mood) returns int",
      "\nbegin\n  case given\n    when 'good' then return gone();\n    else return 1;\n  end case;\nend",
    ),
    expected: ["error: function gone() does not exist (4)"],
  },
  {
    name: "a missing table in a handler",
    sql: func(
      "() returns void",
      "\nbegin\n  perform 1;\nexception when others then\n  insert into log values (sqlerrm);\nend",
    ),
    expected: ['error: relation "log" does not exist (5)'],
  },
  {
    name: "a missing name in a function in SQL",
    sql: "create function f() returns int language sql as 'select nothing from public.plans'",
    expected: ['error: column "nothing" does not exist'],
  },
  {
    name: "a missing column in a constant text of EXECUTE, and a wrong type in its rows",
    sql: func(
      "(k int) returns setof plans",
      `
begin
  execute 'select missing from plans where id = $1' using k;
  return query execute 'select id from plans';
end`,
    ),
    expected: [
      'error: column "missing" does not exist (3)',
      "error: structure of query does not match function result type (4)",
    ],
  },
  {
    name: "missing names in texts of EXECUTE that constants make",
    sql: func(
      "(k text, c text) returns void",
      `
begin
  execute 'select missing_1 ' || 'from plans where title = ' || quote_literal(k);
  execute format('select %I from %I.%I where title = %L', 'missing_2', 'public', 'plans', k);
  execute format('update plans set missing_3 = %L where id = $1', k) using 1;
  execute 'delete from ' || quote_ident('missing_4') || format(' where id = %s', 1);
  execute format('select missing_5(%2$L) from %1$s', 'plans', c);
  execute 'select title || 1 from plans where nothing_' || k || ' is null';
end`,
    ),
    expected: [
      'error: column "missing_1" does not exist (3)',
      'error: column "missing_2" does not exist (4)',
      'error: column "missing_3" of relation "plans" does not exist (5)',
      'error: relation "missing_4" does not exist (6)',
      "error: function missing_5(unknown) does not exist (7)",
    ],
  },
];

export const FAULTLESS: { name: string; sql: string }[] = [
  {
    name: "a cursor that is a parameter, with a name and without",
    sql: func(
      "(refcursor, named refcursor) returns setof refcursor",
      "\nbegin\n  open $1 for select * from plans;\n  return next $1;\n  open named for select id from plans;\n  return next named;\nend",
    ),
  },
  {
    name: "assignments to elements, slices, fields of fields and keys of JSON",
    sql: `create type nested as (id int, one pair, many pair[]);${func(
      "(i int) returns nested",
      `
<<top>>
declare
  n nested;
  "Odd one" nested[];
  grid int[][] := '{{1,2},{3,4}}';
  doc jsonb := '{}';
  loose record;
begin
  n.one.a := 1; n.one.b := 'x'; top.n.one.b := 5; n.many[i].b := 'y'; n.many[i + 1] := row(1, 'z');
  "Odd one"[1].many[2].a := i; "Odd one"[grid[1][1]] := n;
  grid[1][2] := '7'; grid[1:1][1:2] := array[[5, 6]]; doc['a'] := '1'; doc['a']['b'] := to_jsonb(i);
  select n as row, array[1, 2] as list into loose;
  loose.list[1] := 3; loose.row.id := 4;
  return ("Odd one"[1].many[2].a, (loose).row.one, n.many || '{}'::pair[])::nested;
end`,
    )}`,
  },
  {
    name: "variables and columns of other names",
    sql: func(
      "(given int) returns text",
      "\ndeclare\n  t text;\nbegin\n  select title into t from plans where id = given and made < now();\n  return t;\nend",
    ),
  },
  {
    name: "names that are qualified by the function and by a block",
    sql: func(
      "(id int) returns int",
      "\n<<here>>\ndeclare\n  yes boolean := true;\nbegin\n  return (select count(*) from votes v where v.plan_id = f.id and v.yes = here.yes);\nend",
    ),
  },
  {
    name: "a record of a loop, a field of it and the whole row",
    sql: func(
      "() returns int",
      "\ndeclare\n  one record;\n  n int := 0;\nbegin\n  for one in select p.id, p.title from plans p loop\n    n := n + one.id;\n    raise notice '% %', one.title, one;\n  end loop;\n  return n;\nend",
    ),
  },
  {
    name: "rows of a table as variables",
    sql: func(
      "() returns int",
      "\ndeclare\n  one plans%rowtype;\n  other public.plans;\n  name plans.title%type;\nbegin\n  select * into strict one from plans limit 1;\n  other := one;\n  other.title := 'a';\n  name := other.title;\n  insert into plans select (other).*;\n  raise notice '%', name;\n  return other.id;\nend",
    ),
  },
  {
    name: "enums, domains and arrays",
    sql: func(
      "(given mood, words text[]) returns short",
      "\ndeclare\n  feeling public.mood := given;\n  s short := 'a';\n  n int[] := array[1, 2];\n  one text;\nbegin\n  n[1] := 3;\n  foreach one in array words loop\n    s := one;\n  end loop;\n  update plans set feeling = f.feeling where tags = words and id = any(n);\n  return s;\nend",
    )
      .replace("f.feeling where", "given where")
      .replace("feeling public.mood := given;\n", ""),
  },
  {
    name: "an insert that returns into a variable",
    sql: func(
      "(name text) returns int",
      "\ndeclare\n  made_id int;\nbegin\n  insert into plans (id, title) values (1, name)\n    on conflict (id) do update set title = excluded.title\n    returning id into made_id;\n  return made_id;\nend",
    ),
  },
  {
    name: "dynamic SQL",
    sql: func(
      "(t regclass) returns bigint",
      "\ndeclare\n  n bigint;\n  r record;\nbegin\n  execute format('select count(*) from %s where id > $1', t) into n using 1;\n  for r in execute 'select 1 as a' loop\n    n := n + r.a;\n  end loop;\n  return n;\nend",
    ),
  },
  {
    name: "a temporary table of its own",
    sql: func(
      "() returns bigint",
      "\nbegin\n  create temp table mine (a int) on commit drop;\n  insert into mine values (1);\n  return (select count(*) from mine);\nend",
    ),
  },
  {
    name: "a table that may be missing",
    sql: func(
      "() returns int",
      "\nbegin\n  perform from cron.job;\n  return 1;\nexception when undefined_table or invalid_schema_name then\n  return 0;\nend",
    ),
  },
  {
    name: "RETURN on all paths of IF, CASE, LOOP and handlers",
    sql: func(
      "(n int) returns int",
      "\nbegin\n  if n = 1 then return 1;\n  elsif n = 2 then raise exception 'two';\n  else\n    case n when 3 then return 3; when 4 then loop return 4; end loop; end case;\n  end if;\nexception when others then\n  return -1;\nend",
    ),
  },
  {
    name: "an endless loop that returns",
    sql: func(
      "() returns int",
      "\ndeclare\n  n int := 0;\nbegin\n  loop\n    n := n + 1;\n    if n > 3 then return n; end if;\n  end loop;\nend",
    ),
  },
  {
    name: "output parameters",
    sql: func(
      "(a int, out b int, out c text)",
      "\nbegin\n  b := a;\n  select title into c from plans where id = a;\nend",
    ),
  },
  {
    name: "a table that is returned by queries and by rows",
    sql: func(
      "() returns table (plan int, name text)",
      "\nbegin\n  return query select p.id, p.title from plans p;\n  plan := 1;\n  name := 'a';\n  return next;\n  return query execute 'select 1, ''a''';\nend",
    ),
  },
  {
    name: "rows of a type",
    sql: func(
      "() returns setof plans",
      "\ndeclare\n  one plans;\nbegin\n  for one in select * from plans loop\n    return next one;\n  end loop;\n  return query select * from plans;\nend",
    ),
  },
  {
    name: "a column first, where it is asked for",
    sql: func(
      "() returns table (id int)",
      "\n#variable_conflict use_column\nbegin\n  return query select id from plans;\nend",
    ),
  },
  {
    name: "ORDER BY a result's own name",
    sql: func(
      "() returns bigint",
      "\ndeclare\n  total bigint;\nbegin\n  select count(*) as total into total from plans group by title order by total limit 1;\n  return total;\nend",
    ),
  },
  {
    name: "a trigger's function for two tables",
    sql: `create table t (id int, updated_at timestamptz); create table u (updated_at timestamptz); ${func("() returns trigger", "\nbegin\n  if tg_op = 'UPDATE' and old is distinct from new then\n    new.updated_at := now();\n  end if;\n  return new;\nend")}; create trigger a before insert or update on t for each row execute function f(); create trigger a before update on u for each row execute function f()`,
  },
  {
    name: "a trigger's function that no trigger uses",
    sql: func("() returns trigger", "\nbegin\n  new.updated_at := now();\n  return new;\nend"),
  },
  {
    name: "cursors",
    sql: func(
      "() returns int",
      "\ndeclare\n  c cursor (k int) for select id, title from plans where id > k;\n  d refcursor;\n  one record;\n  n int;\nbegin\n  open c(1);\n  fetch c into one;\n  close c;\n  open d for select 1;\n  fetch d into n;\n  close d;\n  for row in c(2) loop\n    n := n + row.id;\n  end loop;\n  return n + one.id;\nend",
    ),
  },
  {
    name: "diagnostics and errors",
    sql: func(
      "() returns text",
      "\ndeclare\n  n int;\n  said text;\nbegin\n  update plans set title = title;\n  get diagnostics n = row_count;\n  if not found then raise exception using errcode = 'P0002', message = format('none of %s%%', n); end if;\n  return n;\nexception when others then\n  get stacked diagnostics said = message_text;\n  return said || sqlstate || sqlerrm;\nend",
    ),
  },
  {
    name: "polymorphic and variadic parameters",
    sql: func(
      "(a anyelement, variadic more int[]) returns anyelement",
      "\ndeclare\n  b a%type := a;\nbegin\n  raise notice '% %', more, array_length(more, 1);\n  return b;\nend",
    ),
  },
  {
    name: "parameters without names",
    sql: func(
      "(int, text) returns text",
      "\ndeclare\n  a alias for $1;\nbegin\n  return $2 || a || (select title from plans where id = $1);\nend",
    ),
  },
  {
    name: "JSON and rows of functions",
    sql: func(
      "(j jsonb) returns bigint",
      "\ndeclare\n  one record;\n  n bigint := 0;\nbegin\n  for one in select * from jsonb_to_recordset(j) as x (a int, b text) loop\n    n := n + one.a;\n  end loop;\n  for one in select value ->> 'a' as a from jsonb_array_elements(j) loop\n    n := n + one.a::int;\n  end loop;\n  return n;\nend",
    ),
  },
  {
    name: "records that differ by branch",
    sql: func(
      "(b boolean) returns text",
      "\ndeclare\n  r record;\nbegin\n  if b then\n    select id into r from plans;\n  else\n    select title into r from plans;\n    return r.title;\n  end if;\n  return r.id;\nend",
    ),
  },
  {
    name: "nested blocks with names of their own",
    sql: func(
      "() returns int",
      "\ndeclare\n  a int := 1;\nbegin\n  declare\n    b int := a;\n  begin\n    a := b;\n  end;\n  declare\n    b text := 'x';\n  begin\n    raise notice '%', b;\n  end;\n  return a;\nend",
    ),
  },
  {
    name: "a procedure with CALL and COMMIT",
    sql: "create procedure p(inout a int) language plpgsql as $f$ begin a := a + 1; commit; end $f$; create procedure q() language plpgsql as $f$ declare b int := 1; begin call p(b); end $f$",
  },
  {
    name: "letters beyond ASCII and comments",
    sql: func(
      "(größe int) returns int",
      '\ndeclare\n  -- länge; begin\n  "Ä b" int := größe; /* é */\nbegin\n  return (select count(*) from plans /* ü */ where title <> \'é\' and id = größe and id < "Ä b");\nend',
    ),
  },
  {
    name: "transition tables",
    sql: `create table t (id int, name text); ${func("() returns trigger", "\nbegin\n  insert into votes select c.id, true from changed c where exists (select from changed where name = c.name);\n  return null;\nend")}; create trigger a after update on t referencing new table as changed for each statement execute function f()`,
  },
  {
    name: "rows as first values, and constants of an array",
    sql: func(
      "(given int) returns uuid",
      "\ndeclare\n  one public.plans := (select p from plans p where p.id = given);\n  known constant uuid[] := array['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];\nbegin\n  return coalesce(one.host, known[1]);\nend",
    ),
  },
  {
    name: "a variable whose first value is another's",
    sql: func(
      "(a int) returns int",
      "\ndeclare\n  b int := a + 1;\n  c int := b * 2;\nbegin\n  return c;\nend",
    ),
  },
  {
    name: "a trigger's function that asks which table it is for",
    sql: `create table t (id int); create table u (plan_id int); ${func("() returns trigger", "\nbegin\n  if tg_table_name = 't' then perform new.id; else perform new.plan_id; end if;\n  return new;\nend")}; create trigger a after update on t for each row execute function f(); create trigger a after update on u for each row execute function f()`,
  },
  {
    name: "RAISE in a block whose handler returns",
    sql: func(
      "() returns int",
      "\nbegin\n  begin\n    raise exception 'x';\n  exception when others then\n    return 1;\n  end;\nend",
    ),
  },
  {
    name: "types that the function's own search path finds",
    sql: "create schema types; create type types.pair as (a int, b int); create function f() returns int language plpgsql set search_path = types as $$ declare p pair := (1, 2); begin return p.a; end $$; create function g() returns int language sql set search_path = types as $$ select ('(1,2)'::pair).a $$",
  },
  {
    name: "a row that is assigned to several columns",
    sql: func(
      "(j jsonb) returns void",
      "\nbegin\n  update plans set (title, made) = (select j ->> 'title', now()) where id = 1;\nend",
    ),
  },
  {
    name: "constant texts of EXECUTE, of things that may be missing too",
    sql: func(
      "(k int) returns text",
      `
declare
  t text;
  r record;
begin
  execute 'select title from plans where id = $1 and made < $2' into t using k, now();
  for r in execute 'select id, title from plans' loop
    t := t || r.title;
  end loop;
  execute 'create temp table made_here (a int); insert into made_here values (1)';
  if exists (select from pg_extension where extname = 'pg_cron') then
    execute 'select cron.schedule(1)';
    execute 'select nothing_there(1)';
  end if;
  return t;
end`,
    ),
  },
  {
    name: "texts of EXECUTE that are put together",
    sql: func(
      "(k text, c text, days int) returns setof plans",
      `
declare
  n int;
begin
  execute 'select count(*) from plans where ' || c || ' = 1' into n;
  execute format('select count(*) from %I where %I = %L', c, 'anything', k) into n;
  execute format('select count(*) from plans where made > now() - interval %L and id = %L', days || ' days', n) into n;
  execute format('select count(*) from plans where made between date %L and %L::date and title like ''%%'' || %L', k, k, c) into n;
  execute format('comment on table plans is %L', k);
  execute format('notify changes, %L', k);
  execute format('create temp table %I (a int)', 'made_' || k);
  execute 'insert into made_here values (1)';
  execute format('set local statement_timeout = %L', '1s');
  return query execute format('select * from %I where %I = %L limit %s', 'plans', 'title', k, days);
  return query execute 'select p.*' || ' from plans p where title = ' || quote_nullable(k);
  return query execute concat('select * from ', 'plans') || case when c is null then '' else ' where ' || c end;
end`,
    ),
  },
];
