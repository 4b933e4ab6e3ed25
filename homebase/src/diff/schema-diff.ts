/**
 * Owns the difference between the database that the project's migrations produce and another, as SQL.
 * Supabase's own pg-delta compares them (docs/decisions/0022-schema-diff.md).
 */
import type pg from "pg";
import type { Config } from "../config/config.ts";
import type { ClusterClient } from "../postgres/cluster/cluster-client.ts";
import { cloneScratch, dropDatabase } from "../postgres/cluster/copies.ts";
import { ensureBase, prepareProject } from "../postgres/cluster/template-databases.ts";
import type { Database } from "../postgres/database.ts";
import { type Migration, readMigrations, readSchemaFiles } from "../postgres/files/project-files.ts";
import { applySchemaFiles, applyStatements, written } from "../postgres/migrations.ts";
import { PROJECT_ROLES } from "../postgres/project-roles.ts";
import { quote } from "../postgres/quoting.ts";
import { readAssignments, withCollations, withKeptValues } from "./column-changes.ts";
import { compareOrder, type OrderDifferences, withColumnOrder } from "./column-order.ts";
import { type ComparedDatabase, type RemoteDatabase, withCompared } from "./compared-database.ts";
import { inside, NO_LOGIN_ROLES, onlySchemas, QUEUES_OF_THE_API, RIGHTS_OF_LOGINS } from "./delta-rules.ts";
import { cannotRun, planned } from "./diff-impossible.ts";
import {
  newExtensions,
  readInCatalogue,
  readNeededExtensions,
  readPackages,
  whereMissing,
} from "./extension-filter.ts";
import { changedGrants } from "./identity-grants.ts";
import { readOwnGrants, withoutImplied } from "./implied-objects.ts";
import { onlyParents, readChildren, readParents, withParents } from "./inherited-tables.ts";
import { movedTables } from "./moved-tables.ts";
import { lacking, type NotStated } from "./not-stated.ts";
import { changedNotes } from "./object-notes.ts";
import { besideFunctions, changedObjects, OTHER_KINDS } from "./other-kinds.ts";
import { readOwnSchemas } from "./own-schemas.ts";
import { withRightToOwn } from "./owner-changes.ts";
import { renamedIndexes } from "./partition-indexes.ts";
import { readReordered, withOwnOrder } from "./partition-order.ts";
import { withSamePrint } from "./reprinted-definitions.ts";
import { changedSettings, untyped } from "./table-settings.ts";
import { readUnpopulated, withNoData } from "./unpopulated-views.ts";

/** A difference between two databases. */
export interface SchemaDiff {
  /** Statements that make one equal to the other; empty when they are equal. */
  sql: string;
  /** The same in parts: each requires that the previous one is committed. */
  parts: string[];
  /** Whether a statement may lose rows or values: a policy or a function that is dropped holds none. */
  destructive: boolean;
  /** Objects that are not compared, e.g. casts and operators. */
  notCompared: string[];
}

/** Which schemas are compared, and for which server the statements are. */
export interface DiffOptions {
  /** Only what is in these, and the extensions that it needs; all without. */
  schemas?: readonly string[] | undefined;
  /** Statements that come first, such as renames. */
  first?: readonly string[] | undefined;
  /** The major version of the hosted project that the statements are for: 15 does not know the right MAINTAIN. */
  majorVersion?: number | undefined;
}

/** Includes the process id: tests of several projects run concurrently. */
const NAME = `postgres_diff_${process.pid}`;
const SERVICE_SCHEMAS = ["auth", "storage", "realtime"];
/** pg-delta's marker for a part that runs outside a transaction. */
const MARK = /^-- pg-delta:.*\n/;
/** pg-delta's code for a scheduled job that it refuses to plan. */
const NAMELESS_JOB = "intent-unkeyed";

/** Whether the project has declarative schema files in `supabase/schemas`. */
export function isDeclarative(config: Config): boolean {
  return readSchemaFiles(config).length > 0;
}

/**
 * Calls `work` with a temporary database that the migrations produce.
 * @param migrations used instead of the project's, e.g. those of a hosted database.
 * @throws ProjectFileError
 */
