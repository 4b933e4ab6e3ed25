/**
 * Owns the outcome of `homebase db diff`: showing the difference, writing it as a migration, or applying it.
 */
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../config/config.ts";
import { writeProjectFile } from "../config/project-paths.ts";
import { UserError } from "../core/user-error.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { connected } from "../postgres/connected.ts";
import type { Database } from "../postgres/database.ts";
import { type Migration, readMigrations } from "../postgres/files/project-files.ts";
import { recordMigration } from "../postgres/migrations.ts";
import { PROJECT_ROLES } from "../postgres/project-roles.ts";
import { findRenames, hasRows, type Rename, renameOf, renameStatement, renameText } from "./renames.ts";
import {
  type CompleteDiff,
  completeDiff,
  isDeclarative,
  schemaDiff,
  withDeclared,
  withMigrated,
} from "./schema-diff.ts";
import { publishAsIn } from "./undeclared-publication.ts";

export interface DiffRequest {
  /** Writes a migration with this name. */
  name?: string | undefined;
  /** Applies the schema files to the developer's database, without a migration. */
  apply?: boolean | undefined;
  /** Compares these schemas only. */
  schemas?: readonly string[] | undefined;
  /** Columns and tables that were renamed, in the words of `renameText`. */
  renames?: readonly string[] | undefined;
  /** Whether all others that are gone are to be dropped. */
  noRename?: boolean | undefined;
  /** Whether somebody can be asked: while a rename is open, nothing is written or applied. */
  ask?: boolean | undefined;
}

export interface DiffResult extends CompleteDiff {
  /** What the migrations are compared with. */
  target: "schemas" | "database";
  /** The written migrations. There are several where a statement needs an earlier one to be committed. */
  files?: string[];
  applied?: boolean;
  /** Drops that may be renames, in the words of `renameText`, with the type of columns. */
  open: { rename: string; type?: string | undefined }[];
  /** Whether nothing was compared, written or applied, since these are to be asked first. */
  asks?: boolean;
}

/** The request does not apply to this project. */
export class DiffRefused extends UserError {}

/** @throws ProjectFileError, DiffRefused */
export async function diffProject(
  cluster: ClusterClient,
  config: Config,
  own: Database,
  request: DiffRequest,
): Promise<DiffResult> {
  const { name, apply = false, schemas } = request;
  if (name !== undefined && !/^[A-Za-z0-9_-]{1,100}$/.test(name)) {
    throw new DiffRefused("A migration's name is made of letters, digits, _ and -.");
  }
  if (apply && !isDeclarative(config)) {
    throw new DiffRefused(
      "There is nothing to apply: supabase/schemas is empty, so the difference is what your database has already.",
    );
  }
  const options = { schemas, majorVersion: config.db.major_version };
  const difference = async (from: Database, to: Database): Promise<CompleteDiff & Asked> => {
    const { renamed, open } = await decided(from, to, own, request);
    const asked = open.map((one) => ({ rename: renameText(one), type: one.type }));
    if (request.ask && asked.length > 0) return { ...NOTHING, open: asked, asks: true };
    const first = renamed.map(renameStatement);
    return { ...(await completeDiff(from, to, { ...options, first })), open: asked };
  };
  if (!isDeclarative(config)) {
    const roles = await rolesOutside(own, readMigrations(config));
    return withMigrated(cluster, config, async (migrated) => {
      const diff = await difference(migrated, own);
      const notCompared = [...diff.notCompared, ...roles];
      // The database already has the written changes.
      const written = await writeDown(config, own, name, diff, () => true);
      return { ...diff, notCompared, target: "database", ...written };
    });
  }
  return withDeclared(cluster, config, async (declared) => {
    const declaredDifference = async (from: Database) => {
      const undeclared = await publishAsIn(from, declared, config);
      const diff = await difference(from, declared);
      return { ...diff, notCompared: [...diff.notCompared, ...undeclared] };
    };
    if (apply) {
      const diff = await declaredDifference(own);
      return { ...diff, target: "schemas", applied: diff.sql !== "" };
    }
    const diff = await withMigrated(cluster, config, declaredDifference);
    const present = async () => (await schemaDiff(own, declared, options)).sql === "";
    return { ...diff, target: "schemas", ...(await writeDown(config, own, name, diff, present)) };
  });
}

