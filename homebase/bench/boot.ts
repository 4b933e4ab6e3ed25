/** Owns the measurement of starting: from nothing, warm, and how much memory the whole tree takes. */
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { developmentKeys } from "./keys.ts";
import { writesWhile } from "./writers.ts";

const CLI = join(import.meta.dirname, "..", "bin", "homebase.mjs");
/** Far from the ports of a stack that may be running, and beyond those that the system hands out by itself. */
const PORT_OFFSET = 8_300;
const API = `http://127.0.0.1:${54_321 + PORT_OFFSET}`;
const TIMEOUT_MS = 60_000;
/** By then what a first start has written is on the disk, under load too. */
const SYNC_SECONDS = 15;

/** A project of one migration, one seed and one function, in a folder of its own. */
export function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-bench-"));
  // The server's own user must reach it, or the data would be kept elsewhere.
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "supabase", "migrations"), { recursive: true });
  mkdirSync(join(folder, "supabase", "functions", "hello"), { recursive: true });
  writeFileSync(
    join(folder, "supabase", "config.toml"),
    'project_id = "bench"\n[functions.hello]\nverify_jwt = false\n',
  );
  writeFileSync(
    join(folder, "supabase", "migrations", "20260101000000_notes.sql"),
    "create table public.notes (id int primary key, body text);\nalter table public.notes enable row level security;\ncreate policy everyone on public.notes using (true) with check (true);\n",
  );
  writeFileSync(join(folder, "supabase", "seed.sql"), "insert into public.notes values (1, 'seeded');\n");
  writeFileSync(
    join(folder, "supabase", "functions", "hello", "index.ts"),
    'Deno.serve(() => new Response("hello"));\n',
  );
  return folder;
}

export interface Started {
  /** Until it said that it is ready. */
  ready: number;
  /** Until each service had answered, a function too. */
  milliseconds: number;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** How `homebase` is run: a program with its first arguments, and its environment if not this one. */
export interface Command {
  words: readonly [string, ...string[]];
  environment?: NodeJS.ProcessEnv;
}

const fromSources: Command = { words: [process.execPath, "--disable-warning=ExperimentalWarning", CLI] };

/** Starts the stack of a project and waits until each service has answered a real request. */
export async function start(folder: string, command: Command = fromSources): Promise<Started> {
  const began = performance.now();
  const [program, ...first] = command.words;
  const child = spawn(
    program,
    [...first, "start", "--workdir", folder, "--port-offset", String(PORT_OFFSET)],
    { stdio: ["ignore", "pipe", "inherit"], env: command.environment ?? process.env },
  );
  const said = readyTime(child, began);
  // Knocking at one port costs the machine less than five clients that try again and again.
  await eventually("the API's port", knock);
  await Promise.all([
    answers("/rest/v1/notes?select=id", (text) => text.includes('"id":1')),
    answers("/auth/v1/health", (text) => text.includes("GoTrue")),
    answers("/storage/v1/version", (text) => text.length > 0),
    answers("/functions/v1/hello", (text) => text === "hello"),
    opens("/realtime/v1/websocket?vsn=2.0.0"),
  ]);
  const milliseconds = performance.now() - began;
  return {
    ready: await said,
    milliseconds,
    process: child,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGTERM");
      }),
  };
}

/** Milliseconds from `began` until the command has printed that the stack is ready. */
function readyTime(child: ChildProcess, began: number): Promise<number> {
  return new Promise((resolve) => {
    let output = "";
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.includes("is ready")) resolve(performance.now() - began);
    });
  });
}

function knock(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(54_321 + PORT_OFFSET, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

async function answers(path: string, good: (text: string) => boolean): Promise<void> {
  await eventually(path, async () => {
    const response = await fetch(API + path, { headers: { apikey: developmentKeys.publishable } });
    return good(await response.text());
  });
}

async function opens(path: string): Promise<void> {
  await eventually(
    path,
    () =>
      new Promise((resolve) => {
        const socket = new WebSocket(
          `${API.replace("http", "ws")}${path}&apikey=${developmentKeys.publishable}`,
        );
        socket.on("open", () => {
          socket.close();
          resolve(true);
        });
        socket.on("error", () => resolve(false));
      }),
  );
}

async function eventually(what: string, attempt: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (await attempt().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`${what} did not answer within ${TIMEOUT_MS / 1000} s`);
}

/** Proportional memory of a process and all its descendants, in MB. Linux only. */
export function treeMemory(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
    } catch {
      // Gone meanwhile.
    }
  }
  let kilobytes = 0;
  for (const pid of parents.keys()) {
    let up: number | undefined = pid;
    while (up !== undefined && up !== root && up > 1) up = parents.get(up);
    if (up !== root) continue;
    try {
      const match = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
      kilobytes += Number(match?.[1] ?? 0);
    } catch {
      // Gone meanwhile.
    }
  }
  return kilobytes / 1024;
}

/** Milliseconds of each insert by four writers while as many seconds pass after a first start, and after those. */
export async function insertsAfterStart(folder: string): Promise<{ first: number[]; later: number[] }> {
  forgetData(folder);
  const started = await start(folder);
  const inserts = {
    connection: {
      connectionString: `postgresql://postgres:postgres@127.0.0.1:${54_322 + PORT_OFFSET}/postgres`,
    },
    sql: "insert into public.notes select (random() * 2e9)::int, 'written' where $1::int > 0 on conflict do nothing",
    rows: 1,
    writers: 4,
  };
  const wait = () => new Promise((resolve) => setTimeout(resolve, SYNC_SECONDS * 1000));
  const first = await writesWhile(inserts, wait);
  const later = await writesWhile(inserts, wait);
  await started.stop();
  return { first, later };
}

export function removeProject(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export function forgetData(folder: string): void {
  rmSync(join(folder, ".homebase"), { recursive: true, force: true });
}
