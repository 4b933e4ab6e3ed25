/**
 * Owns a cluster's processes and address without Unix sockets, signals and a shell, as Windows would need it
 * (docs/decisions/0041-windows.md): every session comes by TCP on 127.0.0.1 with a password, a process of Node watches
 * over the server, and `pg_ctl` ends it.
 */
import { execFile, spawn } from "node:child_process";
import { chmodSync, chownSync, copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../src/postgres/cluster/binaries.ts";
import type { Ending, ServerPlace, ServerPlatform } from "../../src/postgres/cluster/platform.ts";
import type { ServerUser } from "../../src/postgres/cluster/system-user.ts";

/** Physical replication is closed, as over the socket; logical replication connects to a database. */
const RULES = `host replication all all reject
host all all 127.0.0.1/32 scram-sha-256
`;

const SIGNALS: Record<Ending, string> = { fast: "INT", immediate: "QUIT", kill: "KILL" };

/** Runs as this process's own user: another one may not be able to run this Node. */
const WATCHER = `
const { execFileSync, spawn } = require("node:child_process");
const { postgres, args, pgCtl, account } = JSON.parse(process.argv[1]);
const server = spawn(postgres, args, { stdio: ["ignore", "ignore", "inherit"], ...account });
server.on("exit", (code) => process.exit(code ?? 1));
server.on("error", (error) => { console.error(error.message); process.exit(1); });
process.stdin.resume().on("end", () => {
  try { execFileSync(pgCtl, ["kill", "INT", String(server.pid)], { stdio: "ignore", ...account }); } catch {}
});`;

export const tcpPlatform: ServerPlatform = {
  tcp: true,
  listening: () => ({ unix_socket_directories: "", listen_addresses: "127.0.0.1" }),
  rules: RULES,
  spawn(place, postgres, args, options) {
    const setup = { postgres, args, pgCtl: pgCtl(place), account: accountOf(place.user) };
    return spawn(process.execPath, ["-e", WATCHER, JSON.stringify(setup)], options);
  },
  // It fails when the process has already exited.
  end: (place, pid, ending) =>
    execute(pgCtl(place), ["kill", SIGNALS[ending], String(pid)], place.user).catch(() => {}),
};

function accountOf(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid, gid: user.gid } : {};
}

/** The program, where the server's account can run it: it refuses to run as root. */
function pgCtl({ socketFolder, user }: ServerPlace): string {
  const path = join(socketFolder, "pg_ctl");
  if (existsSync(path)) return path;
  copyFileSync(join(packageFolder(), "native", "bin", "pg_ctl"), path);
  chmodSync(path, 0o755);
  if (user) chownSync(path, user.uid, user.gid);
  return path;
}

/** Runs a program until it exits. */
function execute(program: string, args: readonly string[], user: ServerUser | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { cwd: "/", env: { PATH: process.env.PATH, TZ: "UTC", LANG: "C" }, ...accountOf(user) };
    execFile(program, args, options, (error) => (error ? reject(error) : resolve()));
  });
}
