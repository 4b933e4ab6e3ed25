/**
 * Owns advice for statements of a project's files that Postgres rejected: known incompatibilities of foreign
 * projects, here as with the Supabase CLI.
 */
interface Case {
  /** SQLSTATE. */
  code?: string;
  statement?: RegExp;
  message?: RegExp;
  advice: string;
}

const CASES: readonly Case[] = [
  ...["57P01", "08006", "25P03", "25P04"].map((code) => ({
    code,
    advice:
      "The connection ended while this file ran, so nothing after this statement was tried. A file must not end its own session: remove pg_terminate_backend, and time limits such as idle_in_transaction_session_timeout and transaction_timeout. If the stack was being stopped, start it again.",
  })),
  {
    statement: /^\\/,
    advice:
      "This is a command of psql. Of these a file may have \\i, \\ir and \\copy ... from, each on a line of its own; the Supabase CLI supports none. Remove the other lines that begin with a backslash (a dump of pg_dump has \\restrict and \\unrestrict).",
  },
  {
    code: "42P06",
    message:
      /^schema "(?:auth|storage|realtime|vault|extensions|graphql|graphql_public|pgbouncer)" already exists$/,
    advice:
      "Supabase makes this schema itself: this is a dump of a whole database. Put one of the project's own schemas in its place, which homebase db dump --db-url URL and supabase db dump write (pg_dump with --schema=public, for one).",
  },
  {
    code: "42601",
    statement: /^(?:--.*\n|\s)*do\s+\$\$(?:[\s\S]*?\$\$){3}/i,
    advice:
      "The text of this block ends at its second $$. Write $body$ instead of $$ for the text inside, or for the block.",
  },
  {
    code: "42601",
    statement: /\n\s*(?:create|alter|drop|insert|update|delete|grant|revoke)\s/i,
    message: /at or near "(?:create|alter|drop|insert|update|delete|grant|revoke)"$/i,
    advice: "Is a semicolon missing at the end of the statement before this line?",
  },
  {
    code: "42501",
    statement:
      /^(?:--.*\n|\s)*(?:create|alter)\s+(?:role|user)\s[\s\S]*\b(?:no)?(?:superuser|replication)\b/i,
    message: /^permission denied to (?:alter|create) role$/,
    advice:
      "Only a superuser may name SUPERUSER or REPLICATION, also with NO before it; here and on hosted projects. A dump of pg_dumpall has such lines: homebase db dump --role-only writes roles that postgres may make.",
  },
  {
    message: /^Job \d+ does not exist or you don't own it$/,
    advice:
      "Each database numbers its jobs itself. Find it by its name: (select jobid from cron.job where jobname = 'name').",
  },
  {
    code: "42501",
    message: /^permission denied for table job$/,
    advice:
      "Role postgres only reads cron.job, here and on hosted projects. Use cron.alter_job(job_id, ...), cron.schedule or cron.unschedule.",
  },
  {
    code: "55P04",
    advice:
      "A new value of an enum can be used only after the transaction that adds it. Move ALTER TYPE ... ADD VALUE into a migration of its own, before this one.",
  },
  {
    code: "25001",
    advice:
      "This statement cannot share a transaction with others. Put it into a migration of its own, outside of functions and DO blocks.",
  },
  {
    code: "42501",
    message: /permission denied to (create event trigger|create foreign-data wrapper)/,
    advice:
      "Hosted projects let role postgres do this; Homebase does so for statements of migrations, seeds and roles.sql, including DO blocks, but not within functions and computed SQL. Write it as a separate statement.",
  },
  {
    code: "42501",
    message: /must be superuser to (create FOR ALL TABLES|create FOR TABLES IN SCHEMA|add or set schemas)/i,
    advice:
      "Hosted projects let role postgres do this; Homebase does so for statements of migrations, seeds and roles.sql, including DO blocks, but not within functions and computed SQL. Write it as a separate statement.",
  },
  {
    code: "42501",
    message:
      /(?:must be able to SET ROLE|permission denied to set role) "(?!supabase_|pgsodium_|pg_|dashboard_user|pgbouncer)/,
    advice:
      "Since Postgres 16 the role that makes another one is not a member of it, here and on hosted projects. Write grant <that role> to postgres; before this statement.",
  },
  {
    code: "42501",
    message:
      /permission denied to change default privileges|must be able to SET ROLE|permission denied to set role/,
    advice:
      "Role postgres is not a member of that role, here and on hosted projects. Remove the statement: dumps of hosted projects contain such lines for objects that Supabase makes itself.",
  },
  {
    code: "42501",
    message: /must be superuser/,
    advice: "Role postgres is not a superuser, here and on hosted projects. Remove the statement.",
  },
  {
    code: "42501",
    message: /permission denied to set parameter/,
    advice:
      "Role postgres may not set this parameter, here and on hosted projects. Keep the value in Vault or in a table instead.",
  },
  {
    code: "0A000",
    message:
      /^extension "(?:pgvector|pg_vector|vault|cron|pgnet|pg_uuid|uuid_ossp|uuid-osp|pg_http|pg_crypto)" is not available$/,
    advice:
      'The name is not that of the extension. Hosted projects and Homebase have vector, supabase_vault, pg_cron, pg_net, "uuid-ossp", http and pgcrypto.',
  },
  {
    code: "0A000",
    message: /^extension ".*" is not available$/,
    advice:
      "Hosted projects do not offer it, and this machine does not have it. If it is a package of database.dev (pg_tle), copy that package's SQL into a migration; otherwise install it for PostgreSQL 17 on this machine, or set HOMEBASE_EXTENSIONS to a folder that holds it.",
  },
  {
    statement: /database\.dev|\bdbdev\s*\.\s*install/i,
    message: /^http: |resolve host|connect to/i,
    advice:
      "Packages of database.dev come from its registry, which cannot be reached while migrations run. Homebase includes supabase-dbdev and basejump-supabase_test_helpers; for another package, put the SQL into a migration: select pgtle.install_extension('name', 'version', 'description', $pkg$ ... $pkg$).",
  },
  {
    code: "42501",
    message: /^permission denied to create extension/,
    advice: "Only a superuser may create it, here and on hosted projects. Remove the statement.",
  },
  {
    code: "42501",
    statement: /\bvault\b/i,
    message: /permission denied for table secrets/,
    advice:
      "Secrets are made by a function since Vault 0.3, here and on hosted projects: select vault.create_secret('value', 'name').",
  },
  {
    code: "42501",
    message: /^must be owner of function/,
    advice:
      "It belongs to another role, of which postgres is no member that inherits: Postgres refuses it on hosted projects too. Write set role <its owner>; before it and reset role; after it, or grant <its owner> to postgres with inherit true.",
  },
];

/** The advice for an error, if known. */
export function adviceFor(
  statement: string,
  error: { code?: string | undefined; message: string },
): string | undefined {
  return CASES.find(
    (one) =>
      (one.code === undefined || one.code === error.code) &&
      (one.statement === undefined || one.statement.test(statement)) &&
      (one.message === undefined || one.message.test(error.message)),
  )?.advice;
}
