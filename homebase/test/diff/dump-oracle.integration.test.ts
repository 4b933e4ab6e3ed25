/**
 * A database and what its dump restores are the same for Postgres's own pg_dump, byte by byte. Runs with
 * HOMEBASE_PG_DUMP set to a folder, which gets Debian's pg_dump 17 (DUMP_SCHEMAS: how many schemas, default 100).
 */
import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import type { NotStated } from "../../src/diff/not-stated.ts";
import { completeDiff } from "../../src/diff/schema-diff.ts";
import type { Database } from "../../src/postgres/database.ts";
import { readMigrations } from "../../src/postgres/files/project-files.ts";
import { applyStatements, written } from "../../src/postgres/migrations.ts";
import { createBackend } from "../../src/testing/index.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { withShadow } from "../../src/tools/shadow.ts";
import { Project } from "../cli/project.ts";
import { schemaOf } from "./dump-corpus.ts";
import { type PgDumpTarget, pgDump } from "./pg-dump.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });
const folder = process.env.HOMEBASE_PG_DUMP;
const PROJECTS = join(import.meta.dirname, "../projects");
const fixtures = readdirSync(PROJECTS, { withFileTypes: true })
  .filter((one) => one.isDirectory())
  .map(({ name }) => name);
const generated = Math.max(0, Number(process.env.DUMP_SCHEMAS ?? 100) - fixtures.length - 1);

describe.skipIf(folder === undefined)("pg_dump's view of what a dump restores", () => {
  const project = new Project();
  let dump: ReturnType<typeof pgDump>;
  beforeAll(() => {
    dump = pgDump(folder ?? "");
  });
  afterAll(() => project.remove());

  const schemaIn = (database: Database) =>
    dump(database.connection("supabase_admin") as unknown as PgDumpTarget);

  /** Two databases, and what the dump says that it does not have. */
  async function restored(source: Database, shadow: Database, target: Database) {
    const { sql, missing, order, notCompared, notStated } = await completeDiff(shadow, source);
    expect({ missing, order }).toEqual({ missing: "", order: { created: [], altered: [] } });
    await applyStatements(target, "dump.sql", sql);
    return { wanted: schemaIn(source), made: schemaIn(target), notCompared, notStated };
  }

  test.each(fixtures)("the project %s", async (name) => {
    const [file = ""] = globSync("**/supabase/config.toml", { cwd: join(PROJECTS, name) });
    const config = loadConfig({ named: join(PROJECTS, name, dirname(dirname(file))) });
    const cluster = await testCluster(config.projectFolder);
    // As `homebase db dump` makes it: of the project's settings, without its migrations.
    const empty = <T>(label: string, work: (database: Database) => Promise<T>) =>
      withShadow(cluster, config, label, [], work);
    const all = written(readMigrations(config));
    const result = await withShadow(cluster, config, "oracle", all, (source) =>
      empty("oracle_shadow", (shadow) =>
        empty("oracle_restored", (target) => restored(source, shadow, target)),
      ),
    );
    expect(unexplained(result.wanted, result.made, result)).toEqual([]);
  });

  async function same(sql: string): Promise<void> {
    const begin = () => createBackend({ projectFolder: project.folder, bare: true });
    const [source, shadow, target] = [await begin(), await begin(), await begin()];
    try {
      await applyStatements(source.database, "given.sql", sql);
      const { wanted, made } = await restored(source.database, shadow.database, target.database);
      expect(made).toBe(wanted);
    } finally {
      for (const one of [source, shadow, target]) await one.drop();
    }
  }

  test("a schema with every kind of type and function", () =>
    same(readFileSync(join(import.meta.dirname, "../cli/database/zoo.sql"), "utf8")));

  test("a schema with the rarer kinds of objects and settings", () =>
    same(readFileSync(join(import.meta.dirname, "kinds.sql"), "utf8")));

  test.each(Array.from({ length: generated }, (_, at) => at))("the generated schema %i", (seed) =>
    same(schemaOf(seed)),
  );
});

interface Section {
  name: string;
  type: string;
  schema: string;
  text: string;
}

/** The parts of a dump: each begins with a comment that names its object. */
function sectionsOf(dump: string): Section[] {
  return dump.split(/^--\n(?=-- Name: )/m).map((text) => {
    const [, name = "", type = "", schema = ""] =
      /^-- Name: (.*); Type: (.*); Schema: (.*); Owner: /.exec(text) ?? [];
    // The order of grants is that in which they were given.
    const lines = type === "ACL" ? text.split("\n").sort().join("\n") : text;
    return { name, type, schema, text: lines };
  });
}

/** The platform's schemas: what a dump has of them is the project's policies, triggers and functions. */
const PLATFORM = new Set(["auth", "cron", "extensions", "graphql", "pgmq", "storage"]);

/** The schemas that the test helpers of database.dev make. */
const PACKAGE_SCHEMAS = /\b(tests|test_overrides)\b/;

/** The parts in which two dumps differ, but for those that the difference names, and the platform's own. */
function unexplained(
  wanted: string,
  made: string,
  { notCompared, notStated }: { notCompared: readonly string[]; notStated: readonly NotStated[] },
): string[] {
  const sections = (dump: string) => new Map(sectionsOf(dump).map((one) => [one.text.trim(), one]));
  const [left, right] = [sections(wanted), sections(made)];
  const named = (kind: NotStated["kind"], name = "") =>
    notStated.some((one) => one.kind === kind && one.text.includes(name));
  const explained = ({ name, type, schema }: Section) =>
    // The settings of the database follow its creation.
    (type === "DATABASE PROPERTIES" && named("setting")) ||
    // Hosted's pg_cron is in pg_catalog, whatever the schema that a project asked for.
    (type === "EXTENSION" && (named("extension", name) || name === "pg_cron")) ||
    (/^(CAST|OPERATOR|STATISTICS)$/.test(type) &&
      notCompared.some((one) => one.startsWith(`the ${type.toLowerCase()}`))) ||
    (type === "ACL" && PLATFORM.has(name.replace("SCHEMA ", ""))) ||
    (PLATFORM.has(schema) && !/^(FUNCTION|POLICY|ROW SECURITY|TRIGGER)$/.test(type)) ||
    // Where pg_tle keeps its extensions, which it alone installs.
    (schema === "pgtle" && named("extension")) ||
    (type.endsWith("ACL") && PACKAGE_SCHEMAS.test(`${name} ${schema}`) && named("extension", "basejump"));
  const only = (some: Map<string, Section>, others: Map<string, Section>, sign: string) =>
    [...some]
      .filter(([text, one]) => !others.has(text) && !explained(one))
      .map(([text]) => `${sign} ${text}`);
  return [...only(left, right, "-"), ...only(right, left, "+")];
}