export function withMigrated<T>(
  cluster: ClusterClient,
  config: Config,
  work: (migrated: Database) => Promise<T>,
  migrations: readonly Migration[] = written(readMigrations(config)),
): Promise<T> {
  return withMade(cluster, `${NAME}_migrated`, work, (database) =>
    prepareProject(database, config, migrations, { fresh: true }),
  );
}

/** As `withMigrated`, with the database that the schema files produce. */
export function withDeclared<T>(
  cluster: ClusterClient,
  config: Config,
  work: (declared: Database) => Promise<T>,
): Promise<T> {
  return withMade(cluster, `${NAME}_declared`, work, async (database) => {
    await prepareProject(database, config, [], { fresh: true });
    await applySchemaFiles(database, config);
  });
}

async function withMade<T>(
  cluster: ClusterClient,
  name: string,
  work: (database: Database) => Promise<T>,
  fill: (database: Database) => Promise<void>,
): Promise<T> {
  const base = await ensureBase(cluster);
  await dropDatabase(cluster, name);
  try {
    await cloneScratch(cluster, base, name);
    const database = cluster.database(name);
    await fill(database);
    return await work(database);
  } finally {
    await dropDatabase(cluster, name);
  }
}

/** The statements that make `from` equal to `to`, for people to read: `completeDiff` has tried them. Only reads. @throws DiffImpossible */
export async function schemaDiff(
  from: Database,
  to: Database | RemoteDatabase,
  options: DiffOptions = {},
): Promise<SchemaDiff> {
  return withCompared([from, to], options.schemas, (made, wanted) => difference(made, wanted, options));
}

/** `schemaDiff` there and back, with each database read once. */
export async function bothDiffs(
  one: Database,
  other: Database,
  options: DiffOptions = {},
): Promise<{ there: SchemaDiff; back: SchemaDiff }> {
  return withCompared([one, other], options.schemas, async (made, wanted) => ({
    there: await difference(made, wanted, options),
    back: await difference(wanted, made, options),
  }));
}

async function difference(
  from: ComparedDatabase,
  to: ComparedDatabase,
  options: DiffOptions,
): Promise<SchemaDiff> {
  const [made, wanted] = [await from.shape(), await to.shape()];
  const { early, late } = changedObjects(made.others, wanted.others, made);
  const diff = await deltaDiff(from, to, options);
  const parts = [early.join("\n\n"), ...diff.parts, late.join("\n\n")].filter((part) => part !== "");
  return { ...diff, parts, sql: parts.join("\n\n") };
}

