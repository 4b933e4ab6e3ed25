/**
 * Owns how the cost of the stack grows: each curve measures one request, start or delivery with more and more of
 * something. `npm run bench -- growth` runs the small sizes, with `--whole` the large ones too, and then writes
 * docs/growth.md and its picture.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { forgetData, makeProject, removeProject, start, treeMemory } from "./boot.ts";
import type { Curve, Point } from "./curves.ts";
import { median } from "./figures.ts";
import { Connection, requestText } from "./load.ts";
import { closeListeners, openListeners } from "./phoenix.ts";
import { addPlans, FIRST_PLANS, signUpGuest, startNosh } from "./plans.ts";
import { insertToEvent, makeEventTable } from "./realtime.ts";
import { servedAfterDdl } from "./rest.ts";
import { startTarget, type Target } from "./target.ts";

interface Growth {
  name: string;
  /** What its sizes count. */
  of: string;
  small: readonly number[];
  /** The sizes after the small ones. */
  large: readonly number[];
  /** Measures each size, in ascending order, on data that is added to. */
  points: (sizes: readonly number[]) => Promise<Point[]>;
}

const RUNS = 40;

const growths: Growth[] = [
  {
    name: "REST: a row by its key",
    of: "rows",
    small: [1e3, 1e4, 1e5],
    large: [1e6, 1e7],
    points: rows("/rest/v1/grown?select=*&id=eq.77"),
  },
  {
    name: "REST: the newest 100 rows, by an index",
    of: "rows",
    small: [1e3, 1e4, 1e5],
    large: [1e6, 1e7],
    points: rows("/rest/v1/grown?select=*&order=made.desc&limit=100"),
  },
  {
    name: "REST: a new table is served",
    of: "tables beside it",
    small: [10, 100],
    large: [300, 1_000, 3_000],
    points: tables,
  },
  {
    name: "Realtime: insert to event, each subscriber",
    of: "subscribers",
    small: [1, 10, 100],
    large: [300, 1_000, 3_000],
    points: subscribers,
  },
  {
    name: "Realtime: a socket joins",
    of: "open sockets",
    small: [100, 300, 1_000],
    large: [3_000, 8_000],
    points: sockets,
  },
  {
    name: "Storage: a folder of 20 files",
    of: "objects in its bucket",
    small: [1e3, 1e4, 1e5],
    large: [1e6],
    points: objects,
  },
  {
    name: "Auth: a session is refreshed",
    of: "users",
    small: [1e3, 1e4, 1e5],
    large: [1e6],
    points: users,
  },
  {
    name: "Start, with its data there",
    of: "migrations applied",
    small: [10, 100],
    large: [300, 1_000],
    points: (sizes) => migrations(sizes, false),
  },
  {
    name: "Start from nothing",
    of: "migrations to run",
    small: [10, 100],
    large: [300, 1_000],
    points: (sizes) => migrations(sizes, true),
  },
  {
    name: "Nosh: a person's first 31 plans",
    of: "plans of the person",
    small: [10, 100, 1_000],
    large: [3_000, 10_000],
    points: plans,
  },
];

/** @param whole whether the large sizes are measured too, which takes half an hour. @param tell called before each curve. */
export async function measureGrowth(whole: boolean, tell: (name: string) => unknown): Promise<Curve[]> {
  const curves: Curve[] = [];
  for (const { name, of, small, large, points } of growths) {
    tell(name);
    curves.push({ name, of, points: await points(whole ? [...small, ...large] : small) });
  }
  return curves;
}

/** Runs `work` on a Backend in a process of its own, of an empty project. */
async function onTarget(work: (target: Target) => Promise<Point[]>): Promise<Point[]> {
  const project = makeProject();
  const target = await startTarget(project);
  try {
    return await work(target);
  } finally {
    await target.stop();
    removeProject(project);
  }
}

