/**
 * Owns the soak: for minutes, sockets come and go, rows change, tables are altered, the schema is reloaded,
 * functions are called and saved anew, and Postgres is restarted. Fails when an event is lost that was
 * committed after a subscription was acknowledged, when a call of a function fails, or when the server's heap,
 * open files, connections or processes keep growing.
 */
import { type ChildProcess, fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Database, type DatabaseAddress } from "../src/postgres/database.ts";
import { makeProject, removeProject } from "./boot.ts";
import { Listener, type ListenerOptions } from "./phoenix.ts";
import type { Order } from "./soak-server.ts";
import type { Target } from "./target.ts";

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "600" }, pause: { type: "string", default: "20" } },
});
const SECONDS = Number(values.seconds);
/** Between two writes, visits and calls of the same kind: a soak of hours beside other work is a slow one. */
const PAUSE_MS = Number(values.pause);
const WATCHERS = 20;
const ROWS_AT_ONCE = 20;
const RESTART_EVERY_MS = 30_000;
const DDL_EVERY_MS = 4_000;
const SAMPLE_EVERY_MS = 10_000;
const RELOAD_EVERY_MS = 3_000;
/** How many more open files and connections there may be than before: pools grow to what is asked of them. */
const MOST_MORE = 20;
/** How much more than after the first third the heap may hold at the end. */
const MOST_GROWTH = 20 * 1024 ** 2;

interface Figures {
  rss: number;
  heapUsed: number;
  files: number;
  connections: number;
  functions: number;
  sockets: number;
  channels: number;
  heldLogBytes: number | null;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** One that stays, and notes which rows it was told of. */
class Watcher {
  readonly listener: Listener;
  readonly told = new Set<number>();
  acknowledged = 0;
  closed = false;

  constructor(target: Target, options: ListenerOptions) {
    this.listener = new Listener(target, { ...options, changes: true });
    // An end is counted and fails the soak with the other figures, instead of ending it here.
    this.listener.closing = true;
    void this.listener.joined.then(() => {
      this.acknowledged += 1;
    });
    this.listener.socket.on("close", () => {
      this.closed = true;
    });
    this.listener.onFrame = (data) => {
      const text = data.toString("utf8");
      if (text.includes('"Subscribed to PostgreSQL"')) this.acknowledged += 1;
      for (const [, id] of text.matchAll(/"record":\{"id":(\d+)/g)) this.told.add(Number(id));
    };
    setInterval(() => this.listener.socket.send('[null,"hb","phoenix","heartbeat",{}]'), 20_000).unref();
  }
}

const project = makeProject();
const child: ChildProcess = fork(join(import.meta.dirname, "soak-server.ts"), [project], {
  execArgv: ["--disable-warning=ExperimentalWarning", "--expose-gc"],
});

function next<T>(): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(new Error("The stack ended by itself."));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message as T);
    });
  });
}

async function order<T>(what: Order): Promise<T> {
  const answered = next<{ answer?: T; error?: string }>();
  child.send(what);
  const { answer, error } = await answered;
  if (error !== undefined) throw new Error(error);
  return answer as T;
}

const hello = await next<{ url: string; publishableKey: string; address: DatabaseAddress }>();
const target = hello as unknown as Target;
const database = new Database(hello.address);
const sql = (text: string, parameters: unknown[] = []) => database.query("postgres", text, parameters);

await sql(`create table public.soak (id int primary key, part int, body text);
  alter table public.soak enable row level security;
  create policy everyone on public.soak for select using (true);
  alter publication supabase_realtime add table public.soak`);
const watchers = Array.from({ length: WATCHERS }, (_, index) => {
  const filter = index % 2 === 0 ? {} : { filter: `part=eq.${index % 4}` };
  const change = { event: "INSERT", schema: "public", table: "soak", ...filter };
  return new Watcher(target, { topic: `watch-${index}`, config: { postgres_changes: [change] } });
});
await Promise.all(watchers.map(({ listener }) => listener.joined));

const call = async () => {
  const response = await fetch(`${hello.url}/functions/v1/hello`, {
    headers: { apikey: hello.publishableKey },
  });
  return { status: response.status, text: await response.text() };
};
await call();
const before = await order<Figures>("figures");

const end = performance.now() + SECONDS * 1_000;
const running = () => performance.now() < end;
const committed: number[] = [];
let id = 0;
let writing = true;
let visitors = 0;
let restarts = 0;
let alterations = 0;
let calls = 0;
let failedCalls = 0;
let reloads = 0;
const samples: Figures[] = [];

/** Rows are written one statement after the other; what fails, as Postgres goes, is not awaited by anybody. */
async function write(): Promise<void> {
  while (running()) {
    if (!writing) {
      await pause(5);
      continue;
    }
    const first = id + 1;
    id += ROWS_AT_ONCE;
    try {
      await sql(
        "insert into soak (id, part, body) select n, n % 4, 'x' from generate_series($1::int, $2::int) n",
        [first, id],
      );
      for (let n = first; n <= id; n += 1) committed.push(n);
    } catch {
      // Postgres was on its way down.
    }
    await pause(PAUSE_MS);
  }
}

