/** The advisors' finding of a replication slot whose log is lost, on a server of its own that keeps little of it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { createFromBase } from "../../src/postgres/cluster/template-databases.ts";
import { advise, hostedForm } from "../../src/tools/checks/advisors.ts";
import { removeServerFolder } from "../cli/project.ts";

test("a slot that nobody reads is named once its log is lost, and not before", async () => {
  const projectFolder = mkdtempSync(join(tmpdir(), "homebase-slot-"));
  const settings = { max_slot_wal_keep_size: "1MB" };
  const cluster = await Cluster.start({ projectFolder, port: undefined, durable: false, settings });
  onTestFinished(async () => {
    await cluster.stop();
    removeServerFolder(projectFolder);
    rmSync(projectFolder, { recursive: true });
  });
  await createFromBase(cluster, "advised");
  const admin = (sql: string) => cluster.admin((client) => client.query(sql), "advised");
  const found = async () =>
    (await cluster.asProject((client) => advise(client, ["public"]), "advised"))
      .filter(({ name }) => name === "unused_replication_slot")
      .map(hostedForm);

  await admin("select pg_create_logical_replication_slot('left', 'pgoutput')");
  expect(await found()).toEqual([]);
  // Several segments of the log, after the one in which the slot began.
  await admin("select pg_logical_emit_message(false, '', repeat('x', 1000000)) from generate_series(1, 64)");
  await admin("checkpoint");
  expect(await found()).toEqual([
    {
      name: "unused_replication_slot",
      title: "Unused Replication Slot",
      level: "ERROR",
      facing: "EXTERNAL",
      categories: ["PERFORMANCE"],
      description: expect.any(String),
      detail: expect.stringContaining("`left (lost)`"),
      remediation: expect.stringMatching(/lint=0031_unused_replication_slot$/),
      metadata: {
        entity: "left",
        type: "replication_slot",
        slot_type: "logical",
        wal_status: "lost",
        plugin: "pgoutput",
        database: "advised",
      },
      cache_key: "unused_replication_slot_left_lost",
    },
  ]);
}, 120_000);
