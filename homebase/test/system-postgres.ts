/** Owns temporary clusters of a plain Postgres: one that this machine has installed, or any folder of programs. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { vi } from "vitest";
import { serverUser } from "../src/postgres/cluster/system-user.ts";

const ROOT = "/usr/lib/postgresql";

/** The folders of programs of the installed Postgres versions, the newest first; Debian's layout. */
export function systemPostgres(): { version: string; bin: string }[] {
  if (!existsSync(ROOT)) return [];
  return readdirSync(ROOT)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => ({ version, bin: join(ROOT, version, "bin") }))
    .filter(({ bin }) => existsSync(join(bin, "initdb")));
}

/** That of the newest one that has the extension. */
export function systemPostgresWith(extension: string): string | undefined {
  return systemPostgres().find(({ version }) =>
    existsSync(`/usr/share/postgresql/${version}/extension/${extension}.control`),
  )?.bin;
}

/** Starts it on a port, without fsync, and runs SQL as its superuser. @returns what stops and removes it. */
export async function startSystemPostgres(
  bin: string,
  port: number,
  sql: string,
): Promise<() => Promise<void>> {
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), "homebase-system-postgres-"));
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  execFileSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
    {
      ...user,
      stdio: "ignore",
    },
  );
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-p", `${port}`, "-k", folder, "-c", "fsync=off", "-c", "listen_addresses=127.0.0.1"],
    { ...user, stdio: "ignore" },
  );
  const ended = once(server, "exit");
  const admin = await vi.waitFor(
    async () => {
      const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
      await client.connect();
      return client;
    },
    { timeout: 30_000 },
  );
  await admin.query(sql);
  await admin.end();
  return async () => {
    // A fast shutdown.
    server.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}
