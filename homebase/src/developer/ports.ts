/** Owns finding the process that listens on a port, and free ports; and the error for a port in use. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { basename } from "node:path";
import { UserError } from "../core/user-error.ts";

/** A port that the stack needs is in use. */
export class PortInUse extends UserError {
  readonly port: number;
  readonly purpose: string;
  readonly holder: string | undefined;
  constructor(port: number, purpose: string) {
    const holder = portHolder(port);
    super(
      `Port ${port} (${purpose}) is already in use by ${holder ?? "another process"}.\n` +
        "Stop it, or choose other ports: --port-offset 100 moves all of them, the project's configuration sets each.",
    );
    this.port = port;
    this.purpose = purpose;
    this.holder = holder;
  }
}

const FREE_PORT_ATTEMPTS = 10;

/**
 * Runs a function with a free port, and retries with another when it was taken meanwhile: any connection of
 * this machine may get it as its local port.
 * @param taken whether an error means that.
 * @param onRetry called with each lost port.
 */
export async function withFreePort<T>(
  work: (port: number) => Promise<T>,
  taken: (error: unknown) => boolean,
  onRetry: (port: number) => void = () => {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return await work(port);
    } catch (error) {
      if (!taken(error) || attempt === FREE_PORT_ATTEMPTS) throw error;
      onRetry(port);
    }
  }
}

/** Whether a TCP port of the loopback address is free. */
export function portFree(port: number, host = "127.0.0.1"): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** A free TCP port of the loopback address. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer().once("error", reject);
  probe.listen(0, "127.0.0.1", () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
  });
  return promise;
}

/** The process that listens on a port, as far as this user may see: "node (pid 4711) in /home/ana/app". */
export function portHolder(port: number): string | undefined {
  try {
    return process.platform === "linux" ? linuxHolder(port) : lsofHolder(port);
  } catch {
    return undefined;
  }
}

/** The process that listens on a port, with its command line. Linux only; undefined elsewhere. */
export function portHolderCommand(port: number): { pid: number; words: string[] } | undefined {
  try {
    const pid = process.platform === "linux" ? linuxHolderPid(port) : undefined;
    return pid === undefined ? undefined : { pid: Number(pid), words: commandLine(pid) };
  } catch {
    return undefined;
  }
}

const LISTEN = "0A";

function linuxHolder(port: number): string | undefined {
  const pid = linuxHolderPid(port);
  return pid === undefined ? undefined : describe(pid);
}

function linuxHolderPid(port: number): string | undefined {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const inodes = new Set<string>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of readFileSync(table, "utf8").split("\n").slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (local?.endsWith(suffix) && state === LISTEN && inode) inodes.add(`socket:[${inode}]`);
    }
  }
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    if (holdsSocket(pid, inodes)) return pid;
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
  // The command line is more specific than the thread's name, which is the same for all of Node.
  const words = commandLine(pid);
  const script = words.find(
    (word, at) =>
      at > 0 && /\.[cm]?[jt]s$/.test(word) && !/^(-r|--require|--import)$/.test(words[at - 1] ?? ""),
  );
  const name = [words[0] ?? "a process", ...(script ? [script] : [])].map((word) => basename(word)).join(" ");
  const folder = (() => {
    try {
      return ` in ${readlinkSync(`/proc/${pid}/cwd`)}`;
    } catch {
      return "";
    }
  })();
  return `${name} (pid ${pid})${folder}`;
}

function commandLine(pid: string): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean);
}

function lsofHolder(port: number): string | undefined {
  const text = execFileSync("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"], { encoding: "utf8" });
  const pid = /^p(\d+)$/m.exec(text)?.[1];
  const name = /^c(.+)$/m.exec(text)?.[1];
  return pid ? `${name ?? "a process"} (pid ${pid})` : undefined;
}
