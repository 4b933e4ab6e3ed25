/** What `pull --data --mask` leaves of the source's values: nothing but keys, times and what the project names, in any kind of column. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend } from "../../testing.ts";
import { RowCopy } from "../copy.ts";
import { Mask } from "../mask.ts";

const ID = "5e471e10-0000-4000-8000-000000000001";
const EMAIL = "sentinel.person@sentinel.test";

/**
 * By column: its definition, a value that holds a sentinel, and the sentinel's text in a dump where it is not
 * "sentinel" in whatever case.
 */
const COLUMNS: Record<string, [definition: string, value: string, sentinel?: string]> = {
  plain: ["text", "'a Sentinel wrote this'"],
  limited: ["varchar(20)", "'Sentinel of twenty'"],
  short: ["varchar(2) unique", "'Zq'", "Zq"],
  fixed: ["char(12)", "'sentinel'"],
  case_free: ["extensions.citext", "'SENTINEL'"],
  system_name: ["name", "'sentinel'"],
  one_char: ['"char" not null', "'S'", "no sentinel"],
  code: ["text check (code ~ '^[A-Z]{3}-[0-9]{4}$')", "'SEN-4711'", "SEN-4711"],
  state: ["text not null check (state in ('sentinel_open', 'closed', 'gone'))", "'closed'", "no sentinel"],
  email: ["text not null unique", `'${EMAIL}'`],
  contact: ["text", `'${EMAIL}'`],
  phone: ["text", "'+49 170 9876543'", "9876543"],
  phone_number: ["numeric", "491709876543", "491709876543"],
  postcode: ["text", "'81669'", "81669"],
  birthday: ["date not null", "'1980-03-12'", "1980-03"],
  born_text: ["text", "'12.03.1980'", "12.03.1980"],
  homepage: ["text", "'https://sentinel.example/me'"],
  name: ["text", "'Sentinel Person'"],
  address: ["text", "'Sentinel Street 12'"],
  token: ["text", "'sentinel_live_1234'"],
  token_id: ["uuid unique", "'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'", "aaaaaaaa-bbbb"],
  small: ["smallint", "31415", "31415"],
  whole: ["int check (whole between 100000000 and 999999999)", "271828182", "271828182"],
  big: ["bigint", "1618033988749894848", "1618033988749894848"],
  exact: ["numeric(20,6)", "141421356.237309", "237309"],
  real: ["real", "57721.5", "57721"],
  double: ["double precision", "173205.080756", "080756"],
  price: ["money", "9876543.21", "9,876,543"],
  day: ["timestamp", "'1981-07-29 11:20:03'", "1981-07"],
  moment: ["timestamptz", "'1982-06-21 19:03:00+00'", "1982-06"],
  hour: ["time", "'03:14:15'", "03:14:15"],
  hour_zone: ["timetz", "'02:17:18+03'", "02:17:18"],
  span: ["interval", "'314 days 01:59:26'", "314 days"],
  flags: ["bit(24)", "B'101101011010110101101011'", "101101011010110101101011"],
  more_flags: ["varbit", "B'1100110011110000111'", "1100110011110000111"],
  bytes: ["bytea", "'sentinel'::bytea", "73656e74696e656c"],
  machine: ["inet", "'203.0.113.77'", "203.0.113.77"],
  network: ["cidr", "'198.51.100.0/24'", "198.51.100"],
  card: ["macaddr", "'08:00:2b:01:02:03'", "08:00:2b"],
  card8: ["macaddr8", "'08:00:2b:01:02:03:04:05'", "2b:01:02"],
  json_text: ["json", `'{"note": "sentinel", "big": 12345678901234567890}'`, "12345678901234567890"],
  json_deep: ["jsonb", `'{"a": [{"b": "Sentinel"}], "${EMAIL}": 1}'`],
  json_number: ["jsonb", `'{"card": 4929123412341234}'`, "4929123412341234"],
  words: ["tsvector", "to_tsvector('simple', 'sentinel words')"],
  asked: ["tsquery", "'sentinel & words'"],
  markup: ["xml", "'<p>sentinel</p>'"],
  place: ["point", "'(13.404954,52.520008)'", "13.404954"],
  area: ["box", "'(13.404954,52.520008),(11.576124,48.137154)'", "48.137154"],
  way: ["path", "'[(13.404954,52.520008),(11.576124,48.137154)]'", "11.576124"],
  field: ["polygon", "'((13.404954,52.520008),(11.576124,48.137154),(9.99,53.55))'", "53.55"],
  ring: ["circle", "'<(13.404954,52.520008),4.2424>'", "4.2424"],
  edge: ["lseg", "'[(13.404954,52.520008),(1,2)]'", "52.520008"],
  names: ["text[]", `'{"a sentinel","other, \\"sentinel\\"",NULL}'`],
  short_names: ["varchar(8)[]", "'{sentinel}'"],
  numbers: ["int[]", "'{{271828182,1},{2,3}}'", "271828182"],
  stay: ["daterange", "'[1983-05-04,1983-05-09)'", "1983-05"],
  seats: ["int4range", "'[271828,271900)'", "271828"],
  hours: ["tstzmultirange", "'{[1984-01-02 10:00+00,1984-01-02 11:00+00)}'", "1984-01-02"],
  mailbox: ["public.mailbox", `'${EMAIL}'`],
  grade: ["public.grade not null", "'4711'", "4711"],
  home: ["public.home", "row('Sentinel Street \"12\"', 81669)", "81669"],
  homes: ["public.home[]", "array[row('Sentinel (Street), 12', 81669)::public.home]", "81669"],
  mood: ["public.mood not null", "'glad'", "no sentinel"],
  pairs: ["extensions.hstore", `'"sentinel"=>"a Sentinel"'`],
  avatar: ["text", `'${ID}/sentinel face.png'`],
  likeness: ["extensions.vector(3)", "'[0.271828,0.5772,1.5]'", "271828"],
  level: ["extensions.ltree", "'sentinel.family'"],
};
const names = Object.keys(COLUMNS);
const SCHEMA = `
create extension if not exists citext with schema extensions;
create extension if not exists hstore with schema extensions;
create extension if not exists vector with schema extensions;
create extension if not exists ltree with schema extensions;
create domain public.mailbox as text check (value like '%_@_%');
create domain public.grade as int check (value between 1000 and 9999);
create type public.home as (street text, zip int);
create type public.mood as enum ('glad', 'sad', 'mixed');
create table public.people (id uuid primary key default gen_random_uuid(), created_at timestamptz default now(),
  kept text, ${names.map((name) => `"${name}" ${COLUMNS[name]?.[0]}`).join(", ")});
create table public.mails (id bigint generated always as identity primary key, of text not null references public.people (email),
  by uuid references public.people, mood public.mood, unique (of, mood));
`;
const ROWS = `
insert into public.people (id, kept, ${names.map((name) => `"${name}"`).join(", ")})
  values ('${ID}', 'stays', ${names.map((name) => COLUMNS[name]?.[1]).join(", ")});
insert into public.mails (of, by, mood) values ('${EMAIL}', '${ID}', 'glad'), ('${EMAIL}', '${ID}', 'sad');
insert into storage.buckets (id, name) values ('faces', 'faces');
insert into storage.objects (bucket_id, name, owner_id) values ('faces', '${ID}/sentinel face.png', '${ID}');
`;

