/**
 * Postgres's socket: it gives superuser access, so only its owner may open it; and a TCP port in use is
 * distinguished from other failures.
 */
import { execFileSync } from "node:child_process";
import { lstatSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { ClusterError } from "../../src/postgres/cluster/server-process.ts";
import { testCluster } from "../../src/testing/shared-cluster.ts";

const PROJECT = join(import.meta.dirname, "..", "storage", "project");

test("only the server's user and root get to the socket", async () => {
  const { socketFolder } = (await testCluster(PROJECT)).address;
  expect(lstatSync(socketFolder).mode & 0o777).toBe(0o700);
  // Only its owner may list the folder above, or create files in it.
  expect(lstatSync(dirname(socketFolder)).mode & 0o066).toBe(0);
  expect(lstatSync(dirname(socketFolder)).uid).toBe(process.getuid?.());
  for (const name of readdirSync(socketFolder)) {
    if (name.startsWith(".s.") && !name.endsWith(".lock")) {
      expect(lstatSync(join(socketFolder, name)).mode & 0o077, name).toBe(0);
    }
  }
});

test.skipIf(process.getuid?.() !== 0 || process.platform !== "linux")(
  "another user of the machine cannot connect (needs root)",
  async () => {
    const { socketFolder, port } = (await testCluster(PROJECT)).address;
    // Neither root nor the server's user; the user changes inside the process, because others may not be able
    // to run this Node.
    const script = `process.setgroups([]); process.setgid(54321); process.setuid(54321);
      require("net").connect(${JSON.stringify(join(socketFolder, `.s.PGSQL.${port}`))})
      .on("connect", () => { console.log("connected"); process.exit() })
      .on("error", (error) => console.log(error.code))`;
    const said = execFileSync(process.execPath, ["-e", script], { cwd: "/", encoding: "utf8" });
    expect(said.trim()).toBe("EACCES");
  },
);

test("a TCP port that something else listens on is named in the error", async () => {
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, "127.0.0.1", resolve));
  const { port } = holder.address() as { port: number };
  const error = await Cluster.start({ projectFolder: PROJECT, port, durable: false }).catch(
    (thrown: unknown) => thrown,
  );
  holder.close();
  expect(error).toBeInstanceOf(ClusterError);
  expect((error as ClusterError).port).toBe(port);
}, 180_000);
