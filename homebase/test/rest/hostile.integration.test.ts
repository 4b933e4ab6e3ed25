/** Hostile requests: never an internal error, never a hang, never data without privilege. */

import { Agent, request as httpRequest } from "node:http";
import { expect, it } from "vitest";
import { get, standaloneRuns } from "../../wings/rest-server/test/standalone-run.ts";
import { leasePorts } from "../port-lease.ts";
import { type HostileRequest, hostileRequests, INJECTIONS } from "./hostile.ts";

const PORT = 54_320 + leasePorts();
const SEED = Number(process.env.HOMEBASE_FUZZ_SEED ?? 20_261);
const REQUESTS = Number(process.env.HOMEBASE_FUZZ_REQUESTS ?? 3_000);
const AT_ONCE = 8;
const PATIENCE_MS = 10_000;
const CANARY = "never-to-be-read";

const runs = standaloneRuns(
  PORT,
  `
create role gate login noinherit password 'gate';
create role visitor nologin;
grant visitor to gate;
alter role visitor set statement_timeout = '2s';
create schema api;
create schema hidden;
grant usage on schema api to visitor;
create table hidden.vault (id int primary key, secret text);
insert into hidden.vault values (1, '${CANARY}');
create table api.vault (id int primary key, secret text default '${CANARY}');
insert into api.vault values (1);
create table api.things (id serial primary key, name text unique, data jsonb, tags text[], "odd ""name'" text,
  vault_id int references api.vault);
create table api.parts (id serial primary key, thing_id int references api.things on delete cascade, name text);
create table api.shown (id int primary key, secret text, mine boolean);
insert into api.shown values (1, 'public', true), (2, '${CANARY}', false);
alter table api.shown enable row level security;
create policy mine on api.shown to visitor using (mine) with check (mine);
insert into api.things (name, data, tags, vault_id) values ('one', '{"a":1}', '{a}', 1), ('two', null, '{}', null);
insert into api.parts (thing_id, name) values (1, 'p'), (1, 'q');
grant all on api.things, api.parts, api.shown to visitor;
grant all on all sequences in schema api to visitor;
create function api.add(a int, b int default 1) returns int language sql immutable as 'select a + b';
create function api.echo(n text) returns text language sql as 'select n';
create function api.whole(json) returns json language sql as 'select $1';
`,
);

const { start } = runs;
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** @throws without a valid HTTP response in time. */
function send(
  url: string,
  { method, path, headers, body }: HostileRequest,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asking = httpRequest(
      { agent, hostname, port, method, path, headers, timeout: PATIENCE_MS },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () =>
          resolve({
            status: answer.statusCode ?? 0,
            text: `${Buffer.concat(chunks)}${JSON.stringify(answer.headers)}`,
          }),
        );
        answer.on("error", reject);
      },
    );
    asking.on("timeout", () => asking.destroy(new Error("No answer.")));
    asking.on("error", reject);
    asking.end(body);
  });
}

/** The error of a response; undefined when PostgREST could send it. */
function complaint({ status, text }: { status: number; text: string }): string | undefined {
  if (text.includes(CANARY)) return "read what is not granted";
  if (/"code":"(?:PGRSTX00|HB501|XX...|42P18)"/.test(text)) return "an accident";
  if (/syntax error at or near/.test(text)) return "a statement that is none";
  // Postgres's own failures may be 500; ours may not.
  if (status >= 500 && !/"code":"[0-9A-Z]{5}"/.test(text)) return "a failure";
  return undefined;
}

it(`answers ${REQUESTS} hostile requests of seed ${SEED}`, async () => {
  const { url, errors } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_JWT_SECRET: "a secret that is long enough for this",
    PGRST_DB_TX_END: "rollback",
    PGRST_DB_POOL: "4",
  });
  const requests = hostileRequests(SEED);
  const complaints: unknown[] = [];
  let left = REQUESTS;
  const statuses = new Map<number, number>();
  const work = async () => {
    while (left > 0) {
      left -= 1;
      const one = requests.next().value;
      try {
        const answer = await send(url, one);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
        const wrong = complaint(answer);
        if (wrong !== undefined)
          complaints.push({ wrong, ...one, body: one.body?.toString(), answer: answer.text });
      } catch (error) {
        complaints.push({ wrong: String(error), ...one, body: one.body?.toString() });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(complaints.slice(0, 5)).toEqual([]);
  // A fuzz test that always gets the same error tests nothing.
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 204, 400, 404, 405, 406]));
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 50);
  expect(errors()).not.toContain("unexpectedly");
  expect((await get(`${url}/things?select=name&order=id`)).json).toEqual([{ name: "one" }, { name: "two" }]);
  const open = await runs.cluster.admin((client) =>
    client.query(
      "select 1 from pg_stat_activity where usename = 'gate' and state like 'idle in transaction%'",
    ),
  );
  expect(open.rowCount).toBe(0);
}, 600_000);

