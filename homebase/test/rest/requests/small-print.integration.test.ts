/** Small rules of requests and responses that PostgREST keeps, one test each. */
import { expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const rest = await forThisFile(openRest());

const code = (json: unknown) => (json as { code?: string } | undefined)?.code;

it("separates parameters by semicolons too", async () => {
  expect((await rest.ask("GET", "/labels?select=id;order=id.desc;limit=1")).json).toEqual([{ id: 2 }]);
});
it("refuses an unknown value of tx when handling is strict", async () => {
  const answer = await rest.ask("GET", "/labels", { headers: { prefer: "handling=strict, tx=foo" } });
  expect([answer.status, code(answer.json)]).toEqual([400, "PGRST122"]);
  const known = await rest.ask("GET", "/labels", { headers: { prefer: "handling=strict, tx=commit" } });
  expect(known.status).toBe(200);
});
it.each([
  ["application/vnd.pgrst.array+json", 201],
  ["application/vnd.pgrst.array; charset=utf-8", 201],
  ["application/vnd.pgrst.array+json;nulls=stripped", 400],
  ["", 400],
])("takes a body of type %j with %d", async (type, status) => {
  const body = [{ id: 500 + status + type.length, label: "typed" }];
  expect((await rest.ask("POST", "/labels", { body, headers: { "content-type": type } })).status).toBe(
    status,
  );
});
it("gives an empty body to a single unnamed parameter as it is", async () => {
  const answer = await rest.ask("POST", "/rpc/whole", {
    body: "",
    headers: { "content-type": "application/json" },
  });
  expect([answer.status, code(answer.json)]).toEqual([400, "22P02"]);
  expect((await rest.ask("POST", "/rpc/nothing", { body: "" })).status).toBe(204);
});
it("refuses half a surrogate pair", async () => {
  const post = (label: string) =>
    rest.ask("POST", "/labels", { body: `{"id":${next++},"label":"${label}"}` });
  let next = 900;
  for (const half of ["\\ud800", "\\uDC00", "\\ud83dx", "\\ud83d\\ud83d\\ude00", "\\\\\\ud800"]) {
    expect([half, code((await post(half)).json)]).toEqual([half, "PGRST102"]);
  }
  for (const whole of ["\\ud83d\\ude00", "\\\\ud800", "\\u00df"]) {
    expect([whole, (await post(whole)).status]).toEqual([whole, 201]);
  }
});
it("describes the function that the query would call", async () => {
  expect((await rest.ask("OPTIONS", "/rpc/add?a=1")).status).toBe(200);
  expect((await rest.ask("OPTIONS", "/rpc/pair")).headers.get("allow")).toBe("OPTIONS,POST");
  const without = await rest.ask("OPTIONS", "/rpc/add");
  expect([without.status, code(without.json)]).toEqual([404, "PGRST202"]);
});
it("leaves numbers of rows beyond a bigint to Postgres", async () => {
  const huge = "9".repeat(25);
  const offset = await rest.ask("GET", `/labels?offset=${huge}`);
  expect([offset.status, code(offset.json)]).toEqual([400, "22003"]);
  expect((await rest.ask("GET", `/labels?select=id&id=lt.3&limit=${huge}`)).status).toBe(200);
});
it("counts parents whatever the limit inside an inner embed is", async () => {
  const path = "/places?select=id,visits!inner(id)&visits.limit=0&limit=5";
  const answer = await rest.ask("GET", path, { headers: { prefer: "count=exact" } });
  expect(answer.headers.get("content-range")).toBe("*/2");
});
it("joins repeated parameters in Content-Location", async () => {
  const answer = await rest.ask("GET", "/labels?id=gt.0&select=id&id=lt.2");
  expect(answer.headers.get("content-location")).toBe("/labels?id=gt.0,lt.2&select=id");
});
it("leaves a Content-Location out that would be longer than what Node's fetch reads", async () => {
  const ids = Array.from(
    { length: 420 },
    (_, at) => `00000000-0000-4000-8000-${String(at).padStart(12, "0")}`,
  );
  const answer = await rest.ask("GET", `/labels?select=id&label=in.(${ids.join()})`);
  expect(answer.status).toBe(200);
  expect(answer.headers.has("content-location")).toBe(false);
});
it("names the schema beside each Content-Type, and what varies on each response but errors", async () => {
  const seen = async (
    method: string,
    path: string,
    extra: { body?: unknown; prefer?: string; accept?: string } = {},
  ) => {
    const { prefer, accept, ...rest_ } = extra;
    const asked = { "content-profile": "public", "accept-profile": "public" };
    const headers = { ...asked, ...(prefer ? { prefer } : {}), ...(accept ? { accept } : {}) };
    const answer = await rest.ask(method, path, { ...rest_, headers });
    const [type, profile, vary] = ["content-type", "content-profile", "vary"].map((name) =>
      answer.headers.get(name),
    );
    return [answer.status, type !== null, profile, vary];
  };
  const varies = "Accept, Prefer, Range";
  expect(await seen("GET", "/labels?limit=1")).toEqual([200, true, "public", varies]);
  expect(await seen("GET", "/")).toEqual([200, true, "public", varies]);
  expect(await seen("OPTIONS", "/labels")).toEqual([200, false, null, varies]);
  expect(await seen("POST", "/rpc/nothing", { body: "" })).toEqual([204, false, null, varies]);
  const body = { id: 7001, label: "profiled" };
  expect(await seen("POST", "/labels", { body })).toEqual([201, false, null, varies]);
  const prefer = "return=representation";
  expect(await seen("DELETE", "/labels?id=eq.7001", { prefer })).toEqual([200, true, "public", varies]);
  expect(await seen("GET", "/labels?nothing=eq.1")).toEqual([400, true, null, null]);
});
