/**
 * Random policies in random surroundings, asked by REST: what each explanation says is held against the answer that the
 * request had. One seed a case, which a failure names; `EXPLAIN_REQUESTS=2000` runs more of them.
 */
import { beforeAll, expect, test } from "vitest";
import { dataOf, explain, tracing } from "../../src/explain/index.ts";
import type { ExplanationData } from "../../src/explain/verdicts.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import { createBackend } from "../../src/testing/index.ts";
import { askedBy } from "../../src/tools/asked.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { useOwnCluster } from "../own-cluster.ts";
import { condition, ITEM_LEAVES, MEMBER_LEAVES, Random, SCHEMA } from "./generated-policies.ts";

const CASES = Number(process.env.EXPLAIN_REQUESTS ?? 60);
const FIRST = Number(process.env.EXPLAIN_FIRST ?? 1);
const ROWS = 24;

// Settings of roles belong to a cluster.
await useOwnCluster();
const hook = { custom_access_token: { enabled: true, uri: "pg-functions://postgres/gen/claims" } };
const backend = await forThisFile(
  createBackend({ bare: true, config: { api: { schemas: ["gen"] }, auth: { hook } } }),
);
const db = await clientForThisFile(backend.databaseUrl);

/** What surrounds a request: a hook of its token, settings of roles, a pre-request, triggers, functions that are inlined or not, an empty table. */
const SURROUNDINGS = `
  grant usage on schema gen to service_role;
  grant all on all tables in schema gen to anon, authenticated, service_role;
  create function gen.before_request() returns void language plpgsql as $$
    begin perform set_config('app.tenant', coalesce(current_setting('request.jwt.claims', true)::json ->> 'org', 'none'), true); end $$;
  -- A record keeps the headers that the schema cache has found in the catalog: this one from the beginning.
  create function gen.kind_asked() returns text language sql stable as $$ select current_setting('request.headers', true)::json ->> 'x-kind' $$;
  create table gen.vacant (like gen.items including all);
  alter table gen.vacant enable row level security;
  grant all on gen.vacant to anon, authenticated, service_role;
  create table gen.notices (id bigint generated always as identity, item int, what text);
  alter table gen.notices enable row level security;
  grant all on gen.notices to anon, authenticated, service_role;
  create function gen.notice() returns trigger language plpgsql as $$
    begin insert into gen.notices (item, what) values (coalesce(new.id, old.id), tg_op); return null; end $$;
  create trigger notice after insert or update on gen.items for each row execute function gen.notice();
  create function gen.stamp() returns trigger language plpgsql as $$
    begin new.kind := coalesce(new.kind, current_setting('app.tenant', true)); return new; end $$;
  create trigger stamp before insert on gen.items for each row execute function gen.stamp();
  create function gen.settings() returns text[] language sql stable as $$
    select array[current_setting('timezone'), current_setting('work_mem')] $$;
  create view gen.invoked with (security_invoker = true) as select id, kind, team from gen.items;
  create view gen.owned as select id, kind, team from gen.items;
  grant all on gen.invoked, gen.owned to anon, authenticated, service_role;
  create function gen.inlined(low int) returns setof gen.items language sql stable as $$ select * from gen.items i where i.id >= low $$;
  create function gen.stepwise(low int) returns setof gen.items language plpgsql stable as $$
    begin if low < 0 then return; end if; return query select * from gen.items i where i.id >= low; end $$;
  create function gen.defined(low int) returns setof gen.items language sql stable security definer set search_path = gen
    as $$ select * from items i where i.id >= low $$;
  create table gen.orgs (who uuid primary key, org text);
  create function gen.claims(event jsonb) returns jsonb language sql stable security definer set search_path = '' as $$
    select jsonb_build_object('claims', event->'claims' ||
      coalesce((select jsonb_build_object('org', o.org) from gen.orgs o where o.who = (event->>'user_id')::uuid), '{}')) $$;
  grant usage on schema gen to supabase_auth_admin;
  grant execute on function gen.claims to supabase_auth_admin;
  create function gen.looks_up(wanted int) returns boolean language plpgsql stable as $$
    declare found_level int;
    begin
      select m.level into found_level from gen.members m where m.team = wanted and m.who = auth.uid();
      if not found then return false; end if;
      return found_level >= 1;
    end $$;
`;

