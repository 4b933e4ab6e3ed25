/**
 * Owns the catalogue of Supabase's wrappers without their library: the functions that `create foreign data wrapper`
 * names. Wrappers, servers and foreign tables can be made; reading one fails.
 */

/** The wrappers of version 0.5, by the first part of their functions' names. */
const NAMES =
  "airtable auth0 big_query click_house cognito duckdb firebase hello_world iceberg logflare mssql mysql redis s3 s3_vectors stripe wasm".split(
    " ",
  );

/** Its table of statistics, and a function for each role that a foreign data wrapper names. */
export const WRAPPERS_OBJECTS = `
create table wrappers_fdw_stats (
  fdw_name text primary key,
  create_times bigint,
  rows_in bigint,
  rows_out bigint,
  bytes_in bigint,
  bytes_out bigint,
  metadata jsonb,
  created_at timestamptz not null default (now() at time zone 'utc'),
  updated_at timestamptz not null default (now() at time zone 'utc')
);
grant all on wrappers_fdw_stats to postgres with grant option;
${NAMES.map(
  (name) => `
create function ${name}_fdw_validator(options text[], catalog oid) returns void language plpgsql as $$ begin end $$;`,
).join("")}
`;

/** As CREATE FUNCTION has them, without a body. */
export const WRAPPERS_FUNCTIONS: readonly string[] = NAMES.flatMap((name) => [
  `${name}_fdw_handler() returns void`,
  `${name}_fdw_meta() returns table (name text, version text, author text, website text)`,
]);
