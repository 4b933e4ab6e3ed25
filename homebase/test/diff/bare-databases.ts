/** Owns the bare databases that one test file compares: they are dropped after it. */
import { afterAll } from "vitest";
import type { Database } from "../../src/postgres/database.ts";
import { applyStatements } from "../../src/postgres/migrations.ts";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";
import { Project } from "../cli/project.ts";

/** @returns makes a database without the project's files, in which the statements have run. */
export function bareDatabases(): (sql?: string) => Promise<Database> {
  const project = new Project();
  const made: TestBackend[] = [];
  afterAll(async () => {
    for (const one of made) await one.drop();
    await project.remove();
  });
  return async (sql = "") => {
    const backend = await createBackend({ projectFolder: project.folder, bare: true });
    made.push(backend);
    if (sql !== "") await applyStatements(backend.database, "given.sql", sql);
    return backend.database;
  };
}