const EMPTY = { bare: true, projectFolder: join(import.meta.dirname, "../../../test/storage/project") };
let from: pg.Client;
let to: pg.Client;
const [source, target] = await Promise.all([createBackend(EMPTY), createBackend(EMPTY)]);
beforeAll(async () => {
  await Promise.all([source.sql(SCHEMA), target.sql(SCHEMA)]);
  await source.sql(ROWS);
  from = new pg.Client(source.databaseUrl);
  to = new pg.Client(target.databaseUrl);
  await Promise.all([from.connect(), to.connect()]);
});
afterAll(async () => {
  await Promise.all([from?.end(), to?.end()]);
  await Promise.all([source?.drop(), target?.drop()]);
});

// One key: under some other one, a short value becomes itself.
const KEY = Buffer.alloc(32, "a key");
const mask = () => new Mask(KEY);
const read = (tables: string[], unmasked: string[] = []) =>
  RowCopy.read(from, { tables, limit: 100, mask: mask(), unmasked });
const dump = async (client: pg.Client) => {
  const { rows } = await client.query(
    `select coalesce(string_agg(t::text, E'\\n'), '') as text from (
       select p::text as t from public.people p union all select m::text from public.mails m
       union all select o.name || coalesce(o.owner_id, '') from storage.objects o) x`,
  );
  return String(rows[0].text);
};

