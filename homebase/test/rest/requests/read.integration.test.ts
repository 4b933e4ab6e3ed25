/** Reading over HTTP: select, embedding, filters, order, ranges, counts, media types. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const rest = await forThisFile(openRest());

const get = async (path: string, headers: Record<string, string> = {}) => rest.ask("GET", path, { headers });
const rows = async (path: string) => {
  const answer = await get(path);
  expect(answer.text, path).not.toContain('"code"');
  return answer.json;
};

describe("select", () => {
  it("gives columns, aliases, casts and JSON paths", async () => {
    expect(
      await rows("/places?select=id,called:name,rating::text,data->owner->>name,seats:data->seats&id=eq.1"),
    ).toEqual([{ id: 1, called: "Anker", rating: "4.5", name: "Ada", seats: 40 }]);
  });
  it("passes Postgres's JSON on without touching numbers", async () => {
    expect((await get("/places?select=rating&id=eq.3")).text).toBe('[{"rating":5.0}]');
  });
  it("reads array items by index and other types through to_jsonb", async () => {
    expect(await rows("/places?select=tags->>0&id=eq.1")).toEqual([{ tags: "fish" }]);
  });
  it("offers computed fields, also to filters", async () => {
    expect(await rows("/places?select=title&title=like.*Berlin")).toEqual([{ title: "Clou in Berlin" }]);
  });
  it("answers an unknown column with Postgres's error", async () => {
    const answer = await get("/places?select=nix");
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: "42703" });
  });
  it("keeps app tables apart from those of other schemas", async () => {
    expect(await rows("/users?select=name&order=name")).toEqual([{ name: "ada" }, { name: "bob" }]);
  });
});

describe("embedding", () => {
  it("goes many-to-one, one-to-many, one-to-one and many-to-many, to any depth", async () => {
    expect(
      await rows(
        "/places?select=name,visits(note,user:users!user_id(name)),labels(label),details(phone)&id=eq.1&visits.order=id&labels.order=id",
      ),
    ).toEqual([
      {
        name: "Anker",
        visits: [
          { note: "first", user: { name: "ada" } },
          { note: "second", user: { name: "bob" } },
        ],
        labels: [{ label: "cosy" }, { label: "loud" }],
        details: { phone: "0561" },
      },
    ]);
  });
  it("tells a missing row from a row of nulls", async () => {
    expect(await rows("/places?select=id,details(phone)&order=id")).toEqual([
      { id: 1, details: { phone: "0561" } },
      { id: 2, details: null },
      { id: 3, details: { phone: null } },
    ]);
    expect((await get("/places?select=id&details=not.is.null")).json).toMatchObject({ code: "42703" });
    expect(await rows("/places?select=id,details()&details=not.is.null&order=id")).toEqual([
      { id: 1 },
      { id: 3 },
    ]);
    expect(await rows("/places?select=id,details()&details=is.null")).toEqual([{ id: 2 }]);
  });
  it("drops parents by !inner and by null filters, and keeps them otherwise", async () => {
    expect(await rows("/places?select=id,visits!inner(note)&visits.note=eq.third")).toEqual([
      { id: 3, visits: [{ note: "third" }] },
    ]);
    expect(await rows("/places?select=id,visits(note)&visits.note=eq.third&order=id")).toHaveLength(3);
    expect(await rows("/places?select=id,visits()&visits=is.null")).toEqual([{ id: 2 }]);
    expect(
      await rows("/places?select=id,visits(),labels()&or=(visits.is.null,labels.not.is.null)&order=id"),
    ).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  });
  it("spreads to-one and to-many relations", async () => {
    expect(await rows("/visits?select=note,...places(place:name,city)&id=eq.1")).toEqual([
      { note: "first", place: "Anker", city: "Kassel" },
    ]);
    expect(await rows("/places?select=id,...visits(note)&visits.order=note.desc&order=id")).toEqual([
      { id: 1, note: ["second", "first"] },
      { id: 2, note: [] },
      { id: 3, note: ["third"] },
    ]);
  });
  it("finds children by table name and the parent by column in a table that refers to itself", async () => {
    expect(await rows("/tree?select=name,tree(name)&id=eq.1&tree.order=id")).toEqual([
      { name: "root", tree: [{ name: "left" }, { name: "right" }] },
    ]);
    expect(await rows("/tree?select=name,parent:parent_id(name)&id=eq.2")).toEqual([
      { name: "left", parent: { name: "root" } },
    ]);
  });
  it("follows keys through views and functions of the row", async () => {
    expect(await rows("/good_places?select=name,visits(note)&id=eq.3")).toEqual([
      { name: "Clou", visits: [{ note: "third" }] },
    ]);
    expect(await rows("/places?select=name,neighbours(name)&id=eq.1")).toEqual([
      { name: "Anker", neighbours: [{ name: "Birne" }] },
    ]);
  });
  it("orders by a column of a to-one relation", async () => {
    expect(
      await rows("/visits?select=note,places(name)&order=places(name).desc,note.desc&limit=2"),
    ).toMatchObject([{ note: "third" }, { note: "second" }]);
    const answer = await get("/places?select=id,visits(note)&order=visits(note)");
    expect(answer.json).toMatchObject({ code: "PGRST118" });
  });
  it("counts related rows by the count column, aggregates being off", async () => {
    expect(await rows("/places?select=id,visits(count)&id=eq.1")).toEqual([
      { id: 1, visits: [{ count: 2 }] },
    ]);
    expect((await get("/places?select=id,visits(count())")).json).toMatchObject({ code: "PGRST123" });
  });
  it("says which relationships there are when there are several", async () => {
    const answer = await get("/visits?select=users(name)");
    expect(answer.status).toBe(300);
    expect(answer.json).toEqual({
      code: "PGRST201",
      details: [
        {
          cardinality: "many-to-one",
          embedding: "visits with users",
          relationship: "visits_invited_by_fkey using visits(invited_by) and users(id)",
        },
        {
          cardinality: "many-to-one",
          embedding: "visits with users",
          relationship: "visits_user_id_fkey using visits(user_id) and users(id)",
        },
      ],
      hint: "Try changing 'users' to one of the following: 'users!visits_invited_by_fkey', 'users!visits_user_id_fkey'. Find the desired relationship in the 'details' key.",
      message: "Could not embed because more than one relationship was found for 'visits' and 'users'",
    });
  });
  it("says when there is none, with a guess", async () => {
    const answer = await get("/places?select=visit(note)");
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      code: "PGRST200",
      details:
        "Searched for a foreign key relationship between 'places' and 'visit' in the schema 'public', but no matches were found.",
      hint: "Perhaps you meant 'visits' instead of 'visit'.",
      message: "Could not find a relationship between 'places' and 'visit' in the schema cache",
    });
  });
  it("refuses filters on what is not embedded", async () => {
    expect((await get("/places?visits.note=eq.x")).json).toMatchObject({ code: "PGRST108" });
  });
});

describe("filters", () => {
  const ids = async (query: string) =>
    ((await rows(`/places?select=id&order=id&${query}`)) as { id: number }[]).map((row) => row.id);
  it.each([
    ["id=eq.1", [1]],
    ["id=neq.1", [2, 3]],
    ["id=gt.1&id=lt.3", [2]],
    ["id=gte.2", [2, 3]],
    ["id=lte.2", [1, 2]],
    ["id=in.(1,3)", [1, 3]],
    ['name=in.("Anker","Clou")', [1, 3]],
    ["id=in.()", []],
    ["id=not.in.(1,3)", [2]],
    ["name=like.*ir*", [2]],
    ["name=ilike.*N*", [1, 2]],
    ["name=like(any).{A*,C*}", [1, 3]],
    ["name=match.^[AB]", [1, 2]],
    ["name=imatch.^clou$", [3]],
    ["opened=is.null", [3]],
    ["opened=is.not_null", [1, 2]],
    ["opened=not.is.NULL", [1, 2]],
    ["rating=isdistinct.3.0", [1, 3]],
    ["tags=cs.{fish}", [1]],
    ["tags=cd.{fish,beer,wine}", [1, 2, 3]],
    ["tags=ov.{wine,beer}", [1, 3]],
    ['data=cs.{"seats":12}', [2]],
    ["data->seats=gt.20", [1]],
    ["data->owner->>name=eq.Ada", [1]],
    ["name=fts.clou", [3]],
    ["name=plfts(english).anker", [1]],
    ["or=(id.eq.1,name.eq.Clou)", [1, 3]],
    ["or=(id.eq.2,and(rating.gte.4,city.eq.Berlin))", [2, 3]],
    ["not.or=(id.eq.1,id.eq.2)", [3]],
    ["and=(id.not.eq.1,or(id.eq.2,id.in.(3,4)))", [2, 3]],
    ['or=(name.eq."Anker",tags.cs.{wine})', [1, 3]],
  ])("%s", async (query, expected) => {
    expect(await ids(encodeURI(query))).toEqual(expected);
  });
  it("compares with quotes at top level", async () => {
    expect(await ids('name=eq."Anker"')).toEqual([]);
  });
  it("words what it cannot parse, with the position", async () => {
    const answer = await get("/places?id=wrong.1");
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      code: "PGRST100",
      details: 'unexpected "w" expecting "not" or operator (eq, gt, ...)',
      hint: null,
      message: '"failed to parse filter (wrong.1)" (line 1, column 1)',
    });
    expect((await get("/places?or=()")).json).toEqual({
      code: "PGRST100",
      details:
        'unexpected ")" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)',
      hint: null,
      message: '"failed to parse logic tree (())" (line 1, column 4)',
    });
  });
  it("passes on what Postgres says of a value", async () => {
    const answer = await get("/places?id=eq.x");
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      code: "22P02",
      message: 'invalid input syntax for type bigint: "x"',
    });
  });
});

describe("ranges and counts", () => {
  it("answers 206 only when a count is known to be larger", async () => {
    const plain = await get("/places?limit=2");
    expect([plain.status, plain.headers.get("content-range")]).toEqual([200, "0-1/*"]);
    const exact = await get("/places?limit=2&offset=1", { prefer: "count=exact" });
    expect([exact.status, exact.headers.get("content-range")]).toEqual([206, "1-2/3"]);
    expect(exact.headers.get("preference-applied")).toBe("count=exact");
    const all = await get("/places", { prefer: "count=exact" });
    expect([all.status, all.headers.get("content-range")]).toEqual([200, "0-2/3"]);
  });
  it("takes the Range header on GET", async () => {
    const answer = await get("/places?order=id&select=id", { range: "1-1" });
    expect(answer.json).toEqual([{ id: 2 }]);
    expect(answer.headers.get("content-range")).toBe("1-1/*");
  });
  it("answers 416 only past the end", async () => {
    const past = await get("/places?offset=4", { prefer: "count=exact" });
    expect(past.status).toBe(416);
    expect(past.json).toMatchObject({
      code: "PGRST103",
      details: "An offset of 4 was requested, but there are only 3 rows.",
    });
    expect((await get("/places?offset=3", { prefer: "count=exact" })).status).toBe(206);
    expect((await get("/places?offset=9")).status).toBe(200);
    expect((await get("/places?limit=-1")).status).toBe(416);
  });
  it("counts by !inner embeds, and by plan", async () => {
    const inner = await get("/places?select=id,visits!inner(id)&limit=1", { prefer: "count=exact" });
    expect(inner.headers.get("content-range")).toBe("0-0/2");
    const guess = await get("/places", { prefer: "count=planned" });
    expect(guess.headers.get("content-range")).toMatch(/^0-2\/\d+$/);
    const estimated = await get("/places", { prefer: "count=estimated" });
    expect(estimated.headers.get("content-range")).toBe("0-2/3");
  });
  it("answers HEAD with headers alone", async () => {
    const answer = await rest.ask("HEAD", "/places", { headers: { prefer: "count=exact" } });
    expect([answer.status, answer.text, answer.headers.get("content-range")]).toEqual([200, "", "0-2/3"]);
    // Only errors say how long their body would be.
    const missing = await rest.ask("GET", "/ünknown");
    const headed = await rest.ask("HEAD", "/ünknown");
    const lengths = [answer, missing, headed].map(({ headers }) => headers.get("content-length"));
    expect(lengths).toEqual([null, String(Buffer.byteLength(missing.text)), lengths[1]]);
    expect(headed.text).toBe("");
  });
});

describe("media types", () => {
  it("gives one object, or 406", async () => {
    const accept = { accept: "application/vnd.pgrst.object+json" };
    const one = await get("/places?select=id&id=eq.1", accept);
    expect([one.text, one.headers.get("content-type")]).toEqual([
      '{"id":1}',
      "application/vnd.pgrst.object+json; charset=utf-8",
    ]);
    const none = await get("/places?id=eq.9", accept);
    expect(none.status).toBe(406);
    expect(none.headers.get("proxy-status")).toBe("PostgREST; error=PGRST116");
    expect(none.json).toEqual({
      code: "PGRST116",
      details: "The result contains 0 rows",
      hint: null,
      message: "Cannot coerce the result to a single JSON object",
    });
  });
  it("gives CSV", async () => {
    const answer = await get("/places?select=id,name,opened&order=id", { accept: "text/csv" });
    expect(answer.text).toBe("id,name,opened\n1,Anker,2020-01-01\n2,Birne,2021-05-05\n3,Clou,");
    expect((await get("/places?id=eq.9", { accept: "text/csv" })).text).toBe("\n");
  });
  it("strips nulls", async () => {
    const answer = await get("/places?select=id,opened&id=eq.3", {
      accept: "application/vnd.pgrst.array+json;nulls=stripped",
    });
    expect(answer.text).toBe('[{"id":3}]');
  });
  it("refuses what it cannot make", async () => {
    const answer = await get("/places", { accept: "image/png" });
    expect(answer.status).toBe(406);
    expect(answer.json).toMatchObject({
      code: "PGRST107",
      message: "None of these media types are available: image/png",
    });
  });
});

describe("resources", () => {
  it("answers an unknown table with a guess", async () => {
    const answer = await get("/place");
    expect(answer.status).toBe(404);
    expect(answer.json).toEqual({
      code: "PGRST205",
      details: null,
      hint: "Perhaps you meant the table 'public.places'",
      message: "Could not find the table 'public.place' in the schema cache",
    });
  });
  it("answers other paths, methods and schemas", async () => {
    expect((await get("/a/b")).json).toMatchObject({ code: "PGRST125" });
    const schema = await get("/places", { "accept-profile": "auth" });
    expect(schema.status).toBe(406);
    expect(schema.json).toMatchObject({
      code: "PGRST106",
      message: "Invalid schema: auth",
      hint: "Only the following schemas are exposed: public, graphql_public",
    });
  });
  it("describes what can be done in OPTIONS", async () => {
    const answer = await rest.ask("OPTIONS", "/good_places");
    expect([answer.status, answer.headers.get("allow")]).toEqual([
      200,
      "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE",
    ]);
  });
  it("sees a table at once after it was made", async () => {
    await rest.backend.sql("create table public.fresh (id int primary key)");
    expect((await get("/fresh")).json).toEqual([]);
    await rest.backend.sql("alter table public.fresh add column more text");
    expect((await rest.ask("POST", "/fresh", { body: { id: 1, more: "x" } })).status).toBe(201);
  });
});
