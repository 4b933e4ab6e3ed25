/** Writes that change nothing or return nothing: empty bodies, empty embeds, counts, and what each needs to read. */
import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(`
    create table public.mailbox (id int primary key, body text);
    revoke all on public.mailbox from anon, authenticated, service_role;
    grant insert, update, delete on public.mailbox to anon;
    grant select on public.mailbox to service_role;
    create view public.totals as select city, count(*) as n from public.places group by city;`);
});

const shown = { prefer: "return=representation" };
const code = (json: unknown) => (json as { code?: string } | undefined)?.code;

describe("an update without columns", () => {
  it.each([{}, [], [{}]])("changes nothing and returns no rows: %j", async (body) => {
    const silent = await rest.ask("PATCH", "/places?id=eq.1", { body });
    expect([silent.status, silent.text]).toEqual([204, ""]);
    const full = await rest.ask("PATCH", "/places?id=eq.1&select=id,visits(note)", { body, headers: shown });
    expect([full.status, full.json]).toEqual([200, []]);
    expect((await rest.ask("GET", "/places?id=eq.1&select=name")).json).toEqual([{ name: "Anker" }]);
  });
  it("works on a view that cannot be updated", async () => {
    expect((await rest.ask("PATCH", "/totals?city=eq.Kassel", { body: {} })).status).toBe(204);
    const full = await rest.ask("PATCH", "/totals?city=eq.Kassel", { body: {}, headers: shown });
    expect([full.status, full.json]).toEqual([200, []]);
  });
  it("needs SELECT", async () => {
    const answer = await rest.ask("PATCH", "/mailbox?id=eq.1", { body: {} });
    expect([answer.status, code(answer.json)]).toEqual([401, "42501"]);
  });
});

describe("a representation without columns", () => {
  it("has empty objects for an empty embed", async () => {
    expect((await rest.ask("GET", "/visits?select=places()&limit=2")).json).toEqual([{}, {}]);
    const written = await rest.ask("PATCH", "/visits?id=eq.1&select=places()", {
      body: { note: "first" },
      headers: shown,
    });
    expect([written.status, written.json]).toEqual([200, [{}]]);
  });
  it("has all columns for an empty select", async () => {
    expect((await rest.ask("GET", "/labels?select=&id=eq.1")).json).toEqual([{ id: 1, label: "cosy" }]);
  });
  it("has the count of written rows", async () => {
    await rest.backend.sql("alter role authenticator set pgrst.db_aggregates_enabled = 'true'");
    await rest.backend.sql("notify pgrst, 'reload config'");
    await expect.poll(async () => (await rest.ask("GET", "/labels?select=count()")).status).toBe(200);
    const written = await rest.ask("POST", "/labels?select=count()", {
      body: [
        { id: 80, label: "x" },
        { id: 81, label: "y" },
      ],
      headers: shown,
    });
    expect([written.status, written.json]).toEqual([201, [{ count: 2 }]]);
  });
});

describe("return=headers-only", () => {
  const headers = { prefer: "return=headers-only" };
  it("needs SELECT, as a representation does", async () => {
    const body = { id: 1, body: "x" };
    expect((await rest.ask("POST", "/mailbox", { body })).status).toBe(201);
    for (const [method, query] of [
      ["POST", ""],
      ["PATCH", "?id=eq.1"],
      ["DELETE", "?id=eq.1"],
    ] as const) {
      const sent = method === "DELETE" ? { headers } : { headers, body: { ...body, id: 2 } };
      const answer = await rest.ask(method, `/mailbox${query}`, sent);
      expect([method, answer.status, code(answer.json)]).toEqual([method, 401, "42501"]);
    }
  });
  it("checks select", async () => {
    for (const [method, path] of [
      ["POST", "/labels?select=nope"],
      ["PATCH", "/labels?select=nope&id=eq.1"],
      ["DELETE", "/labels?select=nope&id=eq.77"],
    ] as const) {
      const sent = method === "DELETE" ? { headers } : { headers, body: { id: 1, label: "cosy" } };
      const answer = await rest.ask(method, path, sent);
      expect([method, answer.status, code(answer.json)]).toEqual([method, 400, "42703"]);
    }
  });
  it("names the row, whatever is selected", async () => {
    const answer = await rest.ask("POST", "/labels?select=label", { headers, body: { id: 70, label: "z" } });
    expect([answer.status, answer.headers.get("location"), answer.text]).toEqual([
      201,
      "/labels?id=eq.70",
      "",
    ]);
  });
});

it("refuses a token whose role is null", async () => {
  const token = await rest.tokenOf({ role: null });
  const answer = await rest.ask("GET", "/labels", { token });
  expect([answer.status, code(answer.json)]).toEqual([401, "22023"]);
});