it("takes every text for a value or a name, wherever it stands", async () => {
  const { url } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_JWT_SECRET: "a secret that is long enough for this",
    PGRST_DB_TX_END: "rollback",
  });
  const places: ((text: string) => Partial<HostileRequest> & { path: string })[] = [
    (text) => ({ path: `/${text}` }),
    (text) => ({ path: `/rpc/${text}` }),
    (text) => ({ path: `/rpc/echo?n=${text}` }),
    (text) => ({ path: `/rpc/echo?${text}=1` }),
    (text) => ({ path: `/things?select=${text}` }),
    (text) => ({ path: `/things?select=a:${text}` }),
    (text) => ({ path: `/things?select=%22${text}%22` }),
    (text) => ({ path: `/things?select=${text}:id` }),
    (text) => ({ path: `/things?select=%22${text}%22:id` }),
    (text) => ({ path: `/things?select=data-%3E%3E${text}` }),
    (text) => ({ path: `/things?select=id,parts!${text}(id)` }),
    (text) => ({ path: `/things?select=id,%22${text}%22:parts(id)` }),
    (text) => ({ path: `/things?order=${text}` }),
    (text) => ({ path: `/things?order=data-%3E${text}.desc` }),
    (text) => ({ path: `/things?${text}=eq.1` }),
    (text) => ({ path: `/things?name=eq.${text}` }),
    (text) => ({ path: `/things?name=in.(${text})` }),
    (text) => ({ path: `/things?name=in.(%22${text}%22)` }),
    (text) => ({ path: `/things?name=fts(${text}).a` }),
    (text) => ({ path: `/things?or=(name.eq.${text},id.eq.1)` }),
    (text) => ({ path: `/things?or=(${text}.eq.1)` }),
    (text) => ({ path: `/things?tags=cs.%7B${text}%7D` }),
    (text) => ({ path: `/things?limit=${text}&offset=${text}` }),
    (text) => ({
      path: `/things?id=eq.1`,
      method: "PATCH",
      body: Buffer.from(JSON.stringify({ [decodeURIComponent(text)]: "x" })),
    }),
    (text) => ({
      path: `/things?id=eq.1`,
      method: "PATCH",
      body: Buffer.from(JSON.stringify({ name: decodeURIComponent(text) })),
    }),
    (text) => ({ path: `/things?columns=${text}`, method: "POST", body: Buffer.from("{}") }),
    (text) => ({
      path: `/things?on_conflict=${text}`,
      method: "POST",
      body: Buffer.from('{"name":"one"}'),
      headers: { prefer: "resolution=merge-duplicates" },
    }),
    (text) => ({ path: `/things?name=eq.${text}`, method: "DELETE" }),
    (text) => ({
      path: "/rpc/whole",
      method: "POST",
      body: Buffer.from(JSON.stringify([{ a: decodeURIComponent(text) }])),
    }),
    (text) => ({ path: "/things", headers: { prefer: `timezone=${text}` } }),
    (text) => ({ path: "/things", headers: { "accept-profile": text } }),
  ];
  const complaints: unknown[] = [];
  for (const injection of INJECTIONS) {
    const text = encodeURIComponent(injection.toWellFormed());
    const answers = await Promise.all(
      places.map(async (place) => {
        const { method = "GET", path, headers = {}, body } = place(text);
        const request = {
          method,
          path,
          headers: { "content-type": "application/json", ...headers },
          ...(body ? { body } : {}),
        };
        return { path, ...(await send(url, request)) };
      }),
    );
    complaints.push(...answers.filter((one) => complaint(one) !== undefined || one.status >= 500));
  }
  expect(complaints).toEqual([]);
});
