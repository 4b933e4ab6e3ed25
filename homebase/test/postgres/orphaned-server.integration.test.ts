/** A start on what a killed server left: processes that nobody waited for, ids that others have now. Linux only. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../../src/core/process-alive.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { serverUser } from "../../src/postgres/cluster/system-user.ts";
import { removeServerFolder } from "../cli/project.ts";

let project: string;
let clusters: Cluster[];
let strangers: ChildProcess[];
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "homebase-orphaned-"));
  clusters = [];
  strangers = [];
});
afterEach(async () => {
  for (const stranger of strangers) stranger.kill("SIGKILL");
  for (const cluster of clusters) await cluster.stop();
  removeServerFolder(project);
  rmSync(project, { recursive: true, force: true });
});

test.skipIf(process.platform !== "linux")("the server of the pid file is a zombie", async () => {
  const killed = await killedCluster();
  // A `sleep` in the place of the shell does not wait for the child that the shell began, which ends later.
  const parent = asServer("sleep 0.2 & echo $!; exec sleep 60");
  const zombie = Number(String((await once(parent.stdout ?? parent, "data"))[0]));
  await expect.poll(() => isAlive(zombie)).toBe(false);
  expect(existsSync(`/proc/${zombie}`)).toBe(true);
  name(killed, zombie);
  expect(await answer(await start())).toBe(1);
});

test.skipIf(process.platform !== "linux")("the id in the pid file is a stranger's now", async () => {
  const killed = await killedCluster();
  const stranger = asServer("exec sleep 60");
  name(killed, stranger.pid ?? 0);
  expect(await answer(await start())).toBe(1);
  expect(isAlive(stranger.pid ?? 0)).toBe(true);
});

test.skipIf(process.platform !== "linux")(
  "the pid file is cut, or gone, and the socket's lock is not",
  async () => {
    for (const content of [undefined, (pid: number) => `${pid}\n`]) {
      const killed = await killedCluster();
      const stranger = asServer("exec sleep 60");
      name(killed, stranger.pid ?? 0);
      const file = join(killed.folder, "postmaster.pid");
      if (content) writeFileSync(file, content(stranger.pid ?? 0));
      else rmSync(file);
      expect(await answer(await start())).toBe(1);
      await clusters.pop()?.stop();
    }
  },
);

test.skipIf(process.platform !== "linux")(
  "a start waits while children of the killed server run",
  async () => {
    const killed = await killedCluster((pids) => {
      // One that cannot notice that its server is gone.
      process.kill(pids[0] ?? 0, "SIGSTOP");
      return pids.slice(1);
    });
    name(killed, asServer("exec sleep 60").pid ?? 0);
    const starting = start();
    await expect(
      Promise.race([starting, new Promise((resolve) => setTimeout(resolve, 500, "waits"))]),
    ).resolves.toBe("waits");
    expect(existsSync(join(killed.folder, "postmaster.pid"))).toBe(true);
    process.kill(killed.left[0] ?? 0, "SIGKILL");
    expect(await answer(await starting)).toBe(1);
  },
);

test.skipIf(process.platform !== "linux")(
  "a child of the killed server that never ends is killed, and a shell in the folder is not",
  async () => {
    // As one that waits for a lock of another killed child.
    const { folder, left } = await killedCluster((pids) => {
      process.kill(pids[0] ?? 0, "SIGSTOP");
      return pids.slice(1);
    });
    const shell = asServer(`cd ${folder} && sleep 3`);
    expect(left.map(isAlive)).toEqual([true]);
    expect(await answer(await start())).toBe(1);
    expect(left.map(isAlive)).toEqual([false]);
    expect([shell.signalCode, shell.exitCode]).toEqual([null, 0]);
  },
);

test.skipIf(process.platform !== "linux")(
  "a server that was killed beside such a child is restarted by its stack",
  async () => {
    const cluster = await start();
    const [postmaster = 0] = pidFile(cluster.folder).map(Number);
    const [stopped = 0, ...others] = childrenOf(postmaster);
    process.kill(stopped, "SIGSTOP");
    killAll([postmaster, ...others]);
    await expect.poll(() => isAlive(postmaster)).toBe(false);
    await cluster.restart();
    expect(await answer(cluster)).toBe(1);
    expect(isAlive(stopped)).toBe(false);
  },
);

async function start(): Promise<Cluster> {
  const cluster = await Cluster.start({ projectFolder: project, port: undefined, durable: true });
  clusters.push(cluster);
  return cluster;
}

/** A cluster whose server was killed with those of its children that `which` gives. */
async function killedCluster(
  which = (children: number[]) => children,
): Promise<{ folder: string; left: number[] }> {
  const { folder } = await start();
  clusters.pop();
  const postmaster = Number(pidFile(folder)[0]);
  const children = childrenOf(postmaster);
  const killed = which(children);
  killAll([postmaster, ...killed]);
  await expect.poll(() => [postmaster, ...killed].filter(isAlive)).toEqual([]);
  return { folder, left: children.filter((pid) => !killed.includes(pid)) };
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGKILL");
    } catch (error) {
      // A child may notice that its server is gone before its turn comes.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}

function pidFile(folder: string): string[] {
  return readFileSync(join(folder, "postmaster.pid"), "utf8").split("\n");
}

/** Has the lock files of a killed server name another process. */
function name({ folder }: { folder: string }, pid: number): void {
  const [, , , , socketFolder = ""] = pidFile(folder);
  const locks = readdirSync(socketFolder).filter((file) => file.endsWith(".lock"));
  expect(locks).toHaveLength(1);
  for (const path of [join(folder, "postmaster.pid"), ...locks.map((file) => join(socketFolder, file))]) {
    const [, ...rest] = readFileSync(path, "utf8").split("\n");
    writeFileSync(path, [String(pid), ...rest].join("\n"));
  }
}

/** A shell of the user that Postgres runs as: Postgres takes no other's process for its own. */
function asServer(script: string): ChildProcess {
  const user = serverUser();
  const child = spawn("/bin/sh", ["-c", script], {
    cwd: "/",
    stdio: ["ignore", "pipe", "ignore"],
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
  });
  strangers.push(child);
  return child;
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => {
      try {
        return readFileSync(`/proc/${entry}/status`, "utf8").includes(`\nPPid:\t${parent}\n`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

async function answer(cluster: Cluster): Promise<unknown> {
  return cluster.admin(async (client) => (await client.query("select 1 as one")).rows[0]?.one);
}