/** Sockets that come, do something, and go, politely or not. */
async function visit(): Promise<void> {
  while (running()) {
    const number = visitors;
    visitors += 1;
    const change = { event: "*", schema: "public", table: "soak", filter: `part=eq.${number % 4}` };
    const config = {
      broadcast: { self: true },
      presence: { enabled: true },
      postgres_changes: number % 3 === 0 ? [change] : [],
    };
    const listener = new Listener(target, { topic: `visit-${number % 7}`, config });
    await Promise.race([listener.joined.catch(() => undefined), pause(3_000)]);
    const topic = `realtime:visit-${number % 7}`;
    if (listener.socket.readyState === listener.socket.OPEN) {
      const say = (event: string, payload: unknown) =>
        listener.socket.send(JSON.stringify(["1", "2", topic, event, payload]));
      say("broadcast", { type: "broadcast", event: "hello", payload: { number } });
      say("presence", { type: "presence", event: "track", payload: { number } });
      await pause(50);
      if (number % 2 === 0) say("phx_leave", {});
    }
    listener.closing = true;
    if (number % 5 === 0) listener.socket.terminate();
    else listener.socket.close();
    await pause(PAUSE_MS);
  }
}

async function alter(): Promise<void> {
  for (let turn = 0; running(); turn += 1) {
    await pause(DDL_EVERY_MS);
    const statements = [
      `alter table soak add column extra_${turn} text default 'y'`,
      `alter table soak drop column extra_${turn}`,
      `create table passing_${turn} (id int primary key)`,
      `alter publication supabase_realtime add table passing_${turn}`,
      `drop table passing_${turn}`,
      "notify pgrst, 'reload schema'",
    ];
    for (const statement of statements)
      await sql(statement).then(
        () => (alterations += 1),
        () => undefined,
      );
  }
}

/** A function's code is saved, again and again, while it is called: each call is answered by one of the two. */
async function reload(): Promise<void> {
  const file = join(project, "supabase", "functions", "hello", "index.ts");
  for (let version = 0; running(); version += 1) {
    const code = `const answer = new Response("version ${version}");
      Deno.serve(() => { EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 200))); return answer.clone(); });`;
    writeFileSync(file, code);
    const next = performance.now() + RELOAD_EVERY_MS;
    let answered = false;
    while (performance.now() < next && running()) {
      const { status, text } = await call();
      calls += 1;
      if (status !== 200) failedCalls += 1;
      answered ||= text === `version ${version}`;
      await pause(PAUSE_MS);
    }
    if (answered) reloads += 1;
    else if (running()) throw new Error(`Version ${version} of the function never answered.`);
  }
}

/** Postgres goes down while rows are being written; they are written on when every watcher is told again. */
async function restart(): Promise<void> {
  for (;;) {
    await pause(RESTART_EVERY_MS);
    if (performance.now() > end - 5_000) return;
    const told = watchers.map(({ acknowledged }) => acknowledged);
    const done = order("restart");
    await pause(1);
    writing = false;
    await done;
    restarts += 1;
    const deadline = performance.now() + 20_000;
    while (watchers.some((watcher, index) => watcher.acknowledged <= (told[index] ?? 0))) {
      if (performance.now() > deadline) throw new Error("Not everybody was told of the restart.");
      await pause(10);
    }
    samples.push(await order<Figures>("figures"));
    writing = true;
  }
}

async function sample(): Promise<void> {
  while (running()) {
    await pause(SAMPLE_EVERY_MS);
    // Orders are answered one at a time; a restart samples by itself.
    if (!writing) continue;
    process.stderr.write(
      `${Math.round((end - performance.now()) / 1_000)} s left, ${committed.length} rows, ${visitors} visitors\n`,
    );
  }
}

let failure: unknown;
await Promise.all([write(), visit(), visit(), visit(), alter(), reload(), restart(), sample()]).catch(
  (error: unknown) => {
    failure = error;
  },
);
await pause(2_000);
samples.push(await order<Figures>("figures"));

const lost = watchers.map((watcher, index) => {
  const wanted = index % 2 === 0 ? committed : committed.filter((n) => n % 4 === index % 4);
  return wanted.filter((n) => !watcher.told.has(n)).length;
});
const gone = watchers.filter(({ closed }) => closed).length;
const early = samples[Math.floor(samples.length / 3)] ?? samples[0];
const last = samples.at(-1);
const growth = (last?.heapUsed ?? 0) - (early?.heapUsed ?? 0);
const megabytes = (bytes: number | undefined) => Math.round((bytes ?? 0) / 1024 ** 2);
const shown = (figures: Figures | undefined) =>
  figures && {
    rssMegabytes: megabytes(figures.rss),
    heapMegabytes: megabytes(figures.heapUsed),
    sockets: figures.sockets,
    channels: figures.channels,
    openFiles: figures.files,
    connections: figures.connections,
    functionProcesses: figures.functions,
    heldLogMegabytes: megabytes(figures.heldLogBytes ?? 0),
  };
const more = Math.max(
  (last?.files ?? 0) - before.files,
  (last?.connections ?? 0) - before.connections,
  ((last?.functions ?? 0) - before.functions) * MOST_MORE,
);
const sum = lost.reduce((total, one) => total + one, 0);
console.log(
  JSON.stringify(
    {
      seconds: SECONDS,
      rows: committed.length,
      events: watchers.reduce((total, { told }) => total + told.size, 0),
      lost: sum,
      watchersClosed: gone,
      visitors,
      alterations,
      restarts,
      heapMegabytes: samples.map(({ heapUsed }) => megabytes(heapUsed)),
      rssMegabytes: samples.map(({ rss }) => megabytes(rss)),
      functionCalls: calls,
      failedCalls,
      reloads,
      before: shown(before),
      after: shown(last),
      ...(failure === undefined ? {} : { failure: String(failure) }),
    },
    null,
    2,
  ),
);
for (const { listener } of watchers) listener.socket.terminate();
await order("stop").catch(() => undefined);
await database.close().catch(() => undefined);
removeProject(project);
const kept = growth < MOST_GROWTH && more < MOST_MORE;
process.exit(sum === 0 && gone === 0 && failedCalls === 0 && kept && failure === undefined ? 0 : 1);