/** Milliseconds of one request after the other on one connection: the median. `text` is called for each. */
async function timed(target: Target, text: (last: string) => string, runs = RUNS): Promise<number> {
  const connection = new Connection(new URL(target.url));
  const times: number[] = [];
  let last = "";
  try {
    for (let run = -5; run < runs; run += 1) {
      const request = text(last);
      const began = performance.now();
      last = await connection.send(request);
      if (run >= 0) times.push(performance.now() - began);
    }
  } finally {
    connection.close();
  }
  return median(times);
}

function point(target: Target, size: number, milliseconds: number): Point {
  return { size, milliseconds, megabytes: treeMemory(target.pid) };
}

/** Role postgres may run a statement for two minutes. */
const AT_ONCE = 100_000;

/** @param sql adds the rows from its first parameter to its second. @returns adds rows up to a size. */
function growing(target: Target, sql: string): (size: number) => Promise<void> {
  let filled = 0;
  return async (size) => {
    while (filled < size) {
      const next = Math.min(size, filled + AT_ONCE);
      await target.sql(sql, [filled, next]);
      filled = next;
    }
  };
}

function rows(path: string): Growth["points"] {
  return (sizes) =>
    onTarget(async (target) => {
      await target.sql(
        `create table public.grown (id bigint primary key, name text, made timestamptz);
         create index on public.grown (made);
         alter table public.grown enable row level security;
         create policy everyone on public.grown using (true);
         grant select on public.grown to anon`,
      );
      const headers = { apikey: target.publishableKey };
      const points: Point[] = [];
      const grow = growing(
        target,
        "insert into public.grown select n, 'row ' || n, timestamptz '2026-01-01' + n * interval '1 s' from generate_series($1::int + 1, $2::int) n",
      );
      for (const size of sizes) {
        await grow(size);
        await target.sql("analyze public.grown");
        points.push(point(target, size, await timed(target, () => requestText("GET", path, headers))));
      }
      return points;
    });
}

function tables(sizes: readonly number[]): Promise<Point[]> {
  return onTarget(async (target) => {
    const points: Point[] = [];
    let filled = 0;
    for (const size of sizes) {
      const made = Array.from({ length: size - filled }, (_, at) => filled + at);
      await target.sql(
        made
          .map(
            (at) =>
              `create table public.t${at} (id bigint primary key, name text, a int, d jsonb, r1 bigint references public.t${at >> 1}, r2 bigint references public.t${at >> 2})`,
          )
          .join(";"),
      );
      filled = size;
      points.push(point(target, size, median(await servedAfterDdl(target, 5))));
    }
    return points;
  });
}

function subscribers(sizes: readonly number[]): Promise<Point[]> {
  return onTarget(async (target) => {
    await makeEventTable(target);
    const points: Point[] = [];
    for (const size of sizes) points.push(point(target, size, median(await insertToEvent(target, size))));
    return points;
  });
}

/** So many join at once, and no more in this time: the server takes 2,000 joins a second. */
const [GROUP, GROUP_MS] = [200, 150];

function sockets(sizes: readonly number[]): Promise<Point[]> {
  return onTarget(async (target) => {
    const points: Point[] = [];
    const open: Awaited<ReturnType<typeof openListeners>> = [];
    for (const size of sizes) {
      const times: number[] = [];
      while (open.length < size) {
        const pause = new Promise((resolve) => setTimeout(resolve, GROUP_MS));
        const count = Math.min(GROUP, size - open.length);
        const began = performance.now();
        open.push(...(await openListeners(target, count, () => ({ topic: "grown", config: {} }))));
        times.push((performance.now() - began) / count);
        await pause;
      }
      points.push(point(target, size, median(times)));
    }
    await closeListeners(open);
    return points;
  });
}

