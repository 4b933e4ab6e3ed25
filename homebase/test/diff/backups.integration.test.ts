/**
 * A dump is a backup: run statement by statement, without a transaction, by a project that has never seen this config or
 * its roles.sql, it makes the same database and says nothing. The same schemas go through `-s`, diff, pull, squash and reset.
 * With HOMEBASE_PG_DUMP set to a folder, which gets Debian's programs, psql restores and pg_dump compares.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { bothDiffs, schemaDiff } from "../../src/diff/schema-diff.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureBase, prepareProject } from "../../src/postgres/cluster/template-databases.ts";
import type { Database } from "../../src/postgres/database.ts";
import { readMigrations } from "../../src/postgres/files/project-files.ts";
import { PROJECT_ROLES } from "../../src/postgres/project-roles.ts";
import { splitStatements } from "../../src/postgres/statements/split.ts";
import type { Target } from "../../src/tools/command-connection.ts";
import { withClient } from "../../src/tools/command-connection.ts";
import { dumpRoles } from "../../src/tools/dump/role-statements.ts";
import { dumpSchema } from "../../src/tools/dump/schema-statements.ts";
import { squash } from "../../src/tools/history/squash.ts";
import { schemaSteps } from "../../src/tools/schema-steps.ts";
import { projectWith } from "../background/project.ts";
import { writeFiles } from "../for-this-file.ts";
import { describeDatabase } from "../postgres/catalog.ts";
import { BACKUPS, type Backup } from "./backup-corpus.ts";
import { type PgDumpTarget, pgDump, psql } from "./pg-dump.ts";

// Each schema is compared a dozen times.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const config = loadConfig({ named: projectWith(""), environment: {} });

/** Servers of their own: of the project, of the commands, and of whoever restores the backup. */
let own: Cluster;
let tool: Cluster;
let other: Cluster;
const start = () => Cluster.start({ projectFolder: config.projectFolder, port: undefined, durable: false });
beforeAll(async () => {
  own = await start();
  tool = await start();
  other = await start();
});
afterAll(() => Promise.all([own, tool, other].map((one) => one.stop())));

/** Roles belong to a whole server, and would be known to the next schema's. */
afterEach(async () => {
  for (const cluster of [own, tool, other]) {
    const databases = cluster === other ? ["postgres", "some_schemas", "reset", "squashed"] : ["postgres"];
    for (const name of databases) await dropDatabase(cluster, name);
    await dropRoles(cluster);
  }
});

async function bare(cluster: Cluster, name = "postgres"): Promise<Database> {
  await cloneDatabase(cluster, await ensureBase(cluster), name);
  return cluster.database(name);
}

const targetOf = (database: Database): Target => ({
  connection: database.connection("postgres"),
  label: database.name,
});

const remote = (database: Database) => ({
  connection: database.connection("postgres"),
  prepare: async () => {},
});

/** The dump of a server, whose roles the next one must not find. */
async function dumped(from: Database, schemas?: string[]): ReturnType<typeof dumpSchema> {
  try {
    return await dumpSchema(tool, config, remote(from), schemas);
  } finally {
    await dropRoles(tool);
  }
}

