/** Resolving a call among overloaded functions, including unnamed parameters. */
import { beforeAll, expect, it } from "vitest";
import { createBackend } from "../../../src/testing/index.ts";
import { forThisFile } from "../../for-this-file.ts";

const backend = await forThisFile(createBackend({ bare: true }));
beforeAll(async () => {
  await backend.sql(`
    create function public.pick(a text) returns text language sql immutable as $$ select 'text' $$;
    create function public.pick(a int) returns text language sql immutable as $$ select 'int' $$;
    create function public.pick() returns text language sql immutable as $$ select 'none' $$;
    create function public.bare(bool) returns text language sql immutable as $$ select 'bool' $$;
    create function public.bare(text) returns text language sql immutable as $$ select 'text ' || $1 $$;
    create function public.bare() returns text language sql immutable as $$ select 'none' $$;
    create function public.whole(int) returns text language sql immutable as $$ select 'int' $$;
    create function public.maybe(text default 'x') returns text language sql immutable as $$ select 'text' $$;
    create function public.maybe() returns text language sql immutable as $$ select 'none' $$;
    create table public.odd (id int primary key, r text, t0 text);
    insert into public.odd values (1, 'a', 'b');
    notify pgrst`);
});

async function call(name: string, body: unknown, type = "application/json") {
  const answer = await fetch(`${backend.url}/rest/v1/rpc/${name}`, {
    method: "POST",
    headers: { apikey: backend.secretKey, "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return [answer.status, (await answer.json()) as unknown];
}

const ambiguous = (list: string) => [
  300,
  {
    code: "PGRST203",
    details: null,
    hint: "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
    message: `Could not choose the best candidate function between: ${list}`,
  },
];

it("lists ambiguous candidates by number of parameters, names and types", async () => {
  expect(await call("pick", {})).toEqual([200, "none"]);
  expect(await call("pick", { a: 1 })).toEqual(
    ambiguous("public.pick(a => integer), public.pick(a => text)"),
  );
  expect(await call("maybe", {})).toEqual(ambiguous("public.maybe(), public.maybe( => text)"));
});

it("takes an unnamed parameter for one whose name is empty, and passes the whole body", async () => {
  expect(await call("bare", { "": true })).toEqual([200, 'text {"":true}']);
  expect(await call("bare", "plain", "text/plain")).toEqual([200, "text plain"]);
  expect(await call("bare", {})).toEqual([200, "none"]);
  expect(await call("maybe", { "": "given" })).toEqual([200, "text"]);
});

it("does not know functions whose unnamed parameter no body fits", async () => {
  expect(await call("whole", { "": 1 })).toMatchObject([404, { code: "PGRST202" }]);
});

it("shows columns and aliases of any name", async () => {
  const answer = await fetch(`${backend.url}/rest/v1/odd?select=r,x:r,t0`, {
    headers: { apikey: backend.secretKey },
  });
  expect(await answer.text()).toBe('[{"r":"a","x":"a","t0":"b"}]');
});
