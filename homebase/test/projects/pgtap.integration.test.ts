/**
 * Owns running the pgTAP files of each folder: they pass, and fail when the schema has one of the folder's mistakes.
 * HOMEBASE_PROJECTS=whole tries every mistake, and starts and tests every folder by the command.
 */
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { type Config, loadConfig } from "../../src/config/config.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { cloneDatabase, dropDatabase } from "../../src/postgres/cluster/copies.ts";
import { ensureTemplate } from "../../src/postgres/cluster/template-databases.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";
import { withClient } from "../../src/tools/command-connection.ts";
import { findTapFiles } from "../../src/tools/tap/pgtap-files.ts";
import { type FileOutcome, runInClones } from "../../src/tools/tap/run-pgtap.ts";
import { Project } from "../cli/project.ts";
import { folderOf, HERE, names } from "./folders.ts";

vi.setConfig({ testTimeout: 180_000 });

const WHOLE = process.env.HOMEBASE_PROJECTS === "whole";

/** Changes of a folder's schema, each of which its tests must notice: a line each. None of roles: the server has them once. */
const mistakesOf = (name: string) =>
  readFileSync(join(HERE, name, "mistakes.sql"), "utf8")
    .split("\n")
    .filter((line) => line !== "");

const filesOf = (config: Config) => findTapFiles(config, []);

/** What failed: assertions by their description, and errors. */
const failures = (outcomes: readonly FileOutcome[]) =>
  outcomes.flatMap(({ path, error, assertions }) => [
    ...assertions.filter(({ passed }) => !passed).map(({ description }) => `${path}: ${description}`),
    ...(error === undefined ? [] : [error]),
  ]);

/** Runs a folder's tests in copies of its database, with a mistake in it. */
async function withMistake(cluster: ClusterClient, template: string, config: Config, mistake: string) {
  const name = `mistake_${process.pid}`;
  await cloneDatabase(cluster, template, name);
  try {
    const connection = cluster.database(name).connection("postgres");
    await withClient({ connection, label: name }, (client) => client.query(mistake));
    return failures(await runInClones(cluster, name, filesOf(config)));
  } finally {
    await dropDatabase(cluster, name);
  }
}

test("there are twenty folders and more, each with tests and mistakes", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
});

test.each(names)("the tests of %s pass, and notice a mistake in the schema", async (name) => {
  const config = loadConfig({ named: folderOf(name) });
  const cluster = await testCluster(config.projectFolder);
  const template = await ensureTemplate(cluster, config);
  const outcomes = await runInClones(cluster, template, filesOf(config));
  expect(failures(outcomes)).toEqual([]);
  expect(outcomes.length).toBeGreaterThan(0);
  const mistakes = mistakesOf(name);
  expect(mistakes.length).toBeGreaterThan(1);
  for (const mistake of WHOLE ? mistakes : mistakes.slice(0, 1)) {
    expect(await withMistake(cluster, template, config, mistake), mistake).not.toEqual([]);
  }
});

/** Of the styles that differ most in where files are and what config.toml says. */
const PART = ["cli-2021", "cli-2026", "monorepo"];

test.each(WHOLE ? names : PART)("homebase start and homebase test db take %s as it is", async (name) => {
  const parent = mkdtempSync(join(tmpdir(), "homebase-project-"));
  const folder = join(parent, "app");
  cpSync(join(HERE, name), folder, { recursive: true });
  const project = new Project({}, folder);
  try {
    const { ready, output } = await project.tryStart();
    expect([ready, output]).toEqual([true, expect.not.stringMatching(/ready after .*, but/)]);
    const { code, stdout, stderr } = await project.run("test", "db", "--json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toMatchObject({ result: "PASS" });
  } finally {
    await project.remove();
  }
});
