/**
 * Owns the measurement of explanations: their time on a million rows under three policies, what they cost writers that
 * run beside them, and what the record of a request costs.
 */
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pg from "pg";
import { readRunning } from "../src/explain/asked-tables.ts";
import { Session } from "../src/explain/database/explanation-transaction.ts";
import { type ExplainRequestOptions, explain } from "../src/explain/index.ts";
import { RequestRecord, RequestRecords } from "../src/http/records.ts";
import type { Target } from "./target.ts";
import { writesWhile } from "./writers.ts";

const ROWS = 1_000_000;
const TEAMS = 10_000;
const USERS = 20_000;
const EXPLANATIONS = 120;
const WRITERS = 2;

const user = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;

const PROJECT = `
create table public.bench_members (team_id int, user_id uuid, role text, primary key (team_id, user_id));
create table public.bench_docs (id bigint primary key, team_id int, owner_id uuid, state text, body text);
insert into public.bench_members
  select 1 + (n * 7) % ${TEAMS}, ('00000000-0000-4000-8000-' || lpad((1 + n % ${USERS})::text, 12, '0'))::uuid,
    case when n % 9 = 0 then 'invited' else 'member' end
  from generate_series(1, ${USERS * 5}) n on conflict do nothing;
insert into public.bench_docs
  select n, 1 + n % ${TEAMS}, ('00000000-0000-4000-8000-' || lpad((1 + n % ${USERS})::text, 12, '0'))::uuid,
    case when n % 50 = 0 then 'locked' else 'open' end, repeat('x', 200)
  from generate_series(1, ${ROWS}) n;
create index on public.bench_docs (team_id);
create index on public.bench_members (user_id);
alter table public.bench_members enable row level security;
alter table public.bench_docs enable row level security;
create function public.bench_my_teams() returns setof int language sql stable security definer set search_path = ''
  as $$ select m.team_id from public.bench_members m where m.user_id = (select auth.uid()) and m.role <> 'invited' $$;
create policy "own" on public.bench_docs using (owner_id = (select auth.uid()));
create policy "of the team" on public.bench_docs using (team_id in (select public.bench_my_teams()));
create policy "not locked" on public.bench_docs as restrictive using (state <> 'locked' or owner_id = (select auth.uid()));
grant select on public.bench_docs to authenticated;
analyze public.bench_docs, public.bench_members`;

/** Milliseconds each. */
export interface ExplainMeasurement {
  /** With the schema that REST has read, as a running stack explains. */
  times: number[];
  /** Without: the schema is read for each, as `homebase explain` does where no stack runs. */
  timesAlone: number[];
  /** Of updates while explanations run, and alone. */
  writes: number[];
  writesAlone: number[];
}

/** Explains rows, a team's page and an unfiltered page, in turn, while writers update. */
export async function benchExplain(target: Target): Promise<ExplainMeasurement> {
  await target.sql(PROJECT);
  const db = new pg.Client(target.database.connection("postgres"));
  await db.connect();
  try {
    const running = await Session.run(db, {}, (session) => readRunning(session, {}));
    const ask = async (at: number, more: ExplainRequestOptions) => {
      const row = 1 + ((at * 7_919) % ROWS);
      const paths = [
        `bench_docs?id=eq.${row}`,
        `bench_docs?team_id=eq.${1 + (at % TEAMS)}&order=id`,
        "bench_docs?limit=50",
      ];
      const claims = { sub: user(1 + ((at * 31) % USERS)), role: "authenticated" };
      const asked = { method: "GET", path: `/rest/v1/${paths[at % 3]}`, role: "authenticated", claims };
      const began = performance.now();
      await explain(db, asked, { ...more, ...(at % 3 === 0 ? { row: String(row) } : {}) });
      return performance.now() - began;
    };
    for (let warm = 0; warm < 6; warm += 1) await ask(warm, {});
    const updates = {
      connection: target.database.connection("postgres"),
      sql: "update public.bench_docs set body = body || 'y' where id = $1",
      rows: ROWS,
      writers: WRITERS,
    };
    const writesAlone = await writesWhile(updates, () => pause(5_000));
    const times: number[] = [];
    const timesAlone: number[] = [];
    const writes = await writesWhile(updates, async () => {
      for (let at = 0; at < EXPLANATIONS; at += 1) {
        times.push(await ask(at, { running }));
        timesAlone.push(await ask(at, {}));
      }
    });
    return { times, timesAlone, writes, writesAlone };
  } finally {
    await db.end();
    await target.sql(
      "drop table public.bench_docs, public.bench_members; drop function public.bench_my_teams",
    );
  }
}

/** Making and keeping the record of a request by key: microseconds each, and the memory after a million. */
export function recordCost(): { microseconds: number[]; megabytes: number } {
  const records = new RequestRecords();
  const claims = JSON.stringify({ role: "anon" });
  const keep = (at: number) => {
    const record = new RequestRecord(`id-${at}`, "GET", "/rest/v1/notes", `id=eq.${at}&select=*`);
    record.service = "rest";
    record.ran = {
      text: "select",
      values: [String(at)],
      role: "anon",
      claims,
      searchPath: "public",
      readOnly: true,
    };
    record.status = 200;
    record.rows = 1;
    records.add(record);
  };
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const heap = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = heap();
  const microseconds = Array.from({ length: 10 }, (_, round) => {
    const began = performance.now();
    for (let at = 0; at < 100_000; at += 1) keep(round * 100_000 + at);
    return (performance.now() - began) / 100;
  });
  return { microseconds, megabytes: (heap() - before) / 1024 ** 2 };
}
