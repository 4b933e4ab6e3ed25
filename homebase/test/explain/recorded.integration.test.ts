/** Explanations of requests that ran: what the record holds is enough, in every schema and for every method. */
import { beforeAll, expect, test, vi } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { PROJECT, USERS } from "./project.ts";

let token: string;
const backend = await forThisFile(
  createBackend({ bare: true, config: { api: { schemas: ["public", "kitchen"] } } }),
);
beforeAll(async () => {
  await backend.sql(`${PROJECT}
    create schema kitchen;
    grant usage on schema kitchen to authenticated;
    create table kitchen.notes (id int primary key, owner_id uuid);
    grant select on kitchen.notes to authenticated;
    alter table kitchen.notes enable row level security;
    insert into kitchen.notes values (7, '${USERS.ben}');
    create policy own on kitchen.notes for select to authenticated using (owner_id = (select auth.uid()));
    grant insert on public.notes to authenticated`);
  const now = Math.floor(backend.clock.now() / 1000);
  const claims = { sub: USERS.ana, role: "authenticated", aud: "authenticated", iat: now, exp: now + 3600 };
  token = await backend.backend.keys.sign(claims);
  await vi.waitUntil(async () => (await ask("GET", "/rest/v1/notes")).ok);
});

const ask = (
  method: string,
  path: string,
  { headers = {}, json }: { headers?: object; json?: object } = {},
) =>
  fetch(backend.url + path, {
    method,
    headers: {
      apikey: backend.publishableKey,
      authorization: `Bearer ${token}`,
      ...(json ? { "content-type": "application/json" } : {}),
      ...headers,
    },
    ...(json ? { body: JSON.stringify(json) } : {}),
  });

test("a read is explained for who asked, with the row that is missed", async () => {
  const answer = await ask("GET", "/rest/v1/notes?select=id&order=id");
  expect(await answer.json()).toEqual([{ id: 1 }, { id: 4 }]);
  const text = await backend.why({ row: "2" });
  expect(text).toMatch(/^GET \/rest\/v1\/notes\?select=id&order=id: 200, 2 rows$/m);
  expect(text).toContain(`as authenticated ${USERS.ana}`);
  expect(text).toContain('Hidden: policy "members read notes"');
});

test("of a schema that the profile chooses", async () => {
  expect(
    await (await ask("GET", "/rest/v1/notes", { headers: { "accept-profile": "kitchen" } })).json(),
  ).toEqual([]);
  const text = await backend.why();
  expect(text).toContain("kitchen.notes: SELECT granted");
  expect(text).toMatch(/Hidden.*: policy "own"/);
});

test("a refused insert by the values that it had", async () => {
  const json = { id: 9, team_id: 2, owner_id: USERS.ana };
  expect((await ask("POST", "/rest/v1/notes", { json })).status).toBe(403);
  const text = await backend.why();
  expect(text).toMatch(/^POST \/rest\/v1\/notes: 403 42501$/m);
  expect(text).toContain("Refused with 403");
});

test("an update that reached nothing", async () => {
  await backend.sql("grant update on public.notes to authenticated");
  expect((await ask("PATCH", "/rest/v1/notes?id=eq.1", { json: { title: "x" } })).status).toBe(204);
  expect(await backend.why()).toContain(
    "Not updated, without an error (1 row): notes has row security and no policy that lets authenticated UPDATE",
  );
});

test("what is not explained says so", async () => {
  await ask("POST", "/rest/v1/notes", {
    json: { id: 1 },
    headers: { prefer: "resolution=merge-duplicates" },
  });
  expect(await backend.why()).toContain("as the row is there already");
  await ask("POST", "/rest/v1/notes", { json: { id: 1, title: "x".repeat(20_000) } });
  expect(await backend.why()).toMatch(/values of request .* were not kept/);
});