/** Parts that ask for what surrounds a request. */
const SURROUNDED = [
  "kind = current_setting('app.tenant', true)",
  "current_setting('work_mem') = '7MB'",
  "current_setting('timezone') = 'Asia/Kathmandu' or n > 2",
  "current_setting('request.method', true) = 'GET'",
  "extract(hour from timestamptz '2026-01-01 20:00+00') < 12",
  "gen.looks_up(team)",
  "not gen.looks_up(team)",
  "owner = nullif(current_setting('request.jwt.claims', true)::json ->> 'sub', '')::uuid",
  "team = all (array(select m.team from gen.members m where m.who = auth.uid()))",
  "(team, owner) in (select m.team, m.who from gen.members m)",
  "kind like 'a%' and kind is not null",
  "coalesce(kind, 'b') = any (string_to_array(coalesce(auth.jwt() ->> 'org', ''), ','))",
  "exists (select 1 from gen.invoked v where v.team = items.team and v.id <> items.id)",
  "(select auth.uid()) is not null and owner is not null",
  "auth.uid()::text = owner::text",
  "auth.email() is null",
  "to_jsonb(items) ->> 'kind' = 'a'",
  "items is not null",
  "row(kind, n) = row('a', 1)",
  "n = any ('{1,2}')",
  "n <> all (select m.level from gen.members m where m.team = items.team)",
  "exists (with own as (select m.team from gen.members m where m.who = auth.uid()) select 1 from own where own.team = items.team)",
  "exists (select 1 from gen.members m where m.team = items.team union all select 1 from gen.members m where m.who = items.owner)",
  "coalesce((select m.level > 0 from gen.members m where m.team = items.team and m.who = auth.uid() limit 1), false)",
  "case when (select auth.uid()) is null then kind = 'a' else exists (select 1 from gen.members m where m.who = (select auth.uid()) and m.level >= n) end",
  "team = (select m.team from gen.members m where m.who = auth.uid() order by m.level desc, m.team limit 1)",
  "(select bool_or(m.level > 1) from gen.members m where m.team = items.team)",
  "exists (select 1 from gen.members m left join gen.members o on o.team = m.team and o.who = auth.uid() where m.team = items.team and o.who is null)",
  "kind ~* '^A' or kind is null",
  "id % 2 = 0 and now() > '2020-01-01'",
  "(team, n) is distinct from (2, 3)",
  "coalesce(n, 0) + coalesce(team, 0) >= 4",
  "exists (select from generate_series(1, coalesce(n, 0)) g where g = team)",
];

/** Parts of an empty table's policies; some raise, whoever asks. */
const VACANT = [
  "true",
  "false",
  "owner = auth.uid()",
  "exists (select 1 from gen.vacant v where v.team = vacant.team)",
  "hidden.is_member(team, 1)",
  "exists (select 1 from hidden.nothing x where x = vacant.id)",
];

const ROLES = ["public", "authenticated", "anon", "authenticated, anon"];
const SETTINGS = ["timezone = 'Asia/Kathmandu'", "timezone = 'America/New_York'", "work_mem = '7MB'"];

interface Asked {
  method: string;
  path: string;
  body?: unknown;
  prefer?: string;
}

interface Case {
  sql: string;
  claims: Record<string, unknown>;
  headers: Record<string, string>;
  asked: Asked;
}

function randomRequest(random: Random): Case {
  const sql: string[] = [];
  const add = (table: string, leaves: readonly string[], most: number) => {
    for (let at = random.below(most); at >= 0; at--) {
      const command = random.pick(["all", "all", "select", "select", "insert", "update", "delete"]);
      const using = command === "insert" ? "" : `using (${condition(random, leaves, 2)})`;
      const check =
        ["insert", "all", "update"].includes(command) && (using === "" || random.below(3) === 0)
          ? `with check (${condition(random, leaves, 1)})`
          : "";
      const kind = random.below(5) === 0 ? "restrictive" : "permissive";
      sql.push(
        `create policy "${table} ${at}" on gen.${table} as ${kind} for ${command} to ${random.pick(ROLES)} ${using} ${check}`,
      );
    }
  };
  add("items", [...ITEM_LEAVES, ...SURROUNDED, ...SURROUNDED], 3);
  add("members", MEMBER_LEAVES, 2);
  add("vacant", VACANT, 2);
  add("notices", ["true", "true", "item > 12", "what = 'INSERT'", "auth.uid() is not null"], 2);
  const role = random.pick(["authenticated", "authenticated", "authenticated", "anon", "service_role"]);
  if (random.below(2) === 0) sql.push(`alter role ${role} set ${random.pick(SETTINGS)}`);
  const user = random.below(4);
  return {
    sql: sql.join(";\n"),
    claims: {
      role,
      org: random.pick(["a", "b", "a,b"]),
      ...(user === 0 ? {} : { sub: `00000000-0000-4000-8000-00000000000${user}` }),
    },
    headers: random.below(2) === 0 ? {} : { "x-kind": random.pick(["a", "b"]) },
    asked: randomAsked(random),
  };
}