/** The statements for the kinds of objects that pg-delta compares. */
async function deltaDiff(
  from: ComparedDatabase,
  to: ComparedDatabase,
  { schemas, majorVersion = 17 }: DiffOptions = {},
): Promise<SchemaDiff> {
  const delta = await import("@supabase/pg-delta");
  const { plan, renderPlanFiles, resolveProfile, supabasePolicy, supabaseProfile } = delta;
  const [source, desired] = [from.pool, to.pool];
  const packages = await readPackages(desired);
  const systemSchemas = supabasePolicy.assumedSchemas ?? [];
  const own = await readOwnSchemas(desired, systemSchemas);
  const needed = schemas ? await readNeededExtensions(desired, schemas) : [];
  const profile = await resolveProfile(source, {
    ...supabaseProfile,
    policy: {
      ...supabasePolicy,
      assumedSchemas: systemSchemas.filter((name) => !own.includes(name)),
      // A choice of schemas leaves out the roles themselves, and what is granted to them stays.
      assumedRoles: [
        ...(supabasePolicy.assumedRoles ?? []),
        ...(schemas ? await readRoles([source, desired]) : []),
      ],
      // Policies on the services' tables belong to the project.
      filter: [
        RIGHTS_OF_LOGINS,
        ...(schemas ? [newExtensions(needed)] : []),
        ...(schemas ? [onlySchemas([...schemas])] : []),
        { match: { any: inside(own) }, action: "include" },
        ...NO_LOGIN_ROLES,
        QUEUES_OF_THE_API,
        { match: { all: [{ kind: "policy" }, { schema: SERVICE_SCHEMAS }] }, action: "include" },
        // Projects of earlier years made functions there, which their policies call. The platform's are in both.
        {
          match: { all: [{ kind: "function" }, { schema: "auth" }, { verb: "add" }] },
          action: "include",
        },
        { match: { all: [{ kind: "extension" }, { name: packages.names }] }, action: "exclude" },
        {
          match: { all: [{ kind: "defaultPrivilege" }, { schema: packages.schemas }] },
          action: "exclude",
        },
        { match: { target: { kind: "schema", name: packages.schemas } }, action: "exclude" },
        ...(supabasePolicy.filter ?? []),
      ],
    },
  });
  const [before, after] = await Promise.all([from.extracted(profile), to.extracted(profile)]);
  const [had, has] = await Promise.all([readOwnGrants(source), readOwnGrants(desired)]);
  const given = withoutImplied(delta, before.factBase, after.factBase, had, majorVersion);
  const whole = withoutImplied(delta, after.factBase, before.factBase, has, majorVersion);
  const wanted = withSamePrint(delta, whole, given);
  const notCompared = [...new Set(after.diagnostics.filter(isLeftOut).map(leftOut))];
  // A plan of equal databases states nothing, and takes most of a comparison's time. Jobs without a name have no fingerprint.
  if (given.rootHash === wanted.rootHash && !wanted.diagnostics.some(({ code }) => code === NAMELESS_JOB))
    return { sql: "", parts: [], destructive: false, notCompared };
  const [earlier, later] = [withCollations(delta, given, wanted), withCollations(delta, wanted, given)];
  const made = planned(schemas !== undefined, () =>
    plan(earlier, withColumnOrder(delta, earlier, later), { ...profile.planOptions, renames: "off" }),
  );
  const assignments = await readAssignments(source);
  const { actions, loses } = withKeptValues(delta, made.actions, earlier, { assignments, majorVersion });
  const [parents, unpopulated] = [await readParents(desired), await readUnpopulated(desired)];
  const [children, reordered] = [await readChildren(desired), await readReordered(desired)];
  const rendered = whereMissing(actions, await readInCatalogue(desired));
  const { files } = renderPlanFiles({ ...made, actions: rendered }, { allowDrops: true });
  const parts: string[] = [];
  for (const { contents } of files) {
    const text = withParents(onlyParents(contents.replace(MARK, "").trim(), parents), children);
    const ordered = withOwnOrder(restorable(withNoData(text, unpopulated)), reordered);
    parts.push(await withRightToOwn(desired, ordered));
  }
  return {
    sql: parts.join("\n\n"),
    parts,
    destructive: loses || actions.some(({ dataLoss }) => dataLoss === "destructive"),
    notCompared,
  };
}

/** All rights on a table: of Postgres 17, and of the versions before it. */
const ALL_RIGHTS =
  /\bDELETE, INSERT, (?:MAINTAIN, )?REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE(?= ON TABLES?\b)/g;
const BODIES_UNCHECKED = /^set(?: local)? check_function_bodies = off;$/im;

/**
 * A part as any program can run it, statement by statement: SET LOCAL does nothing outside of a transaction, and a server
 * of another version has other rights on a table.
 */
function restorable(sql: string): string {
  const text = sql.replace(ALL_RIGHTS, "ALL");
  if (!BODIES_UNCHECKED.test(text)) return text;
  return `${text.replace(BODIES_UNCHECKED, "SET check_function_bodies = off;")}\n\nRESET check_function_bodies;`;
}

/** A difference that was tried. */
export interface CompleteDiff extends SchemaDiff {
  /** The differences that remain after its statements; empty when they make the same schema. */
  missing: string;
  /** Tables whose columns end up in another order than the other database's. */
  order: OrderDifferences;
  /** What the other database has and the statements do not make. */
  notStated: NotStated[];
}

/** Default privileges act on what the first pass creates, so rights are right after the second. */
const PASSES = 3;

/**
 * As `schemaDiff`, with the statements run on `shadow`, and what was still missing then added.
 * @param shadow the database that is changed, usually a throwaway one.
 * @throws ProjectFileError when it refuses a statement.
 */
export async function completeDiff(
  shadow: Database,
  desired: Database | RemoteDatabase,
  options: DiffOptions = {},
): Promise<CompleteDiff> {
  return withCompared([shadow, desired], options.schemas, (made, wanted) =>
    triedDifference(shadow, made, wanted, options),
  );
}