async function dropRoles(cluster: Cluster): Promise<void> {
  await cluster.admin(async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select rolname as name from pg_roles where ${PROJECT_ROLES}`,
    );
    for (const { name } of rows) await client.query(`drop role ${client.escapeIdentifier(name)}`);
  });
}

/** What a database has, without the history of migrations. Rights are the same in any order, and an owner's own by default. */
async function described(cluster: Cluster, database: Database): Promise<string[]> {
  const rights = (line: string, list: string) => {
    const given = list
      .replace(/[{}]/g, "")
      .split(",")
      .filter((one) => one !== "");
    const others = given.filter((one) => !/^postgres=(arwdDxtm|rwU|X)\/postgres$/.test(one)).sort();
    if (given.length === 0 && line.startsWith("function")) return "acl =X/postgres";
    return `acl ${others.join(",")}`;
  };
  const lines = await describeDatabase(cluster, database.name);
  return lines
    .filter((line) => !line.includes("supabase_migrations"))
    .map((line) => line.replace(/acl (\{\S*\}|)(?= rls|$)/, (_, list: string) => rights(line, list)))
    .sort();
}

const asTarget = (database: Database, role: "postgres" | "supabase_admin") =>
  database.connection(role) as unknown as PgDumpTarget;
const programs = process.env.HOMEBASE_PG_DUMP;

/** Runs each statement by itself, by psql where there is one. @returns what the server says besides */
async function restore(database: Database, sql: string): Promise<string[]> {
  if (programs !== undefined) {
    const file = join(config.projectFolder, "dump.sql");
    writeFileSync(file, sql);
    return psql(programs)(asTarget(database, "postgres"), file).split("\n").filter(Boolean);
  }
  const said: string[] = [];
  const client = new pg.Client(database.connection("postgres"));
  client.on("notice", ({ severity, message }) => said.push(`${severity}: ${message}`));
  await client.connect();
  try {
    for (const { text } of splitStatements(sql))
      await client.query(text).catch((error: Error) => {
        throw new Error(`${error.message}\n${text}`);
      });
  } finally {
    await client.end();
  }
  return said;
}

/** What pg_dump writes, in any order: rights are listed as they were given. */
const linesOf = (dump: string) => dump.split("\n").sort();

/** A folder of the schema's project. */
const folderOf = ({ roles, sql }: Backup) => {
  const folder = projectWith("", {
    "20260101000000_schema.sql": sql,
    "20260102000000_more.sql": "create table public.more ();",
  });
  if (roles) writeFiles(folder, { "supabase/roles.sql": roles });
  return folder;
};

test.each(BACKUPS)("$name", async (backup) => {
  const folder = folderOf(backup);
  const project = loadConfig({ named: folder, environment: {} });
  const source = await bare(own);
  await prepareProject(source, project, readMigrations(project), { fresh: true });

  const roles = await withClient(targetOf(source), dumpRoles);
  const { sql, missing, order, notCompared, destructive } = await dumped(source);
  expect({ missing, order, notCompared, destructive }).toEqual({
    missing: "",
    order: { created: [], altered: [] },
    notCompared: [],
    destructive: expect.any(Boolean),
  });
  expect(sql).not.toMatch(/CREATE ROLE|MAINTAIN/);

  const restored = await bare(other);
  expect(await restore(restored, roles)).toEqual([]);
  expect(await restore(restored, sql)).toEqual([]);
  expect(await described(other, restored)).toEqual(await described(own, source));
  if (programs !== undefined) {
    const [made, wanted] = [restored, source].map((one) =>
      linesOf(pgDump(programs)(asTarget(one, "supabase_admin"))),
    );
    expect(made).toEqual(wanted);
  }
  // A second pass finds nothing, in either direction, and dumps the same.
  expect((await dumped(restored)).sql).toBe(sql);
  expect(await bothDiffs(restored, source)).toMatchObject({ there: { sql: "" }, back: { sql: "" } });

  // Some schemas, into a project that has only the roles.
  const schemas = backup.schemas ?? ["public"];
  const some = await dumped(source, schemas);
  expect(some).toMatchObject({ missing: "", order: { created: [], altered: [] } });
  const partial = await bare(other, "some_schemas");
  expect(await restore(partial, some.sql)).toEqual([]);
  expect(await schemaDiff(partial, source, { schemas })).toMatchObject({ sql: "" });

  // The dump as a project's only migration, from which a pull finds nothing and whose reset gives the same.
  const copy = loadConfig({ named: projectWith("", { "20260101000000_dump.sql": sql }), environment: {} });
  if (roles) writeFiles(copy.projectFolder, { "supabase/roles.sql": roles });
  const reset = await bare(other, "reset");
  await prepareProject(reset, copy, readMigrations(copy), { fresh: true });
  expect(await described(other, reset)).toEqual(await described(own, source));
  const pulled = await schemaSteps(tool, copy, readMigrations(copy), remote(source));
  expect(pulled).toMatchObject({ sql: "", missing: "" });

  // Squashed, and applied to a new project.
  await squash(tool, project);
  const squashed = await bare(other, "squashed");
  expect(readMigrations(project)).toHaveLength(1);
  await prepareProject(squashed, project, readMigrations(project), { fresh: true });
  expect(await described(other, squashed)).toEqual(await described(own, source));
});
