/**
 * Owns which ports the stacks of tests use: test files run at the same time, in several processes and perhaps
 * in several checkouts, and each stack needs a block of ports of its own.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { isAlive } from "../src/core/process-alive.ts";

/** Blocks above the ports that the system hands out by itself (to 60999 on Linux), up to the greatest offset. */
const FIRST_OFFSET = 6_690;
const LAST_OFFSET = 10_000;
const BLOCK = 10;
const BASE_PORT = 54_320;

/** Above the ids that Linux gives. */
const NOBODY = 2 ** 30;

/** The folder of all leases, in the system's temporary folder. */
export const PORT_LEASES = `homebase-test-ports-${userInfo().username}`;
const folder = join(tmpdir(), PORT_LEASES);
const leased: string[] = [];

process.on("exit", () => {
  for (const path of leased) rmSync(path, { force: true });
});

/**
 * A `--port-offset` whose block of ten ports no other test uses until this process ends.
 * @throws Error when all blocks are in use
 */
export function leasePorts(): number {
  mkdirSync(folder, { recursive: true });
  const blocks = (LAST_OFFSET - FIRST_OFFSET) / BLOCK;
  const first = Math.floor(Math.random() * blocks);
  const inUse = portsInUse();
  for (let index = 0; index < blocks; index += 1) {
    const offset = FIRST_OFFSET + ((first + index) % blocks) * BLOCK;
    const ports = Array.from({ length: BLOCK }, (_, port) => BASE_PORT + offset + port);
    if (ports.some((port) => inUse.has(port))) continue;
    if (lock(join(folder, String(offset)))) return offset;
  }
  throw new Error(`All ports for tests are in use. Remove ${folder} if no test runs.`);
}

/** Creates a lock file, in place of one whose process has ended. @returns false when another holds it. */
function lock(path: string): boolean {
  if (create(path, String(process.pid))) {
    leased.push(path);
    return true;
  }
  // Several may find the same one abandoned: without this, one would remove what another has put in its place.
  const taking = `${path}.taking`;
  if (isHeld(path) || !create(taking, "")) return false;
  try {
    if (isHeld(path)) return false;
    rmSync(path, { force: true });
    const taken = create(path, String(process.pid));
    if (taken) leased.push(path);
    return taken;
  } finally {
    rmSync(taking, { force: true });
  }
}

/** @returns false when it is there already */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

/** Makes all free blocks those of a process that has ended without giving them back. */
export function abandonFree(): void {
  mkdirSync(folder, { recursive: true });
  for (let offset = FIRST_OFFSET; offset < LAST_OFFSET; offset += BLOCK) {
    create(join(folder, String(offset)), String(NOBODY));
  }
}

/** An empty file belongs to a process that is about to write its id. */
function isHeld(path: string): boolean {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return pid === 0 || isAlive(pid);
  } catch {
    return false;
  }
}

/** TCP ports of this machine that anything listens on or is connected from. Linux only; elsewhere none. */
function portsInUse(): Set<number> {
  const ports = new Set<number>();
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    let text: string;
    try {
      text = readFileSync(file, "utf8");
    } catch {
      continue;
    }
    for (const line of text.split("\n").slice(1)) {
      const port = line.trim().split(/\s+/)[1]?.split(":")[1];
      if (port) ports.add(Number.parseInt(port, 16));
    }
  }
  return ports;
}

/** The same for `homebase hosted`, whose ports are a thousand above a stack's. */
export function leaseHostedPorts(): number {
  return leasePorts() - 1_000;
}