function randomAsked(random: Random): Asked {
  const id = 1 + random.below(ROWS);
  const prefer = random.pick(["return=minimal", "return=representation"]);
  const choices: Asked[] = [
    { method: "GET", path: "items?select=id" },
    { method: "GET", path: "items?select=id,members:team&order=id.desc" },
    { method: "GET", path: `items?select=id&id=eq.${id}` },
    { method: "GET", path: "items?select=id&n=gt.1&limit=3" },
    { method: "GET", path: "vacant?select=id" },
    { method: "GET", path: "invoked?select=id" },
    { method: "GET", path: "owned?select=id" },
    { method: "GET", path: `rpc/inlined?low=${id}&select=id` },
    { method: "GET", path: `rpc/stepwise?low=${id}&select=id` },
    { method: "GET", path: `rpc/defined?low=${id}&select=id` },
    { method: "PATCH", path: `items?id=eq.${id}`, body: { n: random.below(5) }, prefer },
    { method: "PATCH", path: "items?team=eq.2", body: { kind: random.pick(["a", "b"]) }, prefer },
    { method: "DELETE", path: `items?id=eq.${id}`, prefer },
    { method: "POST", path: "items", body: { id: 100, team: random.below(5), n: 3 }, prefer },
    {
      method: "POST",
      path: "items",
      body: [
        { id: 101, kind: "a" },
        { id: 102, kind: "b" },
      ],
      prefer,
    },
    {
      method: "POST",
      path: "items",
      body: { id: random.pick([id, 100]), kind: "a" },
      prefer: `resolution=merge-duplicates,${prefer}`,
    },
  ];
  return random.pick(choices);
}

beforeAll(async () => {
  await backend.sql(`${SCHEMA}
    ${SURROUNDINGS}
    create view hidden.nothing as select 1 as x;
    create table hidden.kept as table gen.items;
    do $$ begin execute format('alter role authenticator in database %I set pgrst.db_pre_request = %L', current_database(), 'gen.before_request'); end $$;
    notify pgrst, 'reload schema'; notify pgrst, 'reload config'`);
});

/** A user's id, and the refresh token of their session. */
const sessions = new Map<string, string>();

