/** Tests that each stack of the tests has ports of its own. */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { abandonFree, leasePorts } from "./port-lease.ts";

test("no two get the same block, in this process or another, also of abandoned ones, and every port of it exists", async () => {
  abandonFree();
  const script = `const { leasePorts } = await import(${JSON.stringify(join(import.meta.dirname, "port-lease.ts"))});
    console.log(JSON.stringify(Array.from({ length: 20 }, () => leasePorts())));
    process.stdin.resume();`;
  const others = [0, 1].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  try {
    const theirs = await Promise.all(
      others.map(
        (other) =>
          new Promise<number[]>((resolve) =>
            other.stdout.once("data", (text) => resolve(JSON.parse(String(text)))),
          ),
      ),
    );
    const all = [...theirs.flat(), ...Array.from({ length: 20 }, () => leasePorts())];
    expect(new Set(all).size).toBe(60);
    expect(Math.min(...all) + 54_320).toBeGreaterThan(60_999);
    expect(Math.max(...all) + 54_329).toBeLessThan(65_536);
  } finally {
    for (const other of others) other.kill("SIGKILL");
  }
});

test("a block of which a port is in use is passed over", async () => {
  const offset = leasePorts();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(54_325 + offset, "127.0.0.1", resolve));
  try {
    const others = Array.from({ length: 50 }, () => leasePorts());
    expect(others).not.toContain(offset);
  } finally {
    server.close();
  }
});
