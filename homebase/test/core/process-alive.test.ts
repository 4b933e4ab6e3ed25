/** Whether a process runs: one that has ended and was not waited for does not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { isAlive } from "../../src/core/process-alive.ts";

test("this process runs, and one that has ended does not", async () => {
  expect(isAlive(process.pid)).toBe(true);
  const child = spawn("true");
  await once(child, "exit");
  expect(isAlive(child.pid ?? 0)).toBe(false);
});

test.skipIf(process.platform !== "linux")("a zombie does not run", async () => {
  // A `sleep` in the place of the shell does not wait for the child that the shell began, which ends later.
  const parent = spawn("/bin/sh", ["-c", "sleep 0.2 & echo $!; exec sleep 60"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const zombie = Number(String((await once(parent.stdout, "data"))[0]));
    await expect.poll(() => isAlive(zombie)).toBe(false);
    expect(existsSync(`/proc/${zombie}`)).toBe(true);
  } finally {
    parent.kill("SIGKILL");
  }
});
