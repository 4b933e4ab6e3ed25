/** Details that only PostgREST's source specifies; each test names the place. */
import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { type Answer, openRest } from "../fixture.ts";

const EXTRA = `
create function public.path() returns text language sql stable as $$select current_setting('search_path')$$;
create function public.body(json) returns json language sql as 'select $1';
create domain public."text/xml" as xml;
create function public.page() returns public."text/xml" language sql stable as
  $$select E'<?xml version="1.0" encoding="UTF-8"?>\\n<page/>'::xml::public."text/xml"$$;

create schema inner_things;
create table public.players (id int primary key);
create table public.player (id int primary key);
create table public.player_scores (id int primary key, player_id int references public.player);
create table inner_things.members (player_id int references public.players, team_id int references public.players,
  primary key (player_id, team_id));

create type public.size as enum ('small', 'large');
create type inner_things.shade as enum ('dark');
create domain public.shirt as public.size;
create table public.wardrobe (id int primary key, letters char(3)[], one char(2), fits public.shirt, sizes public.size[]);
create function public.sew(letters char(3)[], one char, fits public.size, shade inner_things.shade) returns void
  language sql as '';
create function public.knit(rows int) returns void language sql as '';
create function public.knit(rows int, stitch text) returns void language sql as '';
create domain public."application/openapi+json" as json;
create function public.described() returns public."application/openapi+json" language sql stable as
  $$select '{"swagger":"2.0"}'::json::public."application/openapi+json"$$;
`;

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(EXTRA);
  await rest.ask("GET", "/wardrobe");
});

// Query/PreQuery.hs: escapeIdentList (iSchema : configDbExtraSearchPath).
it("names the schema in the search path twice where the extra search path has it too", async () => {
  expect((await rest.ask("GET", "/rpc/path")).json).toBe('"public", "public", "extensions"');
});

// Plan.hs, findProc: a single unnamed json parameter takes a body of type application/json.
it("does not pass CSV to a single unnamed JSON parameter", async () => {
  const csv = { headers: { "content-type": "text/csv" }, body: "a,b\n1,2\n" };
  expect((await rest.ask("POST", "/rpc/body", csv)).json).toEqual({
    code: "PGRST202",
    message: "Could not find the function public.body(a, b) in the schema cache",
    details:
      "Searched for the function public.body with parameters a, b, but no matches were found in the schema cache.",
    hint: null,
  });
  expect((await rest.ask("POST", "/rpc/body", { body: [{ a: 1 }] })).json).toEqual([{ a: 1 }]);
});

// Query/SqlFragment.hs, customFuncF: the value is fetched as its type, not cast to text.
it("sends XML as its output function writes it, without the encoding that its declaration names", async () => {
  const answer = await rest.ask("GET", "/rpc/page", { headers: { accept: "text/xml" } });
  expect([answer.status, answer.headers.get("content-type"), answer.text]).toEqual([
    200,
    "text/xml; charset=utf-8",
    "<page/>",
  ]);
});

// Error.hs, noRelBetweenHint over SchemaCache.hs, removeInternal: the parent is known, although nothing of it is left.
it("gives no hint where only a junction in an internal schema relates the parent", async () => {
  const hint = async (path: string) => ((await rest.ask("GET", path)).json as { hint: unknown }).hint;
  expect(await hint("/players?select=*,members(*)")).toBeNull();
  // A parent without any relationship is taken for a misspelt one.
  await rest.backend.sql("create table if not exists public.players_old (id int primary key)");
  expect(await hint("/players_old?select=*,members(*)")).toMatch(/^Perhaps you meant 'player/);
});

describe("OpenAPI", () => {
  interface Document {
    definitions: Record<string, { properties: Record<string, unknown> }>;
    paths: Record<string, { post: { parameters: { schema: { properties: Record<string, unknown> } }[] } }>;
  }
  const document = async () => (await rest.ask("GET", "/")).json as Document;
  const args = async (name: string) =>
    (await document()).paths[`/rpc/${name}`]?.post.parameters[0]?.schema.properties;

  // Feature/OpenApi/OpenApiSpec.hs, "array types to array" and "enum"; Catalog/Query.hs, data_type.
  it("calls the types of columns by their qualified name, and a domain by its base only where that is Postgres's", async () => {
    expect((await document()).definitions.wardrobe?.properties).toMatchObject({
      letters: { format: "character[]", type: "array", items: { type: "string" } },
      one: { format: "character", type: "string", maxLength: 2 },
      fits: { format: "public.shirt", type: "string", enum: ["small", "large"] },
      sizes: { format: "public.size[]", type: "array", items: { type: "string" } },
    });
  });

  // Feature/OpenApi/OpenApiSpec.hs, "RPC": accessibleFuncs runs with the request's search path.
  it("calls the types of parameters as the search path lets them be called", async () => {
    expect(await args("sew")).toEqual({
      letters: { format: "character[]", type: "array", items: { type: "string" } },
      one: { format: "character", type: "string" },
      fits: { format: "size", type: "string" },
      shade: { format: "inner_things.shade", type: "string" },
    });
  });

  // Response/OpenAPI.hs, makePathItems: later overloads replace earlier ones of the same path.
  it("describes the overload with the most parameters", async () => {
    expect(Object.keys((await args("knit")) ?? {})).toEqual(["rows", "stitch"]);
  });

  // MediaType.hs, toContentType.
  it("names the charset of a function's own document at the root", async () => {
    const role = `alter role authenticator in database "${rest.backend.database.name}"`;
    await rest.backend.sql(`${role} set pgrst.db_root_spec = 'described'; notify pgrst, 'reload config'`);
    let answer: Answer | undefined;
    await expect
      .poll(async () => {
        answer = await rest.ask("GET", "/", { headers: { accept: "application/openapi+json" } });
        return answer.json;
      })
      .toEqual({ swagger: "2.0" });
    expect(answer?.headers.get("content-type")).toBe("application/openapi+json; charset=utf-8");
  });
});

// ApiRequest.hs, getRanges: only a header that is reversed by itself is told so, and `limit=0` is known by its end.
describe("limits, offsets and the Range header together", () => {
  const ranged = (query: string, range?: string) =>
    rest.ask("GET", `/places?select=id&order=id${query}`, { ...(range ? { headers: { range } } : {}) });

  it("asks for no row with limit=0, whatever the header says", async () => {
    expect(await ranged("&limit=0", "5-9")).toMatchObject({ status: 200, json: [] });
    expect(await ranged("&limit=0", "5-1")).toMatchObject({ status: 200, json: [] });
  });

  it("counts a negative offset into the limit", async () => {
    expect((await ranged("&limit=3&offset=-2")).json).toEqual([{ id: 1 }]);
    expect(await ranged("&limit=1&offset=-2")).toMatchObject({ status: 416 });
  });

  it("blames the limit when parameters and header leave nothing", async () => {
    const limit = { code: "PGRST103", details: "Limit should be greater than or equal to zero." };
    expect((await ranged("&limit=0&offset=3")).json).toMatchObject(limit);
    expect((await ranged("&limit=2", "5-9")).json).toMatchObject(limit);
    expect((await ranged("", "5-1")).json).toMatchObject({
      details: "The lower boundary must be lower than or equal to the upper boundary in the Range header.",
    });
  });
});
