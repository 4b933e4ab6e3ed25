/**
 * Schema changes of each kind while requests, a subscription and uploads run: only requests that depend on
 * the changed object may fail, the very next request sees the change, and no row change or file is lost.
 */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBackend } from "../../wings/testing.ts";
import { forThisFile } from "../for-this-file.ts";

let client: SupabaseClient;
const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create table public.owners (id int primary key, name text);
    create table public.notes (id int primary key, body text, stars int, owner_id int references owners);
    create table public.spare (id int primary key, kind text);
    insert into public.owners values (1, 'Ana');
    insert into public.notes select -n, 'old ' || n, n, 1 from generate_series(1, 30) n;
    create function public.count_notes() returns bigint language sql stable as 'select count(*) from public.notes';
    create type public.mood as enum ('sad');
    alter publication supabase_realtime add table public.notes`);
  client = createClient(backend.url, backend.secretKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const made = await client.storage.createBucket("box", { public: true });
  if (made.error) throw made.error;
});
afterAll(() => client?.removeAllChannels());

async function ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${backend.url}/rest/v1${path}`, {
    method,
    headers: { apikey: backend.secretKey, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

/** A statement, a request that shows whether it is in effect, and its status or response. */
const CHANGES: readonly [sql: string, path: string, expected: number | string][] = [
  ["alter table notes add column colour text", "/notes?select=colour&limit=1", 200],
  [
    "alter table notes add column weight int not null default 3",
    "/notes?select=weight&limit=1",
    '[{"weight":3}]',
  ],
  ["alter table notes alter column stars type bigint", "/notes?select=id&stars=gt.5000000000", "[]"],
  ["alter table notes rename column weight to mass", "/notes?select=mass&limit=1", '[{"mass":3}]'],
  ["alter table notes alter column mass set default 4", "/notes?select=weight", 400],
  ["alter table notes drop column mass", "/notes?select=mass", 400],
  ["create index notes_stars on notes (stars)", "/notes?select=id&stars=eq.-1", "[]"],
  ["drop index notes_stars", "/notes?select=id&stars=eq.-1", "[]"],
  ["alter table notes add constraint short check (length(body) < 900)", "/notes?select=id&id=eq.0", "[]"],
  ["alter table notes drop constraint short", "/notes?select=id&id=eq.0", "[]"],
  [
    "alter table notes add column spare_id int references spare",
    "/notes?select=id,spare(kind)&id=eq.-1",
    '[{"id":-1,"spare":null}]',
  ],
  ["alter table notes drop constraint notes_spare_id_fkey", "/notes?select=id,spare(kind)", 400],
  ["create table toys (id int primary key, name text)", "/toys", "[]"],
  ["alter table toys rename to games", "/games", "[]"],
  ["create schema attic; alter table games set schema attic", "/games", 404],
  ["drop table attic.games", "/games", 404],
  ["create view best as select id, body from notes where stars > 28", "/best?select=id&order=id", 200],
  ["create materialized view totals as select 1 as total", "/totals", '[{"total":1}]'],
  [
    "create function twice(n int) returns int language sql immutable as 'select n * 2'",
    "/rpc/twice?n=4",
    "8",
  ],
  [
    "create or replace function twice(n int) returns int language sql immutable as 'select n * 3'",
    "/rpc/twice?n=4",
    "12",
  ],
  [
    "create function stars_of(n notes) returns text language sql stable as 'select n.stars || ''*'''",
    "/notes?select=stars_of&id=eq.-2",
    '[{"stars_of":"2*"}]',
  ],
  ["drop function twice", "/rpc/twice?n=4", 404],
  ["alter table notes enable row level security", "/notes?select=id&id=eq.-1", '[{"id":-1}]'],
  [
    "create policy nobody on notes for select to anon using (false)",
    "/notes?select=id&id=eq.-1",
    '[{"id":-1}]',
  ],
  [
    "create function touch() returns trigger language plpgsql as $$begin new.colour := 'red'; return new; end$$; create trigger touch before insert on notes for each row execute function touch()",
    "/notes?select=id&id=eq.-1",
    '[{"id":-1}]',
  ],
  ["alter type mood add value 'glad'", "/spare?select=id", "[]"],
  ["alter table spare alter column kind type mood using kind::mood", "/spare?kind=eq.glad", "[]"],
  [
    "create domain positive as int check (value > 0); alter table spare add column size positive",
    "/spare?size=eq.1",
    "[]",
  ],
  ["comment on table notes is 'Notes'", "/notes?select=id&id=eq.-1", '[{"id":-1}]'],
  ["revoke all on spare from service_role", "/spare", 403],
  ["grant all on spare to service_role", "/spare", "[]"],
  ["create schema other; create table other.notes (id int)", "/notes?select=id&id=eq.-1", '[{"id":-1}]'],
];

it("goes on under changes of the schema of every kind", async () => {
  const failures: string[] = [];
  const inserted: number[] = [];
  const heard = new Map<number, Record<string, unknown>>();
  await new Promise<void>((resolve) => {
    client
      .channel("notes")
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "notes" }, ({ new: row }) => {
        heard.set(row.id, row);
      })
      // Row changes are delivered from now on, which is later than the join.
      .on("system", {}, ({ status, extension }) => {
        if (extension === "postgres_changes" && status === "ok") resolve();
      })
      .subscribe();
  });

  let running = true;
  const rounds: number[] = [];
  const load = async (work: (round: number) => Promise<{ status: number; text: string }>) => {
    const at = rounds.push(0) - 1;
    for (let round = 1; running; round += 1) {
      const { status, text } = await work(round);
      if (status >= 300) failures.push(`load ${at}: ${status} ${text}`);
      rounds[at] = round;
    }
  };
  let newest = 0;
  const loads = [
    load(() => ask("GET", "/notes?select=id,body&order=id&limit=5")),
    load(() => ask("GET", "/notes?select=*,owners(name)&limit=20")),
    load(() => ask("GET", "/rpc/count_notes")),
    load((round) => ask("PATCH", "/notes?id=eq.-9", { body: `round ${round}` })),
    load(async () => {
      newest += 1;
      const id = newest;
      const answer = await ask("POST", "/notes", { id, body: `new ${id}`, owner_id: 1 });
      if (answer.status === 201) inserted.push(id);
      return answer;
    }),
    load(async (round) => {
      const text = `file ${round}`;
      const box = client.storage.from("box");
      const sent = await box.upload(`${round}.txt`, text);
      if (sent.error) return { status: 500, text: sent.error.message };
      const back = await box.download(`${round}.txt`);
      const same = (await back.data?.text()) === text;
      return { status: same ? 200 : 500, text: `${back.error?.message ?? "another file"}` };
    }),
  ];
  try {
    for (const [sql, path, expected] of CHANGES) {
      await backend.sql(sql);
      const shows = async () => {
        const { status, text } = await ask("GET", path);
        return (typeof expected === "number" ? status : text) === expected || `${status} ${text}`;
      };
      // A removed object is only noticed after the schema was read again, as upstream.
      if (typeof expected === "number" && expected >= 400) await expect.poll(shows).toBe(true);
      else expect({ sql, shown: await shows() }).toEqual({ sql, shown: true });
      // Each kind of load has run meanwhile.
      const before = [...rounds];
      await expect.poll(() => rounds.every((round, at) => round > (before[at] ?? 0))).toBe(true);
    }
  } finally {
    running = false;
    await Promise.all(loads);
  }
  expect(failures).toEqual([]);
  await expect.poll(() => inserted.filter((id) => !heard.has(id))).toEqual([]);
  expect(heard.get(inserted.at(-1) ?? 0)).toMatchObject({ body: `new ${inserted.at(-1)}`, colour: "red" });
}, 60_000);
