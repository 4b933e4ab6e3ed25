/**
 * Owns plpgsql_check 2.7 without its library: its two checks ask Homebase (bootstrap/exchange.sql), which checks as role
 * postgres in a session of its own; its profiler, tracer and list of dependencies fail (its documentation, "Functions").
 */

const POLYMORPHIC =
  "anyelememttype regtype default 'int', anyenumtype regtype default '-', anyrangetype regtype default 'int4range', anycompatibletype regtype default 'int', anycompatiblerangetype regtype default 'int4range'";
const CHECKS = `fatal_errors boolean default true, other_warnings boolean default true, performance_warnings boolean default false, extra_warnings boolean default true, security_warnings boolean default false, compatibility_warnings boolean default false, oldtable name default null, newtable name default null, ${POLYMORPHIC}, without_warnings boolean default false, all_warnings boolean default false, use_incomment_options boolean default true, incomment_options_usage_warning boolean default false, constant_tracing boolean default true`;
const FINDINGS =
  'table (functionid regproc, lineno int, statement text, sqlstate text, message text, detail text, hint text, level text, "position" int, query text, context text)';
const DEPENDENCIES = "table (type text, oid oid, schema text, name text, params text)";
const LINES =
  "table (lineno int, stmt_lineno int, queryids int8[], cmds_on_row int, exec_stmts int8, exec_stmts_err int8, total_time double precision, avg_time double precision, max_time double precision[], processed_rows int8[], source text)";
const STATEMENTS =
  "table (stmtid int, parent_stmtid int, parent_note text, block_num int, lineno int, queryid int8, exec_stmts int8, exec_stmts_err int8, total_time double precision, avg_time double precision, max_time double precision, processed_rows int8, stmtname text)";

/** A function is named by its oid or by its text. */
const FUNCTION = ["funcoid regprocedure", "name text"];

/** What a name or a signature stands for. */
const NAMED =
  "case when pg_catalog.strpos($1, '(') operator(pg_catalog.>) 0 then $1::pg_catalog.regprocedure else $1::pg_catalog.regproc::pg_catalog.oid::pg_catalog.regprocedure end";
const OPTIONS = [
  ...["fatal_errors", "other_warnings", "performance_warnings", "extra_warnings", "security_warnings"],
  ...["compatibility_warnings", "without_warnings", "all_warnings"],
];

/** What the checks ask, for one function. */
const asked = (which: string, format: string) =>
  `pg_catalog.homebase_check_function(${which}, relid, pg_catalog.current_setting('search_path'), pg_catalog.jsonb_build_object('format', ${format}, ${OPTIONS.map((name) => `'${name}', ${name}`).join(", ")}))`;

