/**
 * Owns templates: databases that are built once and then cloned. The base has Supabase's roles and schemas
 * and is keyed by Homebase's own SQL; a project's template is the base plus its migrations and seed, keyed by
 * those files.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { Config } from "../../config/config.ts";
import type { Database } from "../database.ts";
import { type Migration, readMigrations, readSeeds } from "../files/project-files.ts";
import { SUPERUSER } from "../guarded-logins.ts";
import { type Applying, applyMigrations, applyRoles, applySeeds, written } from "../migrations.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { cloneDatabase, configure, copySettings, createScratch, dropLeftovers } from "./copies.ts";
import { ensureImplied, impliedBy, webhooksSql } from "./implied.ts";

const BOOTSTRAP = join(import.meta.dirname, "..", "bootstrap");
/** Run in this order in each base database, by the superuser. */
const BASE_FILES = [
  "schemas.sql",
  "auth.sql",
  "storage.sql",
  "realtime.sql",
  "exchange.sql",
  "watch.sql",
  "powers.sql",
];
const ROLES_FILE = "roles.sql";

const UNDEFINED_DATABASE = "3D000";
const DUPLICATE_DATABASE = "42P04";
const UNIQUE_VIOLATION = "23505";

/** The name of the base database for this version of Homebase's SQL; built if missing. */
export async function ensureBase(cluster: ClusterClient): Promise<string> {
  const { name, roles, files } = baseSql();
  await cluster.admin(async (client) => {
    if ((await isThere(client, name)) || (await takePrebuilt(client, name))) return;
    await ensureRoles(client, roles);
    await build(cluster, client, name, "template0", (building) =>
      runBase(cluster, building, files, { unmade: true }),
    );
  });
  return name;
}

/**
 * Creates `name` with Supabase's objects only: cloned from the base if it exists, otherwise built in place,
 * so that a cluster's first start need not build a base.
 */
export async function createFromBase(
  cluster: ClusterClient,
  name: string,
  settings: Record<string, string> = {},
): Promise<void> {
  const base = baseSql();
  const found = await cluster.admin(async (client) => {
    if (await isThere(client, base.name)) return "base";
    if (!(await takePrebuilt(client, name))) return "nothing";
    await client.query(
      `alter database ${client.escapeIdentifier(name)} owner to postgres; alter database ${client.escapeIdentifier(name)} allow_connections true`,
    );
    await configure(client, name, settings);
    return "prebuilt";
  });
  if (found === "base") return cloneDatabase(cluster, base.name, name, settings);
  if (found === "prebuilt") return;
  const building = `${name}_building`;
  await cluster.admin(async (client) => {
    await ensureRoles(client, base.roles);
    await client.query(`drop database if exists ${client.escapeIdentifier(building)} with (force)`);
  });
  await cloneDatabase(cluster, "template0", building, settings);
  await runBase(cluster, building, base.files, { unmade: true });
  await cluster.admin((client) =>
    client.query(
      `alter database ${client.escapeIdentifier(building)} rename to ${client.escapeIdentifier(name)}`,
    ),
  );
}

/** The name of a prebuilt cluster's base. The first database is made by renaming it, without a copy. */
export function prebuiltBase(): string {
  return `${baseSql().name}_ready`;
}

/** Renames a prebuilt base. @returns whether there was one. */
async function takePrebuilt(client: pg.ClientBase, name: string): Promise<boolean> {
  const prebuilt = prebuiltBase();
  if (!(await isThere(client, prebuilt))) return false;
  try {
    await client.query(
      `alter database ${client.escapeIdentifier(prebuilt)} rename to ${client.escapeIdentifier(name)}`,
    );
    return true;
  } catch (error) {
    // Another process has renamed it meanwhile, or created the target.
    const { code } = error as { code?: string };
    if (code === UNDEFINED_DATABASE || isTaken(error)) return false;
    throw error;
  }
}

/**
 * Applies the functions that a project's files now need to a database of an earlier version (powers.sql may
 * be run again).
 */
export async function renewPowers(cluster: ClusterClient, database: string): Promise<void> {
  await runBase(cluster, database, [readFileSync(join(BOOTSTRAP, "powers.sql"), "utf8")], {
    unmade: false,
  });
}

