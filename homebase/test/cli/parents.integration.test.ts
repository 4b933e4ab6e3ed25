/**
 * The real `npm run dev`: whichever process of its tree is killed, and however, no process remains and the
 * next start works.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { leasePorts } from "../port-lease.ts";
import { NOTES_PROJECT } from "./notes-project.ts";
import { descendants, removeServerFolder } from "./project.ts";

const OFFSET = leasePorts();
const END_PATIENCE_MS = 40_000;
const PUBLISHABLE_KEY = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH";
const ROOT = join(import.meta.dirname, "..", "..", "..");

let running: ChildProcess | undefined;
let output = "";

/** A separate checkout with its own data: the real scripts, a small project. */
const folder = mkdtempSync(join(tmpdir(), "homebase-dev-"));
beforeAll(() => {
  // The app's development server imports modules of the functions.
  for (const name of ["scripts", "homebase", "web", "supabase/functions/_shared"]) {
    cpSync(join(ROOT, name), join(folder, name), {
      recursive: true,
      filter: (source) => !/\/(node_modules|\.homebase|dist|test)$/.test(source),
    });
  }
  for (const name of ["package.json", "package-lock.json", "tsconfig.json"])
    cpSync(join(ROOT, name), join(folder, name));
  // Linked entry by entry, and marked as installed: an `npm ci` here must never empty the real folder.
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (!name.startsWith(".installed"))
      symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  const lock = readFileSync(join(folder, "package-lock.json"));
  writeFileSync(
    join(folder, "node_modules", ".installed-lock"),
    createHash("sha256").update(lock).digest("hex"),
  );
  const files = {
    ...NOTES_PROJECT,
    "config.toml": 'project_id = "dev"\n',
    "functions/loop/index.ts": "Deno.serve(() => { for (;;); });\n",
  };
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, "supabase", path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
  }
});
afterAll(async () => {
  // Listed first: once npm has ended, its children are no longer found below it.
  const all = members();
  running?.kill("SIGTERM");
  await gone(all);
  removeServerFolder(folder);
  rmSync(folder, { recursive: true, force: true });
}, 300_000);

/** Starts it with npm. */
function launch(): ChildProcess {
  output = "";
  const child = spawn("npm", ["run", "dev", "--", "--port-offset", String(OFFSET)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  running = child;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return child;
}

/** Starts it, and resolves when it is ready. */
async function dev(): Promise<void> {
  const child = launch();
  await expect
    .poll(
      () => {
        if (child.exitCode !== null) throw new Error(`npm run dev ended:\n${output}`);
        return output;
      },
      { timeout: 60_000, interval: 50 },
    )
    .toContain("Nosh is ready");
}

/** All processes below npm, and npm. */
function members(): number[] {
  const npm = running?.pid;
  return npm === undefined ? [] : [npm, ...descendants(npm)];
}

/** The process of the tree whose command line contains this word. */
function member(word: RegExp): number {
  const found = members().find((pid) => word.test(commandLine(pid)));
  if (found === undefined) throw new Error(`No process of the tree matches ${word}`);
  return found;
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

/** Resolves when none of these processes is left. */
async function gone(pids: readonly number[]): Promise<void> {
  const deadline = Date.now() + END_PATIENCE_MS;
  for (;;) {
    const left = pids.filter((pid) => commandLine(pid) !== "").map((pid) => `${pid} ${commandLine(pid)}`);
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`These are left:\n${left.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const npm = () => running?.pid ?? 0;
const stack = () => member(/^\S*node .*homebase\.mjs start/);
const targets: [name: string, signal: NodeJS.Signals, find: () => number][] = [
  ["npm", "SIGKILL", npm],
  ["npm", "SIGTERM", npm],
  ["the bootstrap", "SIGKILL", () => member(/^\S*node \S*scripts\/bootstrap\.mjs dev/)],
  ["the dev script", "SIGKILL", () => member(/scripts\/dev\.ts/)],
  ["the stack", "SIGKILL", stack],
  ["the stack", "SIGTERM", stack],
];

test("another program that answers on the API's port is not taken for the stack of this checkout", async () => {
  const other = createServer((_request, response) => response.end()).listen(54_321 + OFFSET, "127.0.0.1");
  await once(other, "listening");
  try {
    const child = launch();
    const tree = members();
    expect(await once(child, "exit")).toEqual([1, null]);
    expect(output).toContain(`Port ${54_321 + OFFSET} (API) is already in use`);
    expect(output).not.toContain("Nosh is ready");
    await gone(tree);
  } finally {
    other.close();
  }
}, 300_000);

// Linux only, as the next ones: processes are read from /proc.
test.skipIf(process.platform !== "linux")(
  "a second run of one checkout says what runs, how it is stopped and how a copy runs, and leaves it alone",
  async () => {
    await dev();
    const [app, api, database] = [5173, 54_321, 54_322].map((port) => port + OFFSET);
    const args = ["run", "dev", "--", "--port-offset", String(OFFSET)];
    const second = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
    expect(second.status).toBe(1);
    expect(second.stderr).toContain("npm run dev is already running for this checkout");
    expect(second.stderr).toContain(`http://127.0.0.1:${app}\n`);
    expect(second.stderr).toContain(`http://127.0.0.1:${api}\n`);
    expect(second.stderr).toContain(`postgresql://postgres:postgres@127.0.0.1:${database}/postgres\n`);
    expect(second.stderr).toContain("--port-offset");
    const responses = await Promise.all([
      fetch(`http://127.0.0.1:${app}/`),
      fetch(`http://127.0.0.1:${api}/auth/v1/health`, { headers: { apikey: PUBLISHABLE_KEY } }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const tree = members();
    const [, stop = ""] = /kill (\d+)/.exec(second.stderr) ?? [];
    process.kill(Number(stop), "SIGTERM");
    await gone(tree);
  },
  200_000,
);

test.skipIf(process.platform !== "linux")(
  "SIGTERM or SIGKILL of any of them ends all, and the next start works",
  async () => {
    for (const [name, signal, find] of targets) {
      await dev();
      const tree = members();
      // A looping function cannot notice that its stack is gone.
      if (name === "the stack") {
        const calling = fetch(`http://127.0.0.1:${54_321 + OFFSET}/functions/v1/loop`, {
          headers: { apikey: PUBLISHABLE_KEY },
        }).catch(() => undefined);
        await expect
          .poll(() => members().some((pid) => /deno run/.test(commandLine(pid))), { timeout: 10_000 })
          .toBe(true);
        tree.push(...members());
        process.kill(find(), signal);
        await calling;
      } else process.kill(find(), signal);
      expect(tree.length, `${name} ${signal}`).toBeGreaterThan(7);
      await gone(tree);
    }
  },
  400_000,
);

test.skipIf(process.platform !== "linux")(
  "a start that comes at once after a kill waits for what is ending",
  async () => {
    await dev();
    const tree = members();
    const script = member(/scripts\/dev\.ts/);
    process.kill(npm(), "SIGKILL");
    process.kill(script, "SIGKILL");
    await dev();
    await gone(tree);
  },
  200_000,
);
