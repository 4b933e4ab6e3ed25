/** Names in Postgres's messages: those that the caller knows, whatever the statement looks like. */
import { beforeAll, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { openRest, type Rest } from "../fixture.ts";

const rest = await forThisFile(openRest());
beforeAll(async () => {
  await rest.backend.sql(`
    create table note (note text primary key, "e0" int);
    create table "e1" (id int primary key, place_id bigint references places(id));
    create table places_1 (id bigint primary key references places(id), "odd ""name" text);
    create function echo(n note) returns setof note rows 1 language sql stable as 'select n.*';
    create table e2_1 (place_id bigint references places(id), label_id int references labels, primary key (place_id, label_id));
    grant all on e2_1 to anon;
    insert into e2_1 values (1, 2);
    insert into note values ('a', 1); insert into e1 values (1, 1); insert into places_1 values (1, 'x');
  `);
});

const message = async (...asked: Parameters<Rest["ask"]>) => {
  const { status, json } = await rest.ask(...asked);
  return [status, (json as { code: string }).code, (json as { message: string }).message];
};
const representation = { headers: { prefer: "return=representation" } };

it.each([
  ["GET", "/places?nope=eq.1", {}],
  ["GET", "/places?select=nope", {}],
  ["GET", "/places?order=nope", {}],
  ["PATCH", "/places?nope=eq.1", { body: { name: "x" } }],
  ["DELETE", "/places?nope=eq.1", {}],
  ["POST", "/places?select=nope", { body: { name: "x" }, ...representation }],
  ["PATCH", "/places?id=eq.1&select=nope", { body: { name: "x" }, ...representation }],
] as const)("%s %s says that the table has no such column", async (method, path, options) => {
  expect(await message(method, path, options)).toEqual([400, "42703", "column places.nope does not exist"]);
});

it.each([
  ["/places?select=id,visits(id),details(nope)", "details_1"],
  ["/users?select=id,visits!user_id(id,places(nope))", "places_2"],
  ["/places?select=id,labels!place_labels(nope)", "labels"],
  ["/visits?select=id,place:places(id)&order=place(nope)", "visits_place_1"],
])("calls the tables of %s by their depth, those of many-to-many by their name", async (path, table) => {
  expect(await message("GET", path)).toEqual([400, "42703", `column ${table}.nope does not exist`]);
});
it("refuses the same relation twice under one name", async () => {
  expect(await message("GET", "/visits?select=places(id),places(name)")).toEqual([
    400,
    "42712",
    'table name "visits_places_1" specified more than once',
  ]);
});
it("joins by a junction that is called like one of its own aliases", async () => {
  expect((await rest.ask("GET", "/places?id=eq.1&select=labels!e2_1(label,places!e2_1(id))")).json).toEqual([
    { labels: [{ label: "loud", places: [{ id: 1 }] }] },
  ]);
});
it("numbers the tables of embeds", async () => {
  expect(await message("GET", "/visits?select=id,places(nope)")).toEqual([
    400,
    "42703",
    "column places_1.nope does not exist",
  ]);
});

it("is not led astray by tables that are called like its own aliases, or like their columns", async () => {
  expect((await rest.ask("GET", "/note?select=note,echo(note)")).json).toEqual([
    { note: "a", echo: { note: "a" } },
  ]);
  expect((await rest.ask("GET", "/e1?select=id,places(name)&places.id=eq.1")).json).toEqual([
    { id: 1, places: { name: "Anker" } },
  ]);
  expect((await rest.ask("GET", '/places_1?select=id,"odd \\"name",places(id,places_1(id))')).json).toEqual([
    { id: 1, 'odd "name': "x", places: { id: 1, places_1: { id: 1 } } },
  ]);
});
