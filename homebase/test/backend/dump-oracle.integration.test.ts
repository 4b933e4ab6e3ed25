/**
 * A database and what its dump restores are the same for Postgres's own pg_dump, byte by byte. Runs with
 * HOMEBASE_PG_DUMP set to a folder, which gets Debian's pg_dump 17 (DUMP_SCHEMAS: how many schemas, default 100).
 */
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { completeDiff } from "../../src/backend/schema-diff.ts";
import type { Database } from "../../src/postgres/database.ts";
import { applyStatements } from "../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
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

  async function same(source: TestBackend): Promise<void> {
    const empty = () => createBackend({ projectFolder: project.folder, bare: true });
    const [shadow, restored] = [await empty(), await empty()];
    try {
      const { sql, missing, order } = await completeDiff(shadow.database, source.database);
      expect({ missing, order }).toEqual({ missing: "", order: { created: [], altered: [] } });
      await applyStatements(restored.database, "dump.sql", sql);
      expect(schemaIn(restored.database)).toBe(schemaIn(source.database));
    } finally {
      for (const one of [shadow, restored, source]) await one.drop();
    }
  }

  test.each(fixtures)("the project %s", async (name) => {
    const copy = new Project();
    try {
      cpSync(join(PROJECTS, name), copy.folder, { recursive: true });
      await same(await createBackend({ projectFolder: copy.folder }));
    } finally {
      await copy.remove();
    }
  });

  test("a schema with every kind of type and function", async () => {
    const source = await createBackend({ projectFolder: project.folder, bare: true });
    await source.sql(readFileSync(join(import.meta.dirname, "../cli/database/zoo.sql"), "utf8"));
    await same(source);
  });

  test.each(Array.from({ length: generated }, (_, at) => at))("the generated schema %i", async (seed) => {
    const source = await createBackend({ projectFolder: project.folder, bare: true });
    await source.sql(schemaOf(seed));
    await same(source);
  });
});
