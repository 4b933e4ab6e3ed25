/** Owns the signatures of plpgsql_check 2.7, which is inert here (its documentation, "Functions"). */

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

/** As CREATE FUNCTION has them, without a body. */
export const PLPGSQL_CHECK_FUNCTIONS: readonly string[] = [
  ...FUNCTION.flatMap((which) => [
    `plpgsql_check_function(${which}, relid regclass default 0, format text default 'text', ${CHECKS}) returns setof text`,
    `plpgsql_check_function_tb(${which}, relid regclass default 0, ${CHECKS}) returns ${FINDINGS}`,
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
