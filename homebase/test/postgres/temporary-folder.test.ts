import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dataFolderName, removeLeftovers } from "../../src/postgres/cluster/temporary-folder.ts";

test("data that a killed run left is removed; that of running processes and of other containers stays", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  const killed = dataFolderName(child.pid ?? 0);
  const running = dataFolderName(process.pid);
  const elsewhere = killed.replace(/^\d+/, "1");
  const parent = mkdtempSync(join(tmpdir(), "homebase-leftovers-"));
  try {
    for (const name of [killed, `${killed}.new`, running, elsewhere, "anything"]) {
      mkdirSync(join(parent, name, "base"), { recursive: true });
    }
    removeLeftovers(parent);
    expect(readdirSync(parent).sort()).toEqual([running, elsewhere, "anything"].sort());
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