/** Working functions. */
export const PLPGSQL_CHECK_OBJECTS = `
-- A check parses what the function's owner has written, which runs code: of a domain, for example. So whoever asks must be
-- allowed to do what role postgres may, as which it is checked; the role in a statement is what it has set, or its login.
create function pg_catalog.homebase_check_function(checked regprocedure, relation regclass, path text, options jsonb) returns jsonb
language plpgsql security definer set search_path = pg_catalog, pg_temp as $body$
declare
  asker text := coalesce(nullif(current_setting('role'), 'none'), session_user);
  function_of record;
  missing text := (select key from jsonb_each(options) where value = 'null' limit 1);
  answer jsonb;
begin
  if missing is not null then raise exception using errcode = '22004', message = format('the option "%s" is NULL', missing); end if;
  if not pg_has_role(asker, 'postgres', 'member') then
    raise exception using errcode = '42501', message = format('plpgsql_check: role %s may not have functions checked.', asker),
      hint = 'Here they are checked with the rights of role postgres: ask as postgres.';
  end if;
  if lower(options ->> 'format') not in ('text', 'json') then
    raise exception using errcode = '22023', message = format('unrecognize format: "%s"', options ->> 'format'),
      hint = 'Only "text" and "json" are built in Homebase.';
  end if;
  select l.lanname, p.prorettype = 'trigger'::regtype as is_trigger into function_of
  from pg_proc p join pg_language l on l.oid = p.prolang where p.oid = checked;
  -- The CLI asks for all of a schema; the real extension's own functions are not in PL/pgSQL.
  if exists (
    select from pg_depend d join pg_extension e on e.oid = d.refobjid
    where d.classid = 'pg_proc'::regclass and d.objid = checked and d.refclassid = 'pg_extension'::regclass and e.extname = 'plpgsql_check'
  ) then return '{"lines": [], "rows": []}'; end if;
  if function_of.lanname is distinct from 'plpgsql' then
    raise exception using errcode = '22023', message = format('%s is not a plpgsql function', checked);
  elsif function_of.is_trigger and relation = 0::oid then
    raise exception using errcode = '22023', message = 'missing trigger relation', hint = 'Trigger relation oid must be valid';
  elsif not function_of.is_trigger and relation <> 0::oid then
    raise exception using errcode = '22023', message = 'function is not trigger',
      hint = 'Trigger relation oid must not be valid for non dml trigger function.';
  elsif (options ->> 'all_warnings')::bool and (options ->> 'without_warnings')::bool then
    raise exception using errcode = '22023', message = 'without_warnings and all_warnings cannot be true same time';
  end if;
  if exists (
    with relations as (
      select case relkind when 'c' then 'pg_type'::regclass else 'pg_class'::regclass end as of,
        case relkind when 'c' then reltype else oid end as object, oid, xmin
      from pg_class where relpersistence <> 't' and relkind in ('r', 'v', 'm', 'f', 'p', 'c')
    )
    select from (
      select 'pg_proc'::regclass as of, oid as object, xmin from pg_proc
      union all select of, object, xmin from relations
      union all select r.of, r.object, a.xmin from pg_attribute a join relations r on r.oid = a.attrelid
      union all select 'pg_type'::regclass, oid, xmin from pg_type where typtype in ('d', 'e')
    ) made
    where xmin::text::bigint >= pg_current_xact_id_if_assigned()::text::bigint
      and pg_xact_status(xmin::text::xid8) = 'in progress'
      and not exists (select from pg_depend d where d.classid = made.of and d.objid = made.object and d.deptype = 'e')
  ) then
    raise exception using errcode = '0A000',
      message = 'plpgsql_check: this transaction has changed functions, tables or types, and a check does not see what is not committed.',
      hint = 'Commit first; or after the transaction run: homebase db lint';
  end if;
  if (options ->> 'all_warnings')::bool or (options ->> 'performance_warnings')::bool
    or (options ->> 'security_warnings')::bool or (options ->> 'compatibility_warnings')::bool then
    raise notice 'plpgsql_check: warnings of performance, security and compatibility are not built in Homebase.';
  end if;
  answer := homebase_exchange('plpgsql_check', jsonb_build_object(
    'function', checked::oid, 'relation', relation::oid, 'path', path, 'format', lower(options ->> 'format'),
    'fatal_errors', options -> 'fatal_errors',
    'other_warnings', not (options ->> 'without_warnings')::bool and ((options ->> 'all_warnings')::bool or (options ->> 'other_warnings')::bool),
    'extra_warnings', not (options ->> 'without_warnings')::bool and ((options ->> 'all_warnings')::bool or (options ->> 'extra_warnings')::bool)));
  if answer ? 'error' then
    raise exception using errcode = '0A000', message = format('plpgsql_check: %s could not be checked: %s', checked, answer ->> 'error');
  end if;
  return answer;
end
$body$;
${(
  [
    ["funcoid regprocedure", "$1"],
    ["name text", NAMED],
  ] as const
)
  .map(
    ([parameter, which]) => `
create function plpgsql_check_function(${parameter}, relid regclass default 0, format text default 'text', ${CHECKS}) returns setof text
language sql as $body$
  select pg_catalog.jsonb_array_elements_text(${asked(which, "format")} operator(pg_catalog.->) 'lines')
$body$;
create function plpgsql_check_function_tb(${parameter}, relid regclass default 0, ${CHECKS}) returns ${FINDINGS}
language sql as $body$
  select (${which})::pg_catalog.oid::pg_catalog.regproc, f.lineno, f.statement, f.sqlstate, f.message, f.detail, f.hint, f.level, f."position", f.query, f.context
  from pg_catalog.jsonb_to_recordset(${asked(which, "'text'")} operator(pg_catalog.->) 'rows') as f(
    lineno int, statement text, sqlstate text, message text, detail text, hint text, level text, "position" int, query text, context text)
$body$;`,
  )
  .join("")}`;

/** Those that fail, as CREATE FUNCTION has them, without a body. */
export const PLPGSQL_CHECK_FUNCTIONS: readonly string[] = [
  ...FUNCTION.flatMap((which) => [
    // PL/pgSQL allows no two parameters of one name; a grant names types only.
    `__plpgsql_show_dependency_tb(${which.replace(/^name/, "fnname")}, relid regclass default 0, ${POLYMORPHIC}) returns ${DEPENDENCIES}`,
    `plpgsql_show_dependency_tb(${which.replace(/^name/, "fnname")}, relid regclass default 0, ${POLYMORPHIC}) returns ${DEPENDENCIES}`,
    `plpgsql_profiler_function_tb(${which}) returns ${LINES}`,
    `plpgsql_profiler_function_statements_tb(${which}) returns ${STATEMENTS}`,
    `plpgsql_coverage_statements(${which}) returns double precision`,
    `plpgsql_coverage_branches(${which}) returns double precision`,
  ]),
  "plpgsql_profiler_install_fake_queryid_hook() returns void",
  "plpgsql_profiler_remove_fake_queryid_hook() returns void",
  "plpgsql_profiler_reset_all() returns void",
  "plpgsql_profiler_reset(funcoid regprocedure) returns void",
  "plpgsql_profiler_functions_all() returns table (funcoid regprocedure, exec_count int8, exec_stmts_err int8, total_time double precision, avg_time double precision, stddev_time double precision, min_time double precision, max_time double precision)",
  "plpgsql_check_pragma(variadic name text[]) returns integer",
  "plpgsql_check_profiler(enable boolean default null) returns boolean",
  "plpgsql_check_tracer(enable boolean default null, verbosity text default null) returns boolean",
];