/** The database setting with the hash of the Homebase SQL that it was created with. */
export function baseSetting(): { name: string; value: string } {
  return { name: "homebase.base", value: baseSql().name };
}

/** The name of a base for its files: roles first, then those of `BASE_FILES`. */
export function baseName(roles: string, files: readonly string[]): string {
  return `homebase_base_${digest([roles, ...files])}`;
}

const STAND_INS = join(import.meta.dirname, "..", "extensions", "stand-in");
/** Scripts of our own that the base's files run as extensions: a base with earlier ones must not be used. */
const BASE_SCRIPTS = ["supabase_vault--0.3.1.sql", "pg_net--0.19.5.sql"];

/** The files of a base, without roles, in the order in which they run. */
export const baseFiles: readonly string[] = BASE_FILES;

function baseSql(): { name: string; roles: string; files: string[] } {
  const files = BASE_FILES.map((file) => readFileSync(join(BOOTSTRAP, file), "utf8"));
  const roles = readFileSync(join(BOOTSTRAP, ROLES_FILE), "utf8");
  const scripts = BASE_SCRIPTS.map((file) => readFileSync(join(STAND_INS, file), "utf8"));
  return { name: baseName(roles, [...files, ...scripts]), roles, files };
}

/** Roles belong to the cluster: created once, independent of its databases. */
async function ensureRoles(client: pg.ClientBase, roles: string): Promise<void> {
  // Two processes that start at once (tests do) would both find the cluster's roles missing.
  await client.query("select pg_advisory_lock(hashtext('homebase roles'))");
  try {
    const { rows } = await client.query("select 1 from pg_roles where rolname = 'authenticator'");
    if (rows.length === 0) await client.query(roles);
  } finally {
    await client.query("select pg_advisory_unlock(hashtext('homebase roles'))");
  }
}

/** @param unmade whether these files make the database one of the stack's. */
async function runBase(
  cluster: ClusterClient,
  database: string,
  files: readonly string[],
  { unmade }: { unmade: boolean },
): Promise<void> {
  const run = async (client: pg.ClientBase) => {
    for (const sql of files) {
      await client.query(sql);
      await client.query("reset all; reset role");
    }
  };
  await cluster.admin(run, database, { unmade });
}

/** The name of the project's template; built if missing, then cloned in tens of ms. */
export async function ensureTemplate(cluster: ClusterClient, config: Config): Promise<string> {
  const base = await ensureBase(cluster);
  const { name, migrations } = templateOf(config);
  await cluster.admin(async (client) => {
    if (await isThere(client, name)) return;
    await build(cluster, client, name, base, async (building) => {
      const database = cluster.database(building);
      try {
        await prepareProject(database, config, written(migrations), { fresh: true });
        await applySeeds(database, config, { fresh: true });
      } finally {
        await cluster.release(building);
      }
    });
  });
  return name;
}

/** The name of the project's template, which follows from its files. */
export function templateName(config: Config): string {
  return templateOf(config).name;
}

function templateOf(config: Config): { name: string; migrations: Migration[] } {
  const migrations = readMigrations(config);
  const implied = impliedBy(config);
  const name = `homebase_template_${digest([
    baseSql().name,
    JSON.stringify([config.api.auto_expose_new_tables, config.db.settings, implied, config.db.vault]),
    implied.webhooks ? webhooksSql() : "",
    ...[...migrations, ...readSeeds(config)].flatMap(({ path, sql }) => [path, sql]),
  ])}`;
  return { name, migrations };
}

/**
 * A template made of another one by `change`, which has the project's own rights; built if it is missing.
 * @param settings of the database, beside those of the other one.
 */
export async function ensureVariant(
  cluster: ClusterClient,
  template: string,
  name: string,
  change: (client: pg.ClientBase) => Promise<void>,
  settings: Record<string, string> = {},
): Promise<void> {
  await cluster.admin(async (client) => {
    if (await isThere(client, name)) return;
    await build(cluster, client, name, template, async (building) => {
      await copySettings(client, template, building);
      await configure(client, building, settings);
      try {
        await cluster.asProject(change, building);
      } finally {
        await cluster.release(building);
      }
    });
  });
}

/**
 * Drops the bases of earlier versions, what killed processes were building, and the templates of earlier files. For a
 * cluster of one project, while nothing is built.
 * @param kept the template of today's files; without it all finished templates stay.
 */