function objects(sizes: readonly number[]): Promise<Point[]> {
  return onTarget(async (target) => {
    await target.sql("insert into storage.buckets (id, name) values ('grown', 'grown')");
    await target.sql("create policy grown on storage.objects for select to anon using (bucket_id = 'grown')");
    const headers = { authorization: `Bearer ${target.publishableKey}`, apikey: target.publishableKey };
    const page = requestText(
      "POST",
      "/storage/v1/object/list/grown",
      headers,
      JSON.stringify({ prefix: "users/7/photos" }),
    );
    const points: Point[] = [];
    const grow = growing(
      target,
      // Twenty files a folder.
      `insert into storage.objects (bucket_id, name, version, metadata)
       select 'grown', 'users/' || n / 20 || '/photos/' || n, gen_random_uuid()::text, '{"size":1}'
       from generate_series($1::int, $2::int - 1) n`,
    );
    for (const size of sizes) {
      await grow(size);
      await target.database.query("supabase_storage_admin", "analyze storage.objects");
      points.push(point(target, size, await timed(target, () => page)));
    }
    return points;
  });
}

function users(sizes: readonly number[]): Promise<Point[]> {
  return onTarget(async (target) => {
    const headers = { apikey: target.publishableKey };
    const connection = new Connection(new URL(target.url));
    const person = { email: "grown@example.com", password: "correct horse battery" };
    let last = await connection.send(requestText("POST", "/auth/v1/signup", headers, JSON.stringify(person)));
    connection.close();
    const refresh = (answer: string) => {
      last = answer || last;
      const { refresh_token } = JSON.parse(last) as { refresh_token: string };
      const body = JSON.stringify({ refresh_token });
      return requestText("POST", "/auth/v1/token?grant_type=refresh_token", headers, body);
    };
    const points: Point[] = [];
    const grow = growing(
      target,
      `with made as (
         insert into auth.users (instance_id, id, aud, role, email)
         select '00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'authenticated', 'authenticated',
           'grown' || n || '@example.com' from generate_series($1::int + 1, $2::int) n
         returning id
       ), sessions as (
         insert into auth.sessions (id, user_id, created_at, updated_at)
         select gen_random_uuid(), id, now(), now() from made returning id, user_id
       )
       insert into auth.refresh_tokens (instance_id, token, user_id, revoked, created_at, updated_at, session_id)
       select '00000000-0000-0000-0000-000000000000', left(replace(id::text, '-', ''), 12), user_id::text, false, now(), now(), id
       from sessions on conflict do nothing`,
    );
    for (const size of sizes) {
      await grow(size);
      await target.database.query(
        "supabase_auth_admin",
        "analyze auth.users, auth.sessions, auth.refresh_tokens",
      );
      points.push(point(target, size, await timed(target, refresh)));
    }
    return points;
  });
}

const STARTS = 3;

/** @param fresh whether each start begins without data, and so runs the migrations. */
async function migrations(sizes: readonly number[], fresh: boolean): Promise<Point[]> {
  const points: Point[] = [];
  for (const size of sizes) {
    const project = makeProject();
    const folder = join(project, "supabase", "migrations");
    mkdirSync(folder, { recursive: true });
    for (let at = 1; at < size; at += 1) {
      const version = String(20_260_101_000_000 + at);
      writeFileSync(
        join(folder, `${version}_step.sql`),
        at % 2 === 1
          ? `create table public.step_${at} (id bigint generated by default as identity primary key, body text);\nalter table public.step_${at} enable row level security;\n`
          : `alter table public.step_${at - 1} add column more_${at} int default 0;\ncreate policy p_${at} on public.step_${at - 1} for select using (true);\n`,
      );
    }
    try {
      const times: number[] = [];
      let megabytes = 0;
      if (!fresh) await (await start(project)).stop();
      for (let run = 0; run < STARTS; run += 1) {
        if (fresh) forgetData(project);
        const started = await start(project);
        times.push(started.ready);
        megabytes = treeMemory(started.process.pid ?? 0);
        await started.stop();
      }
      points.push({ size, milliseconds: median(times), megabytes });
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  }
  return points;
}

async function plans(sizes: readonly number[]): Promise<Point[]> {
  const target = await startNosh();
  try {
    const person = await signUpGuest(target);
    const page = requestText("GET", FIRST_PLANS, person.headers);
    const points: Point[] = [];
    let filled = 0;
    for (const size of sizes) {
      await addPlans(target, person.id, filled, size);
      filled = size;
      points.push(point(target, size, await timed(target, () => page)));
    }
    return points;
  } finally {
    await target.stop();
  }
}
