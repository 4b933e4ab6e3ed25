/** Visibility: tokens, row level security, and attempts to bypass both. */
import { createClient } from "@supabase/supabase-js";
import { describe, expect, it } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { openRest } from "./fixture.ts";

const rest = await forThisFile(openRest());

describe("row level security", () => {
  it("shows each caller their own rows, and all to the service role", async () => {
    const ada = await rest.tokenOf({ sub: "ada" });
    expect((await rest.ask("GET", "/notes?select=body", { token: ada })).json).toEqual([{ body: "mine" }]);
    expect((await rest.ask("GET", "/notes")).json).toEqual([]);
    expect((await rest.ask("GET", "/notes", { token: "secret" })).json).toHaveLength(2);
  });
  it("does not leak from one request to the next on the same connection", async () => {
    const tokens = await Promise.all(["ada", "bob"].map((sub) => rest.tokenOf({ sub })));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        rest.ask("GET", "/notes?select=owner", { token: tokens[at % 2] ?? "" }),
      ),
    );
    for (const [at, one] of answers.entries()) expect(one.json).toEqual([{ owner: at % 2 ? "bob" : "ada" }]);
  });
  it("does not leak by embedding, filters, counts or order", async () => {
    await rest.backend.sql(
      "alter table places add column note_id int references notes(id); update places set note_id = id where id < 3",
    );
    const token = await rest.tokenOf({ sub: "ada" });
    const embedded = await rest.ask("GET", "/places?select=id,notes(body)&id=lt.3&order=id", { token });
    expect(embedded.json).toEqual([
      { id: 1, notes: { body: "mine" } },
      { id: 2, notes: null },
    ]);
    const counted = await rest.ask("HEAD", "/notes?body=eq.yours", {
      token,
      headers: { prefer: "count=exact" },
    });
    expect(counted.headers.get("content-range")).toBe("*/0");
  });
  it("refuses rows that the policy does not allow", async () => {
    const token = await rest.tokenOf({ sub: "ada" });
    const answer = await rest.ask("POST", "/notes", { token, body: { id: 9, owner: "bob", body: "x" } });
    expect([answer.status, answer.json]).toMatchObject([403, { code: "42501" }]);
    expect((await rest.ask("POST", "/notes", { body: { id: 9, owner: "bob" } })).status).toBe(401);
  });
});

describe("tokens", () => {
  const error = async (token: string) => {
    const answer = await rest.ask("GET", "/places", { token });
    return [answer.status, answer.json];
  };
  it("refuses an expired one, by the Backend's clock", async () => {
    const token = await rest.tokenOf({ sub: "ada" });
    rest.backend.clock.advance(3_700_000);
    const answer = await rest.ask("GET", "/places", { token });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({ code: "PGRST303", details: null, hint: null, message: "JWT expired" });
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer error="invalid_token", error_description="JWT expired"',
    );
    rest.backend.clock.reset();
    expect((await rest.ask("GET", "/places", { token })).status).toBe(200);
  });
  it("refuses what is malformed, forged or not yet valid", async () => {
    expect(await error("a.b")).toMatchObject([
      401,
      { code: "PGRST301", message: "Expected 3 parts in JWT; got 2" },
    ]);
    const token = await rest.tokenOf({ sub: "ada" });
    expect(await error(`${token.slice(0, -4)}AAAA`)).toMatchObject([401, { code: "PGRST301" }]);
    expect(await error(await rest.tokenOf({ nbf: Math.floor(Date.now() / 1000) + 100 }))).toMatchObject([
      401,
      { code: "PGRST303", message: "JWT not yet valid" },
    ]);
    expect(await error(await rest.tokenOf({ exp: "soon" }))).toMatchObject([
      401,
      { message: "The JWT 'exp' claim must be a number" },
    ]);
  });
  it("refuses roles that are unknown or not to be had", async () => {
    expect(await error(await rest.tokenOf({ role: "nobody" }))).toMatchObject([
      401,
      { code: "22023", message: 'role "nobody" does not exist' },
    ]);
    expect(await error(await rest.tokenOf({ role: "supabase_admin" }))).toMatchObject([
      403,
      { code: "42501" },
    ]);
  });
});