/** A token as Auth issues it, with the claims that the hook adds. */
async function issued(sub: string, org: unknown): Promise<string> {
  const post = async (path: string, key: string, body: object) => {
    const answer = await fetch(`${backend.url}/auth/v1/${path}`, {
      method: "POST",
      headers: { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { access_token: string; refresh_token: string };
  };
  await db.query("insert into gen.orgs values ($1, $2) on conflict (who) do update set org = excluded.org", [
    sub,
    org,
  ]);
  const person = { email: `${sub}@example.com`, password: "long-enough-for-all" };
  const known = sessions.get(sub);
  if (known === undefined)
    await post("admin/users", backend.secretKey, { ...person, id: sub, email_confirm: true });
  const session =
    known === undefined
      ? await post("token?grant_type=password", backend.publishableKey, person)
      : await post("token?grant_type=refresh_token", backend.publishableKey, { refresh_token: known });
  sessions.set(sub, session.refresh_token);
  return session.access_token;
}

/** As before a case: rows, policies, settings of roles. */
async function restore(): Promise<void> {
  await db.query(
    `do $$ declare one record; begin
       for one in select polname, polrelid::regclass as of from pg_policy where polrelid::regclass::text like 'gen.%' loop
         execute format('drop policy %I on %s', one.polname, one.of);
       end loop;
     end $$;
     alter role authenticated reset timezone; alter role anon reset timezone; alter role service_role reset timezone;
     alter role authenticated reset work_mem; alter role anon reset work_mem; alter role service_role reset work_mem;
     set session_replication_role = replica;
     delete from gen.items; insert into gen.items table hidden.kept; delete from gen.notices;
     reset session_replication_role`,
  );
}

test(
  `${CASES} random requests: an explanation says what was answered`,
  async () => {
    const counts = { refused: 0, hidden: 0, allowed: 0, failed: 0, cut: 0 };
    for (let seed = FIRST; seed < FIRST + CASES; seed++) counts[await check(seed)] += 1;
    const { cut, ...seen } = counts;
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(0);
    // On a busy machine some explanations end at their second, and say so.
    expect(cut).toBeLessThan(CASES / 2);
  },
  CASES * 1_000 + 30_000,
);

/** @returns what became of the request. */
async function check(seed: number): Promise<"refused" | "hidden" | "allowed" | "failed" | "cut"> {
  const { sql, claims, headers, asked } = randomRequest(new Random(seed));
  await restore();
  await db.query(`${sql}; notify pgrst, 'reload config'`);
  const now = Math.floor(backend.clock.now() / 1000);
  // Auth's tokens are of this role.
  const user = claims.role === "authenticated" && typeof claims.sub === "string" ? claims.sub : undefined;
  const token = user
    ? await issued(user, claims.org)
    : await backend.backend.keys.sign({ ...claims, iat: now, exp: now + 600 });
  const ask = ({ method, path, body, prefer }: Asked) =>
    fetch(`${backend.url}/rest/v1/${path}`, {
      method,
      headers: {
        apikey: backend.publishableKey,
        authorization: `Bearer ${token}`,
        ...(body ? { "content-type": "application/json" } : {}),
        ...(prefer ? { prefer } : {}),
        ...headers,
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  // REST reads the settings of roles when it is told to.
  const { rows: given } = await db.query<{ name: string; value: string }>(
    `select lower(split_part(one, '=', 1)) as name, split_part(one, '=', 2) as value
     from pg_db_role_setting, unnest(setconfig) one where setrole = $1::regrole and setdatabase = 0`,
    [claims.role],
  );
  const setting = (wanted: string) => given.find(({ name }) => name === wanted)?.value;
  await expect
    .poll(async () => (await (await ask({ method: "GET", path: "rpc/settings" })).json()) as string[])
    .toEqual([setting("timezone") ?? "UTC", setting("work_mem") ?? "4MB"]);
  const response = await ask(asked);
  const text = await response.text();
  const answer = text === "" ? undefined : JSON.parse(text);
  const explanation = await backend.explain();
  const told = `seed ${seed}: ${asked.method} ${asked.path} ${JSON.stringify(asked.body)} ${asked.prefer}\n${JSON.stringify(claims)}\n${sql}\n${response.status} ${text}\n${explanation.sentences.map((one) => `${one.kind}: ${one.text}`).join("\n")}`;
  expect(explanation.sentences.length, told).toBeGreaterThan(0);
  if (explanation.sentences.some((one) => one.text.includes("longer than 1 s here"))) return "cut";
  const kinds = explanation.sentences.map(({ kind }) => kind);
  if (user && asked.method === "GET") {
    const by = { method: "GET", path: `/rest/v1/${asked.path}`, as: user, headers };
    const withTrace = tracing(() => explainLogin(backend.database));
    const settings = { schemas: ["gen"], extraSearchPath: ["public", "extensions"] };
    const again = dataOf(
      await explain(db, await askedBy(db, by, backend.config), { api: settings, withTrace }),
    );
    expect([again.sentences.filter(({ kind }) => kind === "hidden").length, seenOf(again)], told).toEqual([
      kinds.filter((kind) => kind === "hidden").length,
      seenOf(explanation),
    ]);
  }
  const wrote = asked.method !== "GET" && response.ok;
  // What a write that went through has changed is not there to be judged again.
  if (!wrote) expect(kinds, told).not.toContain("changed");
  if (!response.ok) {
    const { code, message } = answer as { code: string; message: string };
    if (code !== "42501") {
      expect(kinds, told).toSatisfy((all: string[]) => all.includes("answer") || all.includes("refused"));
      return "failed";
    }
    expect(kinds, told).toContain("refused");
    const table = /for table "(\w+)"/.exec(message)?.[1];
    const named = explanation.sentences.filter(({ kind }) => kind === "refused");
    if (table)
      expect(
        named.map((one) => one.table?.name),
        told,
      ).toContain(table);
    return "refused";
  }
  expect(kinds, told).not.toContain("refused");
  if (asked.path.startsWith("vacant")) expect(kinds, told).toContain("absent");
  const low = /low=(\d+)/.exec(asked.path)?.[1];
  const all = low ? ROWS + 1 - Number(low) : ROWS;
  if (asked.method === "GET" && !/^items|^vacant/.test(asked.path))
    expect(kinds.includes("hidden"), told).toBe(answer.length < all);
  if (wrote && answer?.length === 0)
    expect(kinds, told).toSatisfy((all: string[]) => all.some((one) => /hidden|absent/.test(one)));
  if (asked.method === "GET" && asked.path.startsWith("items")) {
    const seen = seenOf(explanation);
    if (seen === undefined) expect(claims.role, told).toBe("service_role");
    else if (asked.path.includes("limit")) expect(answer.length, told).toBe(Math.min(3, seen));
    else expect(answer.length, told).toBe(seen);
  }
  return kinds.includes("hidden") ? "hidden" : "allowed";
}

/** How many rows of the first table the verdicts let the caller read. */
function seenOf({ tables }: ExplanationData): number | undefined {
  const [first] = tables;
  if (first?.rowSecurity !== "on") return undefined;
  const [judged] = first.judged;
  return (judged?.groups ?? []).reduce((sum, { visible, count }) => sum + (visible ? count : 0), 0);
}
