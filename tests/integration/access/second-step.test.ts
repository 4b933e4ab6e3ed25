/**
 * A person with a verified second factor whose session has not passed it (`aal1`): can read and change
 * nothing through the API. Tables and functions are taken from the catalog, so a new one is tested without
 * being listed.
 */

import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { digits } from "../../e2e/authenticator.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";
import { joinPrivate } from "../live.ts";
import { dataOf, type NoshClient, people, place, plans, signedIn } from "../people.ts";

/** Ana before and after her second step. */
let half: NoshClient;

const backend = await forThisFile(createBackend());
const whole = await signedIn(backend, "ana");
beforeAll(async () => {
  const { id, totp } = dataOf(await whole.auth.mfa.enroll({ factorType: "totp" }));
  dataOf(await whole.auth.mfa.challengeAndVerify({ factorId: id, code: digits(totp.secret) }));
  half = await signedIn(backend, "ana");
});

/** Tables on which role authenticated has the privilege, or has it on some column. */
async function tablesWith(privilege: "SELECT" | "INSERT" | "UPDATE" | "DELETE"): Promise<string[]> {
  const rows = await backend.sql<{ name: string }>(
    `select c.relname as name from pg_class as c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v')
       and ${
         privilege === "DELETE"
           ? "has_table_privilege('authenticated', c.oid, 'DELETE')"
           : `has_any_column_privilege('authenticated', c.oid, '${privilege}')`
       } order by 1`,
  );
  return rows.map((row) => row.name);
}

/** A column of a table with the privilege, a key column first. */
async function columnOf(table: string, privilege: string): Promise<string> {
  const [row] = await backend.sql<{ name: string }>(
    `select a.attname as name from pg_attribute as a
     where a.attrelid = ('public.' || $1)::regclass and a.attnum > 0 and not a.attisdropped
       and has_column_privilege('authenticated', a.attrelid, a.attnum, $2) order by a.attnum limit 1`,
    [table, privilege],
  );
  if (!row) throw new Error(`No column of ${table} for ${privilege}.`);
  return row.name;
}

