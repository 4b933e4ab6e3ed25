/** Functions over HTTP, their errors, and their control of the response. */
import { expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const rest = await forThisFile(openRest());

const post = async (name: string, body: unknown, headers = {}) =>
  rest.ask("POST", `/rpc/${name}`, { body, headers });

it("calls by POST and GET, with defaults", async () => {
  expect((await post("add", { a: 1, b: 2 })).text).toBe("3");
  expect((await rest.ask("GET", "/rpc/add?a=1")).text).toBe("11");
  expect((await rest.ask("HEAD", "/rpc/add?a=1")).status).toBe(200);
});
it("gives sets of scalars as arrays, rows as objects, tables as arrays of objects", async () => {
  expect((await post("count_to", { n: 3 })).json).toEqual([1, 2, 3]);
  expect((await post("pair", {})).json).toEqual({ x: 1, y: "one" });
  const best = await rest.ask("POST", "/rpc/best?select=name,visits(note)&rating=lt.5&order=name", {
    body: { minimum: 3 },
  });
  expect(best.json).toEqual([
    { name: "Anker", visits: [{ note: "first" }, { note: "second" }] },
    { name: "Birne", visits: [] },
  ]);
});
it("filters by what looks like a filter on GET", async () => {
  expect((await rest.ask("GET", "/rpc/best?minimum=3&city=eq.Berlin&select=name")).json).toEqual([
    { name: "Clou" },
  ]);
});
it("offers functions of the row on results of a table's type", async () => {
  const path = "/rpc/best?minimum=4&select=title,neighbours(name)&title=like.*Kassel&order=title";
  expect((await rest.ask("GET", path)).json).toEqual([
    { title: "Anker in Kassel", neighbours: [{ name: "Birne" }] },
  ]);
});
it("pages and counts sets", async () => {
  const answer = await rest.ask("GET", "/rpc/best?minimum=0&select=id&limit=1&offset=1&order=id", {
    headers: { prefer: "count=exact" },
  });
  expect([answer.status, answer.json, answer.headers.get("content-range")]).toEqual([
    206,
    [{ id: 2 }],
    "1-1/3",
  ]);
});
it("answers void with 204", async () => {
  const answer = await post("nothing", {});
  expect([answer.status, answer.text]).toEqual([204, ""]);
});
it("passes variadic and unnamed parameters", async () => {
  expect((await post("numbers", { n: [1, 2, 3] })).text).toBe("3");
  expect((await rest.ask("GET", "/rpc/numbers?n=1&n=2")).text).toBe("2");
  expect((await post("whole", { deep: [1, { a: null }] })).json).toEqual({ deep: [1, { a: null }] });
  expect((await post("shout", "hey", { "content-type": "text/plain" })).json).toBe("HEY");
});
it("cannot choose between overloads of the same names, nor find what is not there", async () => {
  const several = await post("same", { a: 1 });
  expect(several.status).toBe(300);
  expect(several.json).toMatchObject({
    code: "PGRST203",
    message:
      "Could not choose the best candidate function between: public.same(a => integer), public.same(a => text)",
  });
  const none = await post("add", { a: 1, c: 2 });
  expect(none.status).toBe(404);
  expect(none.json).toEqual({
    code: "PGRST202",
    details:
      "Searched for the function public.add with parameters a, c or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.",
    hint: "Perhaps you meant to call the function public.add(a, b)",
    message: "Could not find the function public.add(a, c) in the schema cache",
  });
});
it("refuses other methods on functions", async () => {
  const answer = await rest.ask("DELETE", "/rpc/add");
  expect([answer.status, answer.json]).toMatchObject([
    405,
    { code: "PGRST101", message: "Cannot use the DELETE method on RPC" },
  ]);
});
it.each([
  ["P0001", 400],
  ["PT404", 404],
  ["23505", 409],
  ["42501", 401],
  ["57014", 500],
  ["53300", 503],
  ["40001", 500],
])("turns SQLSTATE %s into %i", async (code, status) => {
  const answer = await post("fail", { code });
  expect(answer.status).toBe(status);
  expect(answer.json).toEqual({ code, details: "why", hint: "what now", message: "it failed" });
  expect(answer.headers.get("proxy-status")).toBe(`PostgREST; error=${code}`);
});
it("lets a function make the whole error, or the status and headers of a success", async () => {
  const custom = await post("custom", {});
  expect([custom.status, custom.headers.get("x-tea"), custom.json]).toEqual([
    418,
    "none",
    { code: "mine", details: null, hint: null, message: "No tea" },
  ]);
  const teapot = await post("teapot", {});
  expect([teapot.status, teapot.headers.get("x-tea"), teapot.json]).toEqual([418, "green", "short"]);
});
it("is read-only by GET, and for stable functions", async () => {
  await rest.backend.sql(
    "create function scribble() returns void language sql as $$insert into labels values (99, 'x')$$",
  );
  const answer = await rest.ask("GET", "/rpc/scribble");
  expect([answer.status, answer.json]).toMatchObject([405, { code: "25006" }]);
});
it("tells SQL who asks for what", async () => {
  const token = await rest.tokenOf({ sub: "ada" });
  const answer = await rest.ask("POST", "/rpc/whoami", { body: {}, token });
  expect(answer.json).toEqual({
    role: "authenticated",
    sub: "ada",
    method: "POST",
    path: "/rpc/whoami",
    timeout: "8s",
  });
  expect((await post("whoami", {})).json).toMatchObject({ role: "anon", sub: null, timeout: "3s" });
});
it("cuts off what takes longer than the role may", async () => {
  const answer = await post("slow", { seconds: 5 });
  expect([answer.status, answer.json]).toMatchObject([500, { code: "57014" }]);
});
it("answers others while one is slow", async () => {
  let done = false;
  const slow = post("slow", { seconds: 2.5 }).finally(() => {
    done = true;
  });
  await Promise.all(Array.from({ length: 20 }, () => rest.ask("GET", "/places?id=eq.1")));
  expect(done).toBe(false);
  expect((await slow).json).toBe("done");
});
it("cancels the statement of a client that went away", async () => {
  const controller = new AbortController();
  const request = fetch(`${rest.backend.url}/rest/v1/rpc/slow`, {
    method: "POST",
    signal: controller.signal,
    headers: {
      apikey: rest.backend.publishableKey,
      authorization: `Bearer ${await rest.tokenOf({ sub: "ada" })}`,
      "content-type": "application/json",
    },
    body: '{"seconds": 7.5}',
  });
  await new Promise((resolve) => setTimeout(resolve, 250));
  controller.abort();
  await expect(request).rejects.toThrow();
  await expect
    .poll(
      () =>
        rest.backend.sql(
          "select 1 from pg_stat_activity where state = 'active' and query like '%\"slow\"%' and pid <> pg_backend_pid()",
        ),
      // It would end by itself after this.
      { timeout: 5_000 },
    )
    .toEqual([]);
});
it("counts all values of a set, whichever part of it is asked for", async () => {
  const answer = await rest.ask("GET", "/rpc/count_to?n=5&limit=2&offset=1", {
    headers: { prefer: "count=exact" },
  });
  expect([answer.status, answer.json, answer.headers.get("content-range")]).toEqual([206, [2, 3], "1-2/5"]);
  const beyond = await rest.ask("GET", "/rpc/count_to?n=5&offset=9", { headers: { prefer: "count=exact" } });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "*/5"]);
});