type Asked = Pick<DiffResult, "open" | "asks">;
const NOTHING: CompleteDiff = {
  sql: "",
  parts: [],
  destructive: false,
  notCompared: [],
  missing: "",
  order: { created: [], altered: [] },
  notStated: [],
};

/**
 * The renames that the request states, and those that are open.
 * @throws DiffRefused for a stated rename that the databases do not show, and before rows are dropped that may be renamed.
 */
async function decided(from: Database, to: Database, own: Database, request: DiffRequest) {
  const { renames = [], noRename, schemas, ask, apply, name } = request;
  const login = (database: Database) => database.connection("postgres");
  const found = await connected(login(from), (before) =>
    connected(login(to), (after) => findRenames(before, after, schemas)),
  );
  const renamed = renames.map((given) => {
    const one = renameOf(given, found);
    if (one) return one;
    const some = found.map((each) => `  --rename ${renameText(each)}`).join("\n");
    throw new DiffRefused(
      `${given} is no rename: no column or table of that name is gone and another of the same type in its place.${some && ` These are:\n${some}`}`,
    );
  });
  const settled = (one: Rename) =>
    renamed.some(({ schema, table, from, to }) => {
      if (schema !== one.schema || table !== one.table) return false;
      return from === one.from || to === one.to;
    });
  const open = noRename ? [] : found.filter((one) => !settled(one));
  if (open.length === 0 || ask || !(apply || name !== undefined)) return { renamed, open };
  const kept = await connected(login(own), async (client) => {
    const rows: Rename[] = [];
    for (const one of open) if (await hasRows(client, one)) rows.push(one);
    return rows;
  });
  if (kept.length === 0) return { renamed, open };
  const lines = kept.map((one) => `  --rename ${renameText(one)}`).join("\n");
  throw new DiffRefused(
    `Nothing was ${apply ? "applied" : "written"}: rows would be lost if these were renamed and not dropped. Say so, or --no-rename:\n${lines}`,
  );
}

/** Both databases that are compared are of one server, so a role is in both, whoever made it. */
async function rolesOutside(own: Database, migrations: readonly Migration[]): Promise<string[]> {
  const { rows } = await own.query<{ name: string }>(
    "postgres",
    `select rolname as name from pg_catalog.pg_roles where ${PROJECT_ROLES} order by 1`,
  );
  return rows.flatMap(({ name }) =>
    migrations.some(({ sql }) => sql.toLowerCase().includes(name.toLowerCase()))
      ? []
      : [`the role ${name}, which is in no migration: it belongs to the whole server`],
  );
}

/**
 * Writes a difference as migrations, if a name is given. They are first recorded as applied where the
 * database already has the changes, because saving them would otherwise apply them and fail.
 */
async function writeDown(
  config: Config,
  own: Database,
  name: string | undefined,
  diff: CompleteDiff,
  present: () => boolean | Promise<boolean>,
): Promise<{ files?: string[] }> {
  if (name === undefined || diff.sql === "") return {};
  if (diff.order.created.length > 0) {
    throw new DiffRefused(`Nothing was written.\n${diff.order.created.join("\n")}`);
  }
  const migrations = nextMigrations(config, name, diff.parts);
  const applied = await present();
  for (const migration of migrations) {
    if (applied) await recordMigration(own, migration);
    writeProjectFile(config.projectFolder, migration.path, migration.sql);
  }
  return { files: migrations.map(({ path }) => path) };
}

/** Versions that follow all others. */
function nextMigrations(config: Config, name: string, parts: readonly string[]): Migration[] {
  const folder = join(config.supabaseFolder, "migrations");
  mkdirSync(folder, { recursive: true });
  const now = BigInt(
    new Date()
      .toISOString()
      .replace(/[^0-9]/g, "")
      .slice(0, 14),
  );
  const latest = BigInt(readMigrations(config).at(-1)?.version ?? 0);
  const first = latest < now ? now : latest + 1n;
  return parts.map((sql, index) => {
    const version = String(first + BigInt(index));
    const own = parts.length === 1 ? name : `${name}_${index + 1}`;
    const path = relative(config.projectFolder, join(folder, `${version}_${own}.sql`));
    return { version, name: own, path, sql: `${sql}\n` };
  });
}
