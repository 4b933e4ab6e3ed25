/** Messages about extensions that are not the real ones: at the start, in status, in errors. */
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

const projects: Project[] = [];

function project(files: Record<string, string>): Project {
  const made = new Project(files);
  projects.push(made);
  return made;
}

afterEach(async () => {
  for (const one of projects.splice(0)) await one.remove();
}, 180_000);

test("the start names the line of each, status the class, and a refused one stops its migration", async () => {
  const one = project({
    "migrations/20260101000000_search.sql":
      "create extension if not exists vector with schema extensions;\n" +
      "create extension if not exists pg_trgm with schema extensions;\n\n" +
      "create extension hypopg with schema extensions;\n",
    "migrations/20260102000000_maps.sql":
      "create table public.plain (id int);\ncreate extension pgrouting;\n",
  });
  await one.start();
  const search = "supabase/migrations/20260101000000_search.sql";
  expect(one.output).toContain(`${search}:1: vector is emulated by Homebase: search is exact`);
  expect(one.output).toContain(`${search}:4: hypopg is inert: its library is not available`);
  expect(one.output).not.toContain("pg_trgm");
  expect(one.output).toContain(
    "supabase/migrations/20260102000000_maps.sql:2:1: pgrouting is not part of Homebase, as it needs a compiled library. (0A000)",
  );
  expect(one.output).toContain("hint: Install pgrouting for PostgreSQL 17 on this machine");

  const status = JSON.parse((await one.run("status", "--json")).stdout) as {
    extensions: { name: string; class: string; version: string; differs: string }[];
  };
  const classes = Object.fromEntries(status.extensions.map((each) => [each.name, each.class]));
  expect(classes).toEqual({
    hypopg: "inert",
    pg_stat_statements: "real",
    pg_trgm: "real",
    pgcrypto: "real",
    plpgsql: "real",
    supabase_vault: "stand-in",
    "uuid-ossp": "real",
    vector: "stand-in",
  });
  expect(status.extensions.find(({ name }) => name === "vector")).toMatchObject({ version: "0.8.0" });
  expect((await one.run("status")).stdout).toMatch(/Extensions, stand-in\s+supabase_vault, vector/);
});

test("indexes of PGroonga are made, which the start says at its line, and a search says what is missing", async () => {
  const file = "supabase/migrations/20260101000000_search.sql";
  const one = project({
    "migrations/20260101000000_search.sql": `create extension if not exists pgroonga with schema extensions;
create table public.docs (id uuid primary key default gen_random_uuid(), title varchar(200), body text, tags text[], meta jsonb, at timestamptz);
create index on public.docs using pgroonga (id, title, body, tags, meta, at)
  with (tokenizer = 'TokenNgram("unify_alphabet", false)', normalizer = 'NormalizerAuto');
create index on public.docs using pgroonga (body pgroonga_text_regexp_ops_v2, title pgroonga_varchar_full_text_search_ops_v2);
create function public.find(words text) returns setof public.docs language sql as
  $$ select * from public.docs where body &@~ words order by pgroonga_score(tableoid, ctid) desc $$;
insert into public.docs (title, body, tags, meta) select 'a', repeat('word ' || n, 5000), array['x'], '{"a": "b"}' from generate_series(1, 20) n;
`,
  });
  await one.start();
  expect(one.output).toContain(`${file}:1: pgroonga is inert: its library is not available`);
  const query = (sql: string) => one.run("db", "query", sql);
  expect((await query("select count(*) as c from public.docs where body like 'word%'")).stdout).toContain(
    "20",
  );
  expect((await query("update public.docs set body = 'short', tags = null")).code).toBe(0);
  const search = await query("select * from public.find('word')");
  expect([search.code, search.stderr]).toEqual([
    1,
    expect.stringContaining(
      "pgroonga_query_text() does nothing in Homebase: the extension pgroonga is here without its library",
    ),
  ]);
});

test("pg_cron, which files call and none creates, is created with a note; a strict start refuses the call", async () => {
  const one = project({ "seed.sql": "select cron.schedule('nightly', '0 3 * * *', 'select 1');\n" });
  await one.start("--strict");
  expect(one.output).toMatch(/supabase\/seed\.sql:1:\d+: schema "cron" does not exist/);
  await one.stop();
  await one.start();
  expect(one.output).toContain(
    'schema "cron" does not exist, unless pg_cron was switched on in the dashboard',
  );
  expect((await one.run("db", "query", "select jobname from cron.job")).stdout).toContain("nightly");
  expect((await one.run("reset")).code).toBe(0);
  expect((await one.run("db", "query", "select jobname from cron.job")).stdout).toContain("nightly");
});

test("pg_cron is not created for files that ask whether it is there", async () => {
  const one = project({
    "migrations/20260101000000_guarded.sql": `do $$ begin
      if exists (select 1 from pg_extension where extname = 'pg_cron') then perform cron.schedule('x', '* * * * *', 'select 1'); end if;
    end $$;`,
  });
  await one.start();
  expect(one.output).not.toContain("pg_cron was switched on");
  const found = await one.run("db", "query", "select coalesce(to_regnamespace('cron')::text, 'no schema')");
  expect(found.stdout).toContain("no schema");
});
