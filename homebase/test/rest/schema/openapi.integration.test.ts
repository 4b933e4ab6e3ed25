/** The description at the root: its content, by role. */
import { beforeAll, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { type Answer, openRest } from "../fixture.ts";

const EXTRA = `
create extension vector with schema extensions;
comment on schema public is E'Places to eat\\nAll of them.';
create type public.mood as enum ('glad', 'sad');
create table public.guests (
  id bigint generated always as identity primary key,
  name varchar(40) not null default 'nobody',
  mood public.mood,
  seats smallint default 2,
  since timestamptz default now(),
  notes jsonb,
  nicknames text[],
  likeness extensions.vector(3),
  place_id bigint references public.places(id)
);
comment on table public.guests is E'Who came\\nand when.';
comment on column public.guests.place_id is 'Where they sat.';
create table public.hidden (id int primary key);
revoke all on public.hidden from anon;
create function public.secret() returns int language sql as 'select 1';
revoke execute on function public.secret() from public, anon;
comment on function public.add(int, int) is E'Adds\\ntwo numbers.';
create view public.totals as select count(*) as n from public.places;
create function public.describe() returns json language sql stable as $$select '{"mine": true}'::json$$;
`;

let role: string;
const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(EXTRA);
  role = `alter role authenticator in database "${rest.backend.database.name}"`;
  await rest.ask("GET", "/guests");
});

interface Document {
  info: unknown;
  host: string;
  basePath: string;
  schemes: string[];
  definitions: Record<string, { description?: string; required?: string[]; properties: unknown }>;
  paths: Record<string, Record<string, { summary?: string; description?: string; parameters: unknown[] }>>;
  parameters: Record<string, unknown>;
}

const document = (answer: Answer) => answer.json as Document;

it("shows each role its own rights at once, although documents are kept", async () => {
  const paths = async (token?: string) =>
    Object.keys(document(await rest.ask("GET", "/", token ? { token } : {})).paths);
  for (let time = 0; time < 2; time++) {
    expect(await paths("secret")).toEqual(expect.arrayContaining(["/hidden", "/rpc/secret"]));
    expect(await paths()).toEqual(expect.not.arrayContaining(["/hidden"]));
    expect(await paths()).toEqual(expect.not.arrayContaining(["/rpc/secret"]));
  }
  await rest.backend.sql("grant select on public.hidden to anon");
  expect(await paths()).toContain("/hidden");
  await rest.backend.sql("revoke select on public.hidden from anon");
  expect(await paths()).not.toContain("/hidden");
});
it("follows a changed comment", async () => {
  await rest.ask("GET", "/");
  await rest.backend.sql("comment on table public.hidden is 'Now described'");
  await expect
    .poll(
      async () => document(await rest.ask("GET", "/", { token: "secret" })).definitions.hidden?.description,
    )
    .toBe("Now described");
});
it("is OpenAPI 2.0 under the address that clients use", async () => {
  const answer = await rest.ask("GET", "/");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe("application/openapi+json; charset=utf-8");
  const { host, port } = new URL(rest.backend.url);
  expect(document(answer)).toMatchObject({
    swagger: "2.0",
    info: { title: "Places to eat", description: "All of them." },
    host,
    basePath: "/rest/v1",
    schemes: ["http"],
  });
  expect(Number(port)).toBeGreaterThan(0);
});

it("describes columns: types, formats, defaults, lengths, labels, keys", async () => {
  const { definitions } = document(await rest.ask("GET", "/"));
  expect(definitions.guests).toEqual({
    description: "Who came\nand when.",
    required: ["id", "name"],
    type: "object",
    properties: {
      id: { description: "Note:\nThis is a Primary Key.<pk/>", format: "int64", type: "integer" },
      name: { default: "nobody", maxLength: 40, format: "character varying", type: "string" },
      mood: { enum: ["glad", "sad"], format: "public.mood", type: "string" },
      seats: { default: 2, format: "int32", type: "integer" },
      since: { default: "now()", format: "timestamp with time zone", type: "string" },
      notes: { format: "jsonb" },
      nicknames: { format: "text[]", items: { type: "string" }, type: "array" },
      likeness: { format: "extensions.vector(3)", type: "string" },
      place_id: {
        description:
          "Where they sat.\n\nNote:\nThis is a Foreign Key to `places.id`.<fk table='places' column='id'/>",
        format: "int64",
        type: "integer",
      },
    },
  });
});

it("describes the methods of tables, views that cannot be written, and functions", async () => {
  const { paths, parameters } = document(await rest.ask("GET", "/"));
  expect(Object.keys(paths["/guests"] ?? {}).sort()).toEqual(["delete", "get", "patch", "post"]);
  expect(paths["/guests"]?.get).toMatchObject({ summary: "Who came", description: "and when." });
  expect(paths["/guests"]?.get?.parameters).toContainEqual({ $ref: "#/parameters/rowFilter.guests.mood" });
  expect(Object.keys(paths["/totals"] ?? {})).toEqual(["get"]);
  expect(paths["/rpc/add"]?.get?.parameters).toEqual([
    { name: "a", in: "query", required: true, format: "int32", type: "integer" },
    { name: "b", in: "query", required: false, format: "int32", type: "integer" },
  ]);
  expect(paths["/rpc/add"]?.post).toMatchObject({ tags: ["(rpc) add"], summary: "Adds" });
  expect(Object.keys(paths["/rpc/shout"] ?? {})).toEqual(["post"]);
  const references = [...JSON.stringify(paths).matchAll(/#\/parameters\/([^"]+)"/g)].map(([, name]) => name);
  expect(references.filter((name) => !(name && name in parameters))).toEqual([]);
});

it("shows each caller what it has a privilege on", async () => {
  const anonymous = document(await rest.ask("GET", "/"));
  expect(Object.keys(anonymous.definitions)).not.toContain("hidden");
  expect(Object.keys(anonymous.paths)).not.toContain("/rpc/secret");
  const served = document(await rest.ask("GET", "/", { token: "secret" }));
  expect(Object.keys(served.definitions)).toContain("hidden");
});

it("answers HEAD without a body, its own types only, and no other method", async () => {
  const head = await rest.ask("HEAD", "/");
  expect([head.status, head.text]).toEqual([200, ""]);
  expect((await rest.ask("GET", "/", { headers: { accept: "application/openapi+json" } })).status).toBe(200);
  expect(await rest.ask("GET", "/", { headers: { accept: "text/csv" } })).toMatchObject({
    status: 406,
    json: { code: "PGRST107" },
  });
  expect(await rest.ask("POST", "/", { body: {} })).toMatchObject({
    status: 405,
    json: { code: "PGRST117" },
  });
});

it("shows everything, nothing, or a function's result where the settings say so", async () => {
  const change = async (setting: string) => {
    await rest.backend.sql(`${role} set ${setting}`);
    await rest.backend.sql("notify pgrst, 'reload config'");
  };
  await change("pgrst.openapi_mode = 'ignore-privileges'");
  await expect
    .poll(async () => Object.keys(document(await rest.ask("GET", "/")).definitions))
    .toContain("hidden");
  await change("pgrst.openapi_mode = 'disabled'");
  await expect
    .poll(async () => (await rest.ask("GET", "/")).json)
    .toMatchObject({ code: "PGRST126", message: "Root endpoint metadata is disabled" });
  await change("pgrst.db_root_spec = 'describe'");
  await expect.poll(async () => (await rest.ask("GET", "/")).json).toEqual({ mine: true });
});