async function triedDifference(
  shadow: Database,
  own: ComparedDatabase,
  desired: ComparedDatabase,
  options: DiffOptions,
): Promise<CompleteDiff> {
  const { schemas, first = [] } = options;
  const whole: SchemaDiff = { sql: "", parts: [], destructive: false, notCompared: [] };
  const [earlier, asked] = [await own.shape(), await desired.shape()];
  const run = async (sql: string) => {
    own.changed();
    await applyStatements(shadow, "(the difference)", sql);
  };
  const add = async (statements: readonly string[]) => {
    if (statements.length === 0) return;
    const sql = statements.join("\n\n");
    await run(sql);
    whole.parts.push([whole.parts.pop(), sql].filter(Boolean).join("\n\n"));
  };
  await add(first);
  await add(untyped(earlier, asked));
  await add(movedTables(earlier.tree, asked.tree, earlier.schemaNames));
  const { publicOwner } = asked;
  if (publicOwner !== earlier.publicOwner && (schemas?.includes("public") ?? true)) {
    await add([`ALTER SCHEMA "public" OWNER TO ${quote(publicOwner)};`]);
  }
  await add(changedObjects(earlier.others, asked.others, earlier).early);
  for (let pass = 1; ; pass += 1) {
    const diff = await deltaDiff(own, desired, options);
    whole.notCompared = diff.notCompared;
    if (diff.sql === "" || pass > PASSES) {
      const [made, wanted] = [await own.shape(), asked];
      const others = changedObjects(made.others, wanted.others, made);
      const absent = schemas ? [] : lacking(made.notStated, wanted.notStated);
      await add([
        ...absent.flatMap(({ create }) => create ?? []),
        ...changedSettings(made.settings, wanted.settings),
        ...renamedIndexes(made.partitionIndexes, wanted.partitionIndexes),
        ...changedGrants(made.identityGrants, wanted.identityGrants, made.columns),
        ...others.early,
        ...others.late,
        ...changedNotes(made.notes, wanted.notes),
      ]);
      const order = compareOrder(earlier.columns, made.columns, wanted.columns);
      const notStated = absent.filter(({ create }) => !create);
      return { ...whole, sql: whole.parts.join("\n\n"), missing: diff.sql, order, notStated };
    }
    diff.parts = diff.parts.map((part) => besideFunctions(part, earlier.others, asked.others));
    for (const part of diff.parts)
      await run(part).catch((error: Error) => {
        throw cannotRun(error, schemas !== undefined);
      });
    whole.destructive ||= diff.destructive && pass === 1;
    const last = whole.parts.pop();
    const [first = "", ...more] = diff.parts;
    // The later statements only change rights: they need no commit before them.
    whole.parts.push(...(last === undefined ? [first] : [`${last}\n\n${first}`]), ...more);
  }
}

/**
 * Whether the comparison's note is about an object that it leaves out. Others are about dependencies on the platform's
 * own objects, and the rights to server settings are the platform's too.
 */
function isLeftOut({ code, message }: { code: string; message: string }): boolean {
  return code === "unmodeled_kind" && !message.includes('"parameter ACL"') && !OTHER_KINDS.test(message);
}

async function readRoles(pools: readonly pg.Pool[]): Promise<string[]> {
  const found = await Promise.all(
    pools.map((pool) =>
      pool.query<{ name: string }>(
        `select rolname::text as name from pg_catalog.pg_roles where ${PROJECT_ROLES}`,
      ),
    ),
  );
  return found.flatMap(({ rows }) => rows.map(({ name }) => name));
}

/** pg-delta's note about objects that it leaves out: their number, their kind and one of them. */
const LEFT_OUT = /^(\d+) unmodeled "(.+)" objects? not managed by this engine \(e\.g\. (.+)\) — /;

function leftOut({ message }: { message: string }): string {
  const [, count, kind, one] = LEFT_OUT.exec(message) ?? [];
  if (count === undefined) return message;
  return count === "1" ? `the ${kind} ${one}` : `${count} of the kind ${kind}, e.g. ${one}`;
}
