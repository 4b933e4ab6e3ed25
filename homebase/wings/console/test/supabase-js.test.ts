/** A request as a call of supabase-js: the call is run, and makes the same request. */
import { createClient } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { supabaseJsOf } from "../page/parts/supabase-js.ts";
import type { Outgoing } from "../server/api.ts";

const URL_OF = "http://127.0.0.1:1";

/** What the client sends: its query without an order, as the order of parameters has no meaning. */
async function sent(code: string) {
  const requests: { method: string; path: string; query: string[]; body: unknown; prefer: string | null }[] =
    [];
  const supabase = createClient(URL_OF, "key", {
    auth: { persistSession: false, autoRefreshToken: false },
    global: {
      fetch: async (input, init) => {
        const { pathname, searchParams } = new URL(String(input));
        const headers = new Headers(init?.headers);
        requests.push({
          method: init?.method ?? "GET",
          path: pathname,
          query: [...searchParams].map((pair) => pair.join("=")).sort(),
          body: init?.body == null ? undefined : JSON.parse(String(init.body)),
          prefer: headers.get("prefer"),
        });
        return new Response("[]", { headers: { "content-type": "application/json" } });
      },
    },
  });
  await new Function("supabase", `return (async () => { ${code} })()`)(supabase);
  return requests[0];
}

const request = (method: string, path: string, body?: unknown, prefer?: string): Outgoing => ({
  method,
  path,
  headers: prefer === undefined ? {} : { prefer },
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
});

test.each([
  request("GET", "/rest/v1/notes?select=*"),
  request("GET", "/rest/v1/notes?select=id,team:teams(name)&id=eq.7&title=ilike.*menu*&done=is.null"),
  request(
    "GET",
    "/rest/v1/notes?select=id&id=in.(1,2,3)&tags=cs.{a,b}&title=not.eq.x&or=(id.gt.1,title.eq.it's)",
  ),
  request("GET", "/rest/v1/notes?select=id&order=id.desc.nullslast,title.asc&limit=10&offset=20"),
  request("GET", "/rest/v1/notes?select=id,comments(body)&comments.limit=3"),
  request("HEAD", "/rest/v1/notes?select=*", undefined, "count=exact"),
  request("POST", "/rest/v1/notes", { id: 1, title: 'a "b"' }),
  request("POST", "/rest/v1/notes?select=id", { id: 1 }, "return=representation"),
  request("POST", "/rest/v1/notes?on_conflict=id", { id: 1 }, "resolution=merge-duplicates"),
  request("PATCH", "/rest/v1/notes?id=eq.1&select=*", { done: true }, "return=representation"),
  request("DELETE", "/rest/v1/notes?id=eq.1"),
  request("POST", "/rest/v1/rpc/add", { a: 1, b: 2 }),
  request("GET", "/rest/v1/rpc/add?a=1&b=2"),
  request("POST", "/functions/v1/hello", { name: "Ana" }),
])("$method $path is the same request", async (one) => {
  const made = await sent(supabaseJsOf(one));
  const { pathname, searchParams } = new URL(URL_OF + one.path);
  expect(made).toMatchObject({
    method: one.method,
    path: pathname,
    query: [...searchParams].map((pair) => pair.join("=")).sort(),
  });
  expect(made?.body).toEqual(one.body === undefined ? undefined : JSON.parse(one.body));
  for (const word of (one.headers.prefer ?? "").split(",")) expect(made?.prefer ?? "").toContain(word);
});

test("what supabase-js cannot say is a fetch", () => {
  expect(supabaseJsOf(request("GET", "/auth/v1/user"))).toMatch(
    /^const response = await fetch\(SUPABASE_URL \+ "\/auth\/v1\/user", \{ headers: \{ apikey: SUPABASE_KEY, /,
  );
});