describe("injection", () => {
  const hostile = [
    `x"; drop table labels; --`,
    `x'; drop table labels; --`,
    `x) or 1=1; --`,
    `$1`,
    `\\'; select 1`,
    `x\u0000y`,
    `"a"."b"`,
    `{"}`,
  ];
  it("gets nowhere in any value", async () => {
    for (const text of hostile) {
      const value = encodeURIComponent(text);
      for (const path of [
        `name=eq.${value}`,
        `name=in.(${value})`,
        `name=like.${value}`,
        `tags=cs.${value}`,
        `name=fts(${value}).x`,
        `or=(name.eq.${value})`,
        `data->>${value}=eq.1`,
        `limit=${value}`,
      ]) {
        const answer = await rest.ask("GET", `/places?select=id&${path}`);
        expect([200, 400, 404], `${path}: ${answer.text}`).toContain(answer.status);
        if (answer.status === 200 && !path.startsWith("limit")) expect(answer.json, path).toEqual([]);
      }
    }
  });
  it("gets nowhere in any identifier", async () => {
    for (const text of hostile) {
      const raw = encodeURIComponent(text);
      const quoted = encodeURIComponent(`"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`);
      for (const path of [
        `/${raw}`,
        `/rpc/${raw}`,
        `/rpc/add?${raw}=1`,
        `/places?select=${quoted}`,
        `/places?select=id,${raw}`,
        `/places?select=a:name::${raw}`,
        `/places?select=visits!${quoted}(id)`,
        `/places?order=${quoted}`,
        `/places?${quoted}=eq.1`,
      ]) {
        const { status, text: body } = await rest.ask("GET", path);
        expect([400, 404], `${path}: ${body}`).toContain(status);
      }
      const alias = await rest.ask("GET", `/places?select=${quoted}:id&id=eq.1`);
      expect(alias.status, alias.text).toBe(200);
      const key = await rest.ask("POST", "/labels", { body: { [text]: 1 } });
      expect(key.json).toMatchObject({ code: "PGRST204" });
      const conflict = await rest.ask("POST", `/labels?on_conflict=${quoted}`, {
        body: { id: 1 },
        headers: { prefer: "resolution=merge-duplicates" },
      });
      expect(conflict.status, conflict.text).toBe(400);
    }
    expect((await rest.ask("GET", "/labels?select=id&order=id")).json).toEqual([{ id: 1 }, { id: 2 }]);
  });
  it("gets nowhere through headers", async () => {
    const answer = await rest.ask("GET", "/places?id=eq.1&select=id", {
      headers: { prefer: "timezone='; reset role; --" },
    });
    expect([answer.status, answer.json]).toMatchObject([400, { code: "22023" }]);
  });
});

describe("supabase-js", () => {
  it("works unmodified", async () => {
    const client = createClient(rest.backend.url, rest.backend.publishableKey, {
      auth: { persistSession: false },
    });
    const { data, error, count } = await client
      .from("places")
      .select("id, name, visits ( note, users!user_id ( name ) )", { count: "exact" })
      .in("id", [1, 3])
      .order("id", { ascending: false })
      .range(0, 0);
    expect(error).toBeNull();
    expect(count).toBe(2);
    expect(data).toEqual([{ id: 3, name: "Clou", visits: [{ note: "third", users: { name: "ada" } }] }]);
    const up = await client
      .from("labels")
      .upsert([
        { id: 2, label: "loud" },
        { id: 70, label: "new" },
      ])
      .select();
    expect([up.status, up.data]).toEqual([
      201,
      [
        { id: 2, label: "loud" },
        { id: 70, label: "new" },
      ],
    ]);
    expect((await client.from("labels").delete().eq("id", 70)).status).toBe(204);
    expect((await client.rpc("add", { a: 2, b: 3 })).data).toBe(5);
    expect((await client.from("places").select().eq("id", 99).maybeSingle()).data).toBeNull();
    expect((await client.from("places").select().eq("id", 99).single()).error?.code).toBe("PGRST116");
    expect((await client.from("places").select("id").order("id").csv()).data).toBe("id\n1\n2\n3");
    expect((await client.from("places").select("*", { count: "exact", head: true })).count).toBe(3);
    expect((await client.from("places").select("id").contains("tags", ["fish"])).data).toEqual([{ id: 1 }]);
    expect(
      (await client.from("places").select("id").or("name.eq.Clou,rating.lt.4").order("id")).data,
    ).toEqual([{ id: 2 }, { id: 3 }]);
    expect((await client.from("places").select("id").textSearch("name", "anker")).data).toEqual([{ id: 1 }]);
  });
});

describe("settings in the database", () => {
  it("apply after reload config", async () => {
    // In this database only, because concurrent tests share the roles.
    const setting = `alter role authenticator in database "${rest.backend.database.name}"`;
    await rest.backend.sql(`${setting} set pgrst.db_aggregates_enabled = 'true'`);
    try {
      await rest.backend.sql("notify pgrst, 'reload config'");
      await expect
        .poll(
          async () =>
            (await rest.ask("GET", "/places?select=city,count(),best:rating.max()&order=city")).json,
        )
        .toEqual([
          { city: "Berlin", count: 1, best: 5 },
          { city: "Kassel", count: 2, best: 4.5 },
        ]);
      expect((await rest.ask("GET", "/visits?select=...places(city,rating.avg())")).json).toEqual(
        expect.arrayContaining([
          { avg: 5, city: "Berlin" },
          { avg: 4.5, city: "Kassel" },
        ]),
      );
    } finally {
      await rest.backend.sql(`${setting} reset pgrst.db_aggregates_enabled`);
    }
  });
});