export async function forgetTemplates(cluster: ClusterClient, kept?: string): Promise<void> {
  const bases = [baseSql().name, prebuiltBase()];
  await dropLeftovers(cluster, (name) =>
    name.startsWith("homebase_base_") ? !bases.includes(name) : kept !== undefined && name !== kept,
  );
}

/** Runs the exposure rule, roles.sql, and the project's migrations. */
export async function prepareProject(
  database: Database,
  config: Config,
  migrations: readonly Migration[],
  applying: Applying,
): Promise<void> {
  await ensureImplied(database, impliedBy(config), applying.differs);
  if (config.api.auto_expose_new_tables === false) await database.query("postgres", KEEP_NEW_TABLES_PRIVATE);
  for (const [name, secret] of Object.entries(config.db.vault)) await keepSecret(database, name, secret);
  await applyRoles(database, config, applying);
  await applying.prepared?.();
  await applyMigrations(database, migrations, applying);
}

/**
 * `[db.vault]`: creates or updates the secrets. Values that `env()` could not resolve are skipped, as by the
 * CLI.
 */
async function keepSecret(database: Database, name: string, secret: string): Promise<void> {
  if (/^env\(.*\)$/.test(secret)) return;
  await database.query(
    "postgres",
    `select case when id is null then vault.create_secret($2, $1)::text
       else vault.update_secret(id, $2)::text end
     from (select (select id from vault.secrets where name = $1) as id) known`,
    [name, secret],
  );
}

/** `api.auto_expose_new_tables = false`, as the CLI implements it. */
const KEEP_NEW_TABLES_PRIVATE = `
  alter default privileges for role postgres in schema public
    revoke select, insert, update, delete on tables from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke usage, select on sequences from anon, authenticated, service_role;
  alter default privileges for role postgres in schema public
    revoke execute on functions from anon, authenticated, service_role`;

/**
 * Builds under another name and renames at the end, so that an unfinished template is never cloned. It is `postgres`'
 * while it is filled and the superuser's afterwards; it stays the one that was created, whatever `postgres` renames.
 */
async function build(
  cluster: ClusterClient,
  client: pg.ClientBase,
  name: string,
  from: string,
  fill: (building: string) => Promise<void>,
): Promise<void> {
  const building = `${name}_building_${process.pid}`;
  const quoted = client.escapeIdentifier(building);
  const oid = () => client.query("select oid from pg_database where datname = $1", [building]);
  await client.query(`drop database if exists ${quoted} with (force)`);
  await createScratch(cluster, client, building, from);
  try {
    const created = (await oid()).rows;
    await fill(building);
    await client.query(`alter database ${quoted} owner to ${SUPERUSER}`);
    if ((await oid()).rows[0]?.oid !== created[0]?.oid)
      throw new Error(`Another database took the place of ${building}.`);
    await client.query(
      `alter database ${quoted} allow_connections false; alter database ${quoted} rename to ${client.escapeIdentifier(name)}`,
    );
  } catch (error) {
    await client.query(`drop database if exists ${quoted} with (force)`).catch(() => undefined);
    // Another process has built the same template meanwhile.
    if (!isTaken(error)) throw error;
  }
}

/** Whether a rename failed because the name is taken. A concurrent rename is reported by the catalog's unique index. */
function isTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return (
    code === DUPLICATE_DATABASE || (code === UNIQUE_VIOLATION && constraint === "pg_database_datname_index")
  );
}

/**
 * Whether a base or template of ours exists: it is the superuser's, so nobody else connects to one or renames it. Role
 * `postgres` may make databases: one that a project made under the name has none of what limits that role, so it is
 * not copied, but gets another name.
 */
async function isThere(client: pg.ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ oid: string; ours: boolean }>(
    `select d.oid, r.rolname = '${SUPERUSER}' as ours from pg_database d join pg_roles r on r.oid = d.datdba
     where d.datname = $1`,
    [name],
  );
  const [database] = rows;
  if (!database || database.ours) return database !== undefined;
  const [from, to] = [name, `${name}_${database.oid}`].map((one) => client.escapeIdentifier(one));
  await client.query(`alter database ${from} rename to ${to}`);
  return false;
}

function digest(parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 12);
}