test("a request for a column that does not exist blames its name, and no row or policy", async () => {
  for (const query of ["select=nope", "nope=eq.1", "order=nope", "select=id&nope=is.null"]) {
    expect((await ask("GET", `/rest/v1/notes?${query}`)).status).toBe(400);
    expect(await backend.why()).toMatch(
      /Request \S+ was refused with 400 \(42703\): column notes\.nope does not exist\. Postgres looks up names before it reads rows/,
    );
  }
});

test("a request that was refused before the database was asked is not the last that ran", async () => {
  await ask("GET", "/rest/v1/notes?id=eq.1");
  expect((await ask("GET", "/rest/v1/notes", { headers: { authorization: "Bearer x.y.z" } })).status).toBe(
    401,
  );
  const text = await backend.why();
  expect(text).toMatch(/^GET \/rest\/v1\/notes: 401 PGRST301$/m);
  expect(text).toContain("GET /rest/v1/notes?id=eq.1 as authenticated");
});

test("rows that changed since are said", async () => {
  await ask("GET", "/rest/v1/comments");
  await backend.sql("delete from public.comments where id = 1");
  expect(await backend.why()).toContain("The request returned 1 row, and would return 0 now");
});

test("of secret headers, cookies, Auth's bodies, the bytes of files and keys nothing is kept", async () => {
  const s3cret = "s3cret-that-is-kept-nowhere";
  const headers = { cookie: `a=${s3cret}`, "x-own-secret": s3cret, "user-agent": s3cret };
  const json = { email: "ana@example.com", password: s3cret };
  for (const [method, path, options] of [
    ["POST", "/auth/v1/signup", { json, headers }],
    ["POST", "/auth/v1/token?grant_type=password", { json, headers }],
    ["GET", `/storage/v1/object/sign/none/a?tok%65n=${s3cret}`, { headers }],
    ["GET", "/rest/v1/notes", { headers }],
    ["POST", "/storage/v1/object/none/a.json", { json, headers }],
    ["GET", `/realtime/v1/websocket?apikey=${s3cret}`, { headers }],
    ["GET", `/functions/v1/none?key=${s3cret}`, { headers }],
    ["GET", `/storage/v1/s3/none/a?X-Amz-Signature=${s3cret}`, { headers }],
  ] as const) {
    await (await ask(method, path, options)).text();
  }
  const kept = JSON.stringify(backend.requests());
  expect(kept).toContain('"query":"X-Amz-Signature=(string, 27 characters)"');
  for (const one of [s3cret, token, backend.publishableKey]) expect(kept).not.toContain(one);
});

test("the record says what refused a request: which table, and whether a grant or a policy", async () => {
  await backend.sql(`
    create table public.draft_log (id int generated always as identity, note text);
    alter table public.draft_log enable row level security;
    grant insert on public.draft_log to authenticated;
    create table public.sketches (id int primary key, secret text);
    alter table public.sketches enable row level security;
    create policy all_of_them on public.sketches using (true) with check (true);
    revoke all on public.sketches from authenticated;
    grant insert on public.sketches to authenticated;
    create function public.log_draft() returns trigger language plpgsql as
      $$ begin insert into public.draft_log (note) values ('draft'); return null; end $$;
    create trigger log after insert on public.sketches for each row execute function public.log_draft()`);
  const last = () => backend.requests().at(-1)?.error;
  const insert = (headers: object) =>
    ask("POST", "/rest/v1/sketches", { json: { id: 1, secret: "s" }, headers });
  await vi.waitUntil(async () => (await insert({})).status === 403);
  expect(last()?.refused).toEqual({ name: "draft_log", by: "policy" });
  expect((await insert({ prefer: "return=representation" })).status).toBe(403);
  expect(last()?.refused).toEqual({ name: "sketches", by: "grant" });
  await ask("GET", "/rest/v1/nothing_like_it");
  expect(last()).toMatchObject({ message: expect.stringContaining("nothing_like_it") });
  expect(last()?.refused).toBeUndefined();
  // Postgres's details quote rows.
  expect(JSON.stringify(backend.requests())).not.toContain("Failing row");
});
