/** A database's own formats: domain representations and media type handlers. */
import { beforeAll, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest } from "../fixture.ts";

const DOMAINS = `
create domain public.colour as int check (value between 0 and 16777215);
create function public.colour_json(public.colour) returns json language sql immutable
  as $$select to_json('#' || lpad(to_hex($1::int), 6, '0'))$$;
create function public.colour_read(text) returns public.colour language sql immutable
  as $$select ('x' || lpad(ltrim($1, '#'), 8, '0'))::bit(32)::int::public.colour$$;
create function public.colour_read(json) returns public.colour language sql immutable
  as $$select public.colour_read($1 #>> '{}')$$;
create cast (public.colour as json) with function public.colour_json(public.colour) as implicit;
create cast (text as public.colour) with function public.colour_read(text) as implicit;
create cast (json as public.colour) with function public.colour_read(json) as implicit;
create table public.paints (id int primary key, colour public.colour default 255, name text);
create table public.walls (id int primary key, paint_id int references public.paints(id));
insert into public.paints values (1, 16711680, 'red'), (2, 65280, 'green'), (3, null, 'none');
insert into public.walls values (1, 1);

create domain public."text/tab-separated-values" as text;
create function public.tsv_step(state public."text/tab-separated-values", next public.labels)
  returns public."text/tab-separated-values" language sql immutable
  as $$select state || next.id || E'\\t' || next.label || E'\\n'$$;
create aggregate public.labels_tsv(public.labels) (
  sfunc = public.tsv_step, stype = public."text/tab-separated-values", initcond = '');
create domain public."application/x-count" as text;
create function public.count_step(state public."application/x-count", next anyelement)
  returns public."application/x-count" language sql immutable as $$select (state::int + 1)::text$$;
create aggregate public.any_count(anyelement) (
  sfunc = public.count_step, stype = public."application/x-count", initcond = '0');
create domain public."image/x-dot" as bytea;
create function public.dot() returns public."image/x-dot" language sql immutable as $$select '\\x00ff80'::bytea$$;
create domain public."*/*" as bytea;
create function public.anything(name text) returns public."*/*" language plpgsql as $$
  begin
    perform set_config('response.headers', '[{"Content-Type":"text/x-greeting"}]', true);
    return convert_to('hello ' || name, 'utf8');
  end $$;
create function public.untyped() returns public."*/*" language sql as $$select 'raw'::bytea$$;
`;

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(DOMAINS);
  await rest.ask("GET", "/paints");
});

const representation = { prefer: "return=representation" };
const type = (answer: { headers: Headers }) => answer.headers.get("content-type");

it("shows a domain through its cast to json, by name, by * and embedded", async () => {
  expect((await rest.ask("GET", "/paints?select=colour,hue:colour&id=eq.1")).json).toEqual([
    { colour: "#ff0000", hue: "#ff0000" },
  ]);
  expect((await rest.ask("GET", "/paints?id=in.(1,3)&order=id")).json).toEqual([
    { id: 1, colour: "#ff0000", name: "red" },
    { id: 3, colour: null, name: "none" },
  ]);
  expect((await rest.ask("GET", "/walls?select=id,paints(*)")).json).toEqual([
    { id: 1, paints: { id: 1, colour: "#ff0000", name: "red" } },
  ]);
});

it("reads a filter's value through the cast from text, in lists and logic trees too", async () => {
  const ids = async (filter: string) =>
    ((await rest.ask("GET", `/paints?select=id&order=id&${filter}`)).json as { id: number }[]).map(
      (one) => one.id,
    );
  expect(await ids("colour=eq.%2300ff00")).toEqual([2]);
  expect(await ids("colour=in.(%2300ff00,%23ff0000)")).toEqual([1, 2]);
  expect(await ids("colour=in.()")).toEqual([]);
  expect(await ids("or=(colour.gt.%2300ff00,id.eq.3)")).toEqual([1, 3]);
  expect(await ids("colour=not.eq.%2300ff00")).toEqual([1]);
});

it("reads a body's value through the cast from json, and shows what was written", async () => {
  const made = await rest.ask("POST", "/paints", {
    body: [{ id: 10, colour: "#0000ff" }],
    headers: representation,
  });
  expect([made.status, made.json]).toEqual([201, [{ id: 10, colour: "#0000ff", name: null }]]);
  const changed = await rest.ask("PATCH", "/paints?id=eq.10&select=colour", {
    body: { colour: "#010203" },
    headers: representation,
  });
  expect(changed.json).toEqual([{ colour: "#010203" }]);
  const filled = await rest.ask("POST", "/paints?columns=id,colour", {
    body: [{ id: 11 }],
    headers: { prefer: "return=representation, missing=default" },
  });
  expect(filled.json).toMatchObject([{ id: 11, colour: expect.stringMatching(/^#/) }]);
  expect(await rest.backend.sql("select colour::int from paints where id = 10")).toEqual([{ colour: 66051 }]);
});

it("answers a media type by the aggregate over a relation's rows", async () => {
  const accept = { accept: "text/tab-separated-values" };
  const answer = await rest.ask("GET", "/labels?order=id", { headers: accept });
  expect([answer.status, type(answer), answer.text]).toEqual([
    200,
    "text/tab-separated-values",
    "1\tcosy\n2\tloud\n",
  ]);
  const written = await rest.ask("PATCH", "/labels?id=eq.1", {
    body: { label: "cosy" },
    headers: { ...accept, ...representation },
  });
  expect(written.text).toBe("1\tcosy\n");
});

it("does not offer a row type's media type for part of a row, nor for another relation", async () => {
  const headers = { accept: "text/tab-separated-values" };
  for (const path of ["/labels?select=id", "/paints"]) {
    const answer = await rest.ask("GET", path, { headers });
    expect([answer.status, answer.json]).toMatchObject([
      406,
      { code: "PGRST107", message: "None of these media types are available: text/tab-separated-values" },
    ]);
  }
});

it("answers a media type by an aggregate over any element, for tables, columns and calls", async () => {
  const headers = { accept: "application/x-count" };
  expect((await rest.ask("GET", "/labels?select=id", { headers })).text).toBe("2");
  expect((await rest.ask("GET", "/rpc/count_to?n=7", { headers })).text).toBe("7");
  expect((await rest.ask("HEAD", "/labels", { headers })).text).toBe("");
});

it("answers a function's own media type with its bytes, and JSON where that is not asked for", async () => {
  const url = `${rest.backend.url}/rest/v1/rpc/dot`;
  const answer = await fetch(url, {
    headers: { apikey: rest.backend.publishableKey, accept: "image/x-dot" },
  });
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/x-dot"]);
  expect([...new Uint8Array(await answer.arrayBuffer())]).toEqual([0x00, 0xff, 0x80]);
  expect((await rest.ask("GET", "/rpc/dot")).json).toBe("\\x00ff80");
});

it("answers whatever is asked for where the function returns any media type", async () => {
  const answer = await rest.ask("GET", "/rpc/anything?name=Ada", { headers: { accept: "image/x-unheard" } });
  expect([answer.status, type(answer), answer.text]).toEqual([200, "text/x-greeting", "hello Ada"]);
  const untyped = await rest.ask("POST", "/rpc/untyped", { body: {} });
  expect([type(untyped), untyped.text]).toEqual(["application/octet-stream", "raw"]);
});

it("heads the CSV of a scalar function's values, quoted as in rows", async () => {
  const answer = await rest.ask("GET", "/rpc/count_to?n=2", { headers: { accept: "text/csv" } });
  expect([answer.status, answer.text]).toEqual([200, "pgrst_scalar\n1\n2"]);
});
