/** Owns the question who holds a port, so that a taken one can be named with its holder, and one that nobody holds. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { basename } from "node:path";

/** Whether a TCP port of the loopback address can be listened on now. */
export function portFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A TCP port of the loopback address that nobody holds now. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once("error", reject);
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}

/** The process that listens on a port, as well as this user may know: "node (process 4711) in /home/ana/app". */
export function portHolder(port: number): string | undefined {
  try {
    return process.platform === "linux" ? linuxHolder(port) : lsofHolder(port);
  } catch {
    return undefined;
  }
}

const LISTEN = "0A";

function linuxHolder(port: number): string | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(suffix) && state === LISTEN && inode) inodes.add(`socket:[${inode}]`);
    }
  }
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (holdsSocket(pid, inodes)) return describe(pid);
  }
  return undefined;
}

function holdsSocket(pid: string, inodes: Set<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false; // Another user's process.
  }
}

function describe(pid: string): string {
  // The command line says more than the thread's name, which of Node is always the same.
  const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
  const script = words.slice(1).find((word) => /\.[cm]?[jt]s$/.test(word));
  const name = [words[0] ?? "a process", ...(script ? [script] : [])].map((word) => basename(word)).join(" ");
  const folder = (() => {
    try {
      return ` in ${readlinkSync(`/proc/${pid}/cwd`)}`;
    } catch {
      return "";
    }
  })();
  return `${name} (process ${pid})${folder}`;
}

function lsofHolder(port: number): string | undefined {
  const text = execFileSync("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"], { encoding: "utf8" });
  const pid = /^p(\d+)$/m.exec(text)?.[1];
  const name = /^c(.+)$/m.exec(text)?.[1];
  return pid ? `${name ?? "a process"} (process ${pid})` : undefined;
}