/** Every row of Nosh's schemas, as one text: a call must not change it. */
async function everything(): Promise<string> {
  const tables = await backend.sql<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class as c
     where c.relnamespace in ('public'::regnamespace, 'private'::regnamespace) and c.relkind = 'r'
       or c.oid in ('auth.users'::regclass, 'auth.sessions'::regclass) order by 1`,
  );
  const sums = await Promise.all(
    tables.map(({ name }) =>
      backend.sql(
        `select md5(coalesce(string_agg(t::text, '' order by t::text), '')) as sum from ${name} as t`,
      ),
    ),
  );
  return JSON.stringify(tables.map(({ name }, at) => [name, sums[at]]));
}

const any = (client: NoshClient, table: string) => client.from(table as "plans");

describe("tables", () => {
  test("none shows a row before the second step; after it, the same questions have answers", async () => {
    const shown: string[] = [];
    for (const table of await tablesWith("SELECT")) {
      const column = (await columnOf(table, "SELECT")) as "id";
      expect({ table, rows: dataOf(await any(half, table).select(column)) }).toEqual({ table, rows: [] });
      if (dataOf(await any(whole, table).select(column).limit(1)).length > 0) shown.push(table);
    }
    expect(shown).toEqual(expect.arrayContaining(["plans", "profiles", "places", "messages", "circles"]));
  });

  test("none can be changed or emptied before the second step", async () => {
    const before = await everything();
    for (const table of await tablesWith("UPDATE")) {
      const column = await columnOf(table, "UPDATE");
      const key = (await columnOf(table, "SELECT")) as "id";
      const [sample] = await backend.sql<{ value: string }>(
        `select ${column} as value from public.${table} limit 1`,
      );
      const answer = await any(half, table)
        .update({ [column]: sample?.value ?? null } as never)
        .not(key, "is", null)
        .select(key);
      expect({ table, rows: answer.data ?? [] }).toEqual({ table, rows: [] });
    }
    for (const table of await tablesWith("DELETE")) {
      const key = (await columnOf(table, "SELECT")) as "id";
      const answer = await any(half, table).delete().not(key, "is", null).select(key);
      expect({ table, rows: answer.data ?? [] }).toEqual({ table, rows: [] });
    }
    expect(await everything()).toBe(before);
  });

  test("none takes a row before the second step", async () => {
    const rows: Record<string, object> = {
      messages: { plan_id: plans.dinner, author_id: people.ana, client_id: crypto.randomUUID(), body: "Hi" },
      photos: {
        plan_id: plans.dinner,
        author_id: people.ana,
        path: `${plans.dinner}/${people.ana}/x.webp`,
        width: 1,
        height: 1,
      },
      places: { name: "X", latitude: 1, longitude: 1, price: 1, time_zone: "UTC", created_by: people.ana },
      reactions: { message_id: await aMessage(), plan_id: plans.dinner, user_id: people.ana, emoji: "😮" },
      saved_places: { user_id: people.ana, place_id: await anUnsavedPlace() },
      usual_times: { user_id: people.ana, weekday: 5, part: "dinner", answer: "yes" },
      circle_places: { circle_id: "00000000-0000-4000-8000-0000000000c1", place_id: place(24) },
      place_hours: { place_id: await aPlaceOf(people.ana), weekday: 3, opens: "01:00", closes: "02:00" },
    };
    expect(Object.keys(rows)).toEqual(expect.arrayContaining(await tablesWith("INSERT")));
    const before = await everything();
    for (const [table, row] of Object.entries(rows)) {
      const { status } = await any(half, table).insert(row as never);
      expect({ table, status }).toEqual({ table, status: 403 });
    }
    expect(await everything()).toBe(before);
    // The same rows are accepted after the second step: the session caused the rejection, not the row.
    for (const [table, row] of Object.entries(rows)) {
      const { status, error } = await any(whole, table).insert(row as never);
      expect({ table, status, error }).toEqual({ table, status: 201, error: null });
    }
  });
});

async function aMessage(): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(
    "select id from public.messages where plan_id = $1 and deleted_at is null limit 1",
    [plans.dinner],
  );
  return row?.id ?? "";
}

async function anUnsavedPlace(): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(
    "select id from public.places where id not in (select place_id from public.saved_places where user_id = $1) limit 1",
    [people.ana],
  );
  return row?.id ?? "";
}

async function aPlaceOf(person: string): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(
    `insert into public.places (name, latitude, longitude, price, time_zone, created_by)
     values ('Hers', 1, 1, 1, 'UTC', $1) returning id`,
    [person],
  );
  return row?.id ?? "";
}

describe("functions", () => {
  /** Each argument's value, by its name: it would change something for Ana if her session could. */
  const values: Record<string, unknown> = {
    plan: plans.dinner,
    circle: "00000000-0000-4000-8000-0000000000c1",
    person: people.ben,
    place: place(4),
    title: "Dinner",
    name: "Circle",
    time_zone: "Europe/Lisbon",
    starts_at: new Date(Date.now() + 86_400_000).toISOString(),
    ends_at: new Date(Date.now() + 90_000_000).toISOString(),
    up_to: new Date().toISOString(),
    address: "a@b.test",
    addresses: ["a@b.test"],
    answer: "declined",
    status: "on_the_way",
    stars: 5,
    diet: "vegan",
    holds: false,
    required: true,
    role: "cohost",
    said: "Come in",
    endpoint: "https://push.test/x",
    p256dh: `B${"A".repeat(86)}`,
    auth: "A".repeat(22),
    body: "Other words",
    fields: { name: "X", latitude: 1, longitude: 1, price: 1, time_zone: "UTC" },
    token: "nonsense",
    invites: false,
    reminders: false,
    time_option: crypto.randomUUID(),
    was_time: crypto.randomUUID(),
    was_place: crypto.randomUUID(),
    place_option: crypto.randomUUID(),
    message: crypto.randomUUID(),
    invite: crypto.randomUUID(),
    note: "Made up.",
    hello: "Hello",
    session: crypto.randomUUID(),
    dinner: crypto.randomUUID(),
    standing: null,
    rhythm: "weekly",
    rotation: "joining",
    first_on: new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10),
    day: new Date().toISOString().slice(0, 10),
    minutes: 120,
    paused: true,
    welcome: true,
    seat_of: crypto.randomUUID(),
    allow: true,
  };

  test("none of them answers or changes anything before the second step", async () => {
    const functions = await backend.sql<{ name: string; needed: string[]; open: boolean }>(
      `select p.proname as name, has_function_privilege('anon', p.oid, 'execute') as open,
         (coalesce(p.proargnames, '{}'))[1:p.pronargs - p.pronargdefaults] as needed
       from pg_proc as p where p.pronamespace = 'public'::regnamespace and p.prorettype <> 'trigger'::regtype
         and has_function_privilege('authenticated', p.oid, 'execute') order by 1`,
    );
    expect(functions.length).toBeGreaterThan(35);
    values.message = await aMessage();
    const before = await everything();
    for (const { name, needed, open } of functions) {
      const unknown = needed.filter((argument) => !(argument in values));
      expect({ name, unknown }).toEqual({ name, unknown: [] });
      const given = Object.fromEntries(needed.map((argument) => [argument, values[argument]]));
      if (name === "set_circle_role") given.role = "admin";
      if (name === "save_standing_dinner") given.starts_at = "19:30";
      const { data, error } = await half.rpc(name as "my_sessions", given as never);
      // Functions for signed-out callers depend only on their secret argument.
      if (open) continue;
      if (error)
        expect({ ...error, name }).toMatchObject({ name, code: "PT403", details: "second_step_needed" });
      // Functions with the caller's rights read the rows that row security allows: none.
      else expect({ name, data }).toEqual({ name, data: [] });
    }
    expect(await everything()).toBe(before);
  });

  test("an invitation is not accepted before the second step, and is after it", async () => {
    const ben = await signedIn(backend, "ben");
    const made = dataOf(await ben.rpc("create_plan", { title: "Ben's", time_zone: "UTC" }));
    const [invite] = dataOf(await ben.rpc("create_invite", { plan: made }));
    const token = invite?.token ?? "";
    expect((await half.rpc("accept_invite", { token })).error).toMatchObject({
      details: "second_step_needed",
    });
    expect(dataOf(await whole.rpc("accept_invite", { token }))).toEqual([{ kind: "plan", target: made }]);
    // Nor does the preview say that she is there.
    expect(dataOf(await half.rpc("preview_invite", { token }))).toMatchObject([
      { joined: false, target: null },
    ]);
  });
});

test("files and the live channel are closed before the second step, and open after it", async () => {
  const file = new Blob(["x"], { type: "image/webp" });
  const path = `${people.ana}/${crypto.randomUUID()}.webp`;
  expect((await half.storage.from("avatars").upload(path, file)).error).not.toBeNull();
  expect((await whole.storage.from("avatars").upload(path, file)).error).toBeNull();
  expect(dataOf(await half.storage.from("avatars").list(people.ana))).toEqual([]);
  expect((await joinPrivate(half, `plan:${plans.dinner}:0`)).status).toBe("CHANNEL_ERROR");
  // The client library sends Realtime no new token after a second step; with the session's own it may listen.
  await whole.realtime.setAuth(dataOf(await whole.auth.getSession()).session?.access_token);
  expect((await joinPrivate(whole, `plan:${plans.dinner}:0`)).status).toBe("SUBSCRIBED");
  await Promise.all([half.removeAllChannels(), whole.removeAllChannels()]);
});

test("what finishing the second step needs stays allowed, and then everything is", async () => {
  const client = await signedIn(backend, "ana");
  const { totp } = dataOf(await client.auth.mfa.listFactors());
  expect(totp).toHaveLength(1);
  expect(dataOf(await client.auth.mfa.getAuthenticatorAssuranceLevel())).toMatchObject({
    currentLevel: "aal1",
    nextLevel: "aal2",
  });
  expect((await client.auth.signOut()).error).toBeNull();
});

test("whoever has no verified factor needs no second step", async () => {
  const ben = await signedIn(backend, "ben");
  dataOf(await ben.auth.mfa.enroll({ factorType: "totp" }));
  expect(dataOf(await ben.from("plans").select("id")).length).toBeGreaterThan(0);
});

test("the check runs once a statement, however many rows it reads", async () => {
  const client = new pg.Client(backend.databaseUrl);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ sub: people.ben, role: "authenticated", aal: "aal1" }),
    ]);
    await client.query("set local role authenticated");
    for (const table of ["messages", "profiles", "saved_places", "places", "notifications"]) {
      const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
        `explain (analyze, timing off, format json) select * from public.${table}`,
      );
      const nodes = nodesOf(rows[0]?.["QUERY PLAN"][0]?.Plan);
      // The check of the caller is an InitPlan, evaluated at most once; no scan evaluates it per row.
      for (const node of nodes) {
        expect(`${table}: ${node.Filter ?? ""} ${node["Index Cond"] ?? ""}`).not.toMatch(/caller|auth\./);
        if (node["Parent Relationship"] === "InitPlan") expect(node["Actual Loops"]).toBeLessThanOrEqual(1);
      }
    }
  } finally {
    await client.end();
  }
});

interface PlanNode {
  Filter?: string;
  "Index Cond"?: string;
  "Parent Relationship"?: string;
  "Actual Loops": number;
  Plans?: PlanNode[];
}

function nodesOf(node: PlanNode | undefined): PlanNode[] {
  return node ? [node, ...(node.Plans ?? []).flatMap(nodesOf)] : [];
}