test(`sentinels in ${names.length} kinds of column: none is in a row that was copied`, async () => {
  expect(names.length).toBeGreaterThanOrEqual(60);
  const before = await dump(from);
  const sentinels = names.map((name): [string, string] => [name, COLUMNS[name]?.[2] ?? "sentinel"]);
  for (const [name, sentinel] of sentinels)
    if (sentinel !== "no sentinel")
      expect([name, before.toLowerCase()]).toEqual([name, expect.stringContaining(sentinel.toLowerCase())]);
  const copy = await read(["people", "mails", "storage.objects"], ["public.people.kept"]);
  expect(copy.plan.passed.map(({ column }) => column)).toEqual(
    expect.not.arrayContaining(names.map((name) => `public.people.${name}`)),
  );
  expect(await copy.write(to)).toBe(5);
  const after = await dump(to);
  expect(sentinels.filter(([, sentinel]) => after.toLowerCase().includes(sentinel.toLowerCase()))).toEqual(
    [],
  );
  expect(after.toLowerCase()).not.toContain("sentinel");
  const [row] = await target.sql<Record<string, unknown>>("select * from public.people");
  // Nothing has simply gone: each column still has a value.
  expect(names.filter((name) => row?.[name] === null)).toEqual([]);
});

test("keys, references, natural ones too, and paths of files still fit together", async () => {
  expect(
    await target.sql(
      `select p.id::text, p.kept, p.created_at is not null as written, p.contact = p.email as same_mail,
         (select count(*)::int from public.mails m where m.of = p.email and m.by = p.id) as mails,
         p.avatar = o.name as same_file, split_part(o.name, '/', 1) as folder, o.name like '%.png' as ending, o.owner_id
       from public.people p, storage.objects o`,
    ),
  ).toEqual([
    {
      id: ID,
      kept: "stays",
      written: true,
      same_mail: true,
      mails: 2,
      same_file: true,
      folder: ID,
      ending: true,
      owner_id: ID,
    },
  ]);
});

test("a column without another valid value ends the copy by its name, before anything is copied", async () => {
  await source.sql(`create table public.single (id int primary key, what text not null check (what = md5('x') || 'y'));
    insert into public.single values (1, md5('x') || 'y')`);
  await target.sql("create table public.single (id int primary key, what text)");
  await expect(read(["single"])).rejects.toThrow("public.single.what cannot be masked: no other value meets");
  const copy = await read(["single"], ["public.single.*"]);
  expect([await copy.write(to), await target.sql("select * from single")]).toEqual([
    1,
    [{ id: 1, what: expect.stringMatching(/^[0-9a-f]{32}y$/) }],
  ]);
});

test("a rule about several columns that other values break is named, and nothing is copied", async () => {
  const table =
    "create table public.spans (id uuid primary key, a int, b int, constraint doubled check (b = 2 * a))";
  await Promise.all([source.sql(table), target.sql(table)]);
  await source.sql(`insert into public.spans values ('${ID}', 20011, 40022)`);
  const copy = await read(["spans"]);
  await expect(copy.write(to)).rejects.toThrow(
    "Nothing was copied: a row of spans does not fit in (doubled)",
  );
  expect(await target.sql("select * from spans")).toEqual([]);
});

test("the same values become the same others with the same key, and others with another", async () => {
  const key = randomBytes(32);
  const names = async (one: Mask) => {
    const copy = await RowCopy.read(from, { tables: ["people"], limit: 1, mask: one, unmasked: [] });
    await to.query("delete from public.mails; delete from public.people");
    await copy.write(to);
    return (await target.sql("select name, email, mood, big from people"))[0];
  };
  const first = await names(new Mask(key));
  expect(await names(new Mask(key))).toEqual(first);
  expect(await names(new Mask(randomBytes(32)))).not.toEqual(first);
});
