/** Owns a temporary cluster of a Postgres that this machine has installed, of whichever version, with an extension. */
import { execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { serverUser } from "../../../src/postgres/cluster/user.ts";

const ROOT = "/usr/lib/postgresql";

/** The folder of programs of the newest installed Postgres that has the extension; Debian's layout. */
export function systemPostgresWith(extension: string): string | undefined {
  if (!existsSync(ROOT)) return undefined;
  return readdirSync(ROOT)
    .sort((left, right) => Number(right) - Number(left))
    .filter((version) => existsSync(`/usr/share/postgresql/${version}/extension/${extension}.control`))
    .map((version) => join(ROOT, version, "bin"))
    .find((bin) => existsSync(join(bin, "initdb")));
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
  const control = (...args: string[]) =>
    execFileSync(join(bin, "pg_ctl"), ["-D", data, "-w", ...args], { ...user, stdio: "ignore" });
  control("-o", `-p ${port} -k ${folder} -c fsync=off -c listen_addresses=127.0.0.1`, "start");
  const admin = new pg.Client({ host: "127.0.0.1", port, user: "postgres", database: "postgres" });
  await admin.connect();
  await admin.query(sql);
  await admin.end();
  return () => {
    control("-m", "fast", "stop");
    rmSync(folder, { recursive: true, force: true });
    return Promise.resolve();
  };
}
