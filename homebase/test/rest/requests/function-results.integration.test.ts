/** What a function's result becomes: void functions of each volatility, and reads over scalar results. */
import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const VOLATILITIES = ["volatile", "stable", "immutable"] as const;

const FUNCTIONS = VOLATILITIES.map(
  (volatility) => `
create function public.refuse_${volatility}() returns void language plpgsql ${volatility} as $$
  begin raise exception 'not allowed'; end $$;
create function public.mark_${volatility}() returns void language plpgsql ${volatility} as $$
  begin
    perform set_config('response.headers', '[{"X-Mark":"${volatility}"}]', true);
    perform set_config('response.status', '202', true);
  end $$;
create function public.one_${volatility}() returns int language sql ${volatility} as 'select 7';
create function public.some_${volatility}() returns setof int language sql ${volatility} as
  'select * from (values (3), (1), (2)) v';`,
).join("");

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(`${FUNCTIONS}
    create function public.document() returns json language sql stable as $$select '{"a":null,"b":1}'::json$$;
    create function public.nobody() returns setof void language sql stable as $$select from generate_series(1, 2)$$;`);
});

describe.each(VOLATILITIES)("a %s function", (volatility) => {
  const methods = volatility === "volatile" ? ["POST"] : ["POST", "GET"];
  it.each(methods)("that returns void runs by %s, so its errors and settings count", async (method) => {
    const body = method === "POST" ? { body: {} } : {};
    for (let time = 0; time < 3; time++) {
      const marked = await rest.ask(method, `/rpc/mark_${volatility}`, body);
      expect([marked.status, marked.headers.get("x-mark"), marked.text]).toEqual([202, volatility, ""]);
    }
    const refused = await rest.ask(method, `/rpc/refuse_${volatility}`, body);
    expect([refused.status, refused.json]).toMatchObject([400, { code: "P0001", message: "not allowed" }]);
  });
  it("that returns a scalar can be selected from, filtered and cut", async () => {
    const ask = async (query: string) => {
      const { status, text, json } = await rest.ask("POST", `/rpc/one_${volatility}?${query}`, { body: {} });
      return status === 200 ? text : [status, (json as { code: string; message: string }).code];
    };
    expect(await ask("")).toBe("7");
    expect(await ask("pgrst_scalar=eq.7")).toBe("7");
    expect(await ask("pgrst_scalar=eq.8")).toBe("null");
    expect(await ask("limit=0")).toBe("null");
    expect(await ask("offset=1")).toBe("null");
    expect(await ask("select=pgrst_scalar::text")).toBe('"7"');
    expect(await ask("nmae=eq.7")).toEqual([400, "42703"]);
    expect(await ask("select=nmae")).toEqual([400, "42703"]);
    expect(await ask("order=nmae")).toEqual([400, "42703"]);
    expect(await ask("or=(nmae.eq.1,nmae.eq.2)")).toEqual([400, "42703"]);
  });
  it("that returns scalars can be filtered, ordered, cut and counted", async () => {
    const ask = async (query: string, headers: Record<string, string> = {}) => {
      const answer = await rest.ask("POST", `/rpc/some_${volatility}?${query}`, { body: {}, headers });
      return [answer.status, answer.json, answer.headers.get("content-range")];
    };
    const exact = { prefer: "count=exact" };
    expect(await ask("order=pgrst_scalar")).toEqual([200, [1, 2, 3], "0-2/*"]);
    expect(await ask("order=pgrst_scalar.desc&limit=2", exact)).toEqual([206, [3, 2], "0-1/3"]);
    expect(await ask("pgrst_scalar=gt.1&order=pgrst_scalar", exact)).toEqual([200, [2, 3], "0-1/2"]);
    expect(await ask("offset=5")).toEqual([200, [], "*/*"]);
    expect(await ask("nmae=eq.1")).toMatchObject([400, { code: "42703" }, null]);
  });
});

it("refuses to embed in a scalar result", async () => {
  const answer = await rest.ask("POST", "/rpc/one_stable?select=places(id)", { body: {} });
  expect([answer.status, (answer.json as { code: string }).code]).toEqual([400, "PGRST200"]);
});

it("strips nulls of a scalar result", async () => {
  const accept = "application/vnd.pgrst.array+json;nulls=stripped";
  expect((await rest.ask("GET", "/rpc/document", { headers: { accept } })).json).toEqual({ b: 1 });
});

it("does not run a stable void function by HEAD", async () => {
  expect((await rest.ask("HEAD", "/rpc/refuse_stable")).status).toBe(204);
});

it("answers a set of void with 204", async () => {
  expect((await rest.ask("GET", "/rpc/nobody")).status).toBe(204);
});

it("gives scalars as CSV, with the header of a column", async () => {
  const csv = { headers: { accept: "text/csv" } };
  expect((await rest.ask("GET", "/rpc/some_stable?order=pgrst_scalar", csv)).text).toBe(
    "pgrst_scalar\n1\n2\n3",
  );
  expect((await rest.ask("GET", "/rpc/one_stable", csv)).text).toBe("pgrst_scalar\n7");
});
