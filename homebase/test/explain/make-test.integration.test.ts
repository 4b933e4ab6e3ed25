/**
 * `homebase make-test`: a request becomes a test that passes when it is run, fails when the policy is another, and has
 * nothing in it that is about a person.
 */
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Project } from "../cli/project.ts";

vi.setConfig({ testTimeout: 360_000, hookTimeout: 240_000 });

const ANA = "00000000-0000-4000-8000-0000000000a1";
const BEN = "00000000-0000-4000-8000-0000000000b2";
const SQL = `
create schema private;
grant usage on schema private to authenticated;
create table public.profiles (id uuid primary key references auth.users, full_name text not null);
create function private.new_profile() returns trigger language plpgsql security definer set search_path = '' as
  $$ begin insert into public.profiles values (new.id, new.raw_user_meta_data ->> 'name'); return new; end $$;
create trigger new_profile after insert on auth.users for each row execute function private.new_profile();
create table public.teams (id int primary key, title text not null unique, motto text);
create table public.members (team_id int references public.teams, user_id uuid references public.profiles, role text not null,
  primary key (team_id, user_id));
create table public.notes (id bigint generated always as identity primary key, team_id int not null references public.teams,
  author uuid references public.profiles, body text not null, phone varchar(20), size numeric(4, 1) not null,
  due date not null, closed bool not null default false, letters int generated always as (length(body)) stored);
create table public.secrets (id int primary key, body text);
alter table public.profiles enable row level security;
alter table public.teams enable row level security;
alter table public.members enable row level security;
alter table public.notes enable row level security;
alter table public.secrets enable row level security;
revoke all on public.secrets from anon, authenticated;
create function private.my_teams() returns setof int language sql stable security definer set search_path = ''
  as $$ select m.team_id from public.members m where m.user_id = (select auth.uid()) and m.role <> 'invited' $$;
create policy "read" on public.notes for select to authenticated using (team_id in (select private.my_teams()));
create policy "write" on public.notes for insert to authenticated
  with check (author = auth.uid() and team_id in (select private.my_teams()));
create policy "change" on public.notes for update to authenticated using (author = auth.uid() and not closed);
create policy "not too large" on public.notes as restrictive for insert to authenticated with check (size < 90);
create table public.audit (note text);
alter table public.audit enable row level security;
grant insert on public.audit to authenticated;
create function public.audit() returns trigger language plpgsql as
  $$ begin if new.body = 'audited' then insert into public.audit values (new.body); end if; return null; end $$;
create trigger audit after insert on public.notes for each row execute function public.audit();
create view public.open_notes with (security_invoker = true) as
  select n.id, n.body, t.title from public.notes n join public.teams t on t.id = n.team_id where not n.closed;
grant select on public.open_notes to authenticated, anon;
create policy "all teams" on public.teams for select to authenticated using (true);
create function public.notes_of(team int) returns setof public.notes language sql stable as $$ select * from public.notes n where n.team_id = team $$;
create function public.belongs(team int) returns boolean language sql stable as 'select false';
create function public.belongs(team int, roles text[]) returns boolean language plpgsql stable as
  $$ begin return exists (select from public.notes n where n.team_id = team) and cardinality(roles) = 2; end $$;
create function public.closed_to_all() returns int language sql stable as $$ select 1 $$;
revoke execute on function public.closed_to_all from public, anon, authenticated;
create function public.writes() returns void language sql as $$ insert into public.teams values (9, 'Nine') $$;
insert into storage.buckets (id, name) values ('pictures', 'pictures');
create policy "own folder" on storage.objects for insert to authenticated
  with check (bucket_id = 'pictures' and (storage.foldername(name))[1] = (select auth.uid())::text);
create policy "remove" on public.notes for delete to authenticated using (author = auth.uid());
-- A test has no other person of this address.
insert into auth.users (id, email, role, aud, raw_user_meta_data) values
  ('00000000-0000-4000-8000-0000000000c3', 'Ana@example.com', 'authenticated', 'authenticated', '{"name": "Resident"}');
`;
/** What people wrote or are called: none of it may stand in a test. */
const PERSONAL = [
  "Ana Lopez",
  "ana.lopez",
  "Secret plan",
  "+351 912 345 678",
  "Kitchen crew",
  "for ever",
  "73.5",
  "1987-03-12",
];
const ROWS = `
insert into auth.users (id, email, role, aud, raw_user_meta_data) values
  ('${ANA}', 'ana.lopez@mail.pt', 'authenticated', 'authenticated', '{"name": "Ana Lopez"}'),
  ('${BEN}', 'ben@mail.pt', 'authenticated', 'authenticated', '{"name": "Ben"}');
insert into public.teams values (1, 'Kitchen crew', 'for ever'), (2, 'Bar', null);
insert into public.members values (1, '${ANA}', 'member'), (2, '${ANA}', 'invited'), (2, '${BEN}', 'member');
insert into public.notes (team_id, author, body, phone, size, due) values
  (1, '${ANA}', 'Secret plan', '+351 912 345 678', 73.5, '1987-03-12'), (2, '${BEN}', 'Another', null, 1, '1987-03-12');
insert into public.notes (team_id, author, body, size, due, closed) values (1, '${ANA}', 'Closed', 1, '1987-03-12', true);
`;

// The rows are in the running database only: a test brings what it needs.
const project = new Project({ "migrations/20260101000000_notes.sql": SQL });
beforeAll(async () => {
  await project.start();
  const { code, stderr } = await project.run("db", "query", ROWS);
  expect(code, stderr).toBe(0);
});
afterAll(() => project.remove());

async function make(...words: string[]): Promise<{ file: string; title: string; sql: string }> {
  const { code, stdout, stderr } = await project.run("make-test", ...words, "--json");
  expect(code, stderr).toBe(0);
  const made = JSON.parse(stdout) as { file: string; title: string };
  return { ...made, sql: readFileSync(join(project.folder, made.file), "utf8") };
}
const ana = ["--as", "ana.lopez@mail.pt"];
const write = (values: object) => ["--body", JSON.stringify(values)];
const CASES: [what: string, words: string[], title: string][] = [
  [
    "a hidden row",
    ["GET", "/rest/v1/notes", ...ana, "--row", "2"],
    "authenticated does not see row 2 of public.notes",
  ],
  [
    "a visible row",
    ["GET", "/rest/v1/notes", ...ana, "--row", "1"],
    "authenticated sees row 1 of public.notes",
  ],
  ["a refused read", ["GET", "/rest/v1/secrets"], "anon may not read public.secrets"],
  [
    "a refused write",
    [
      "POST",
      "/rest/v1/notes",
      ...ana,
      ...write({ team_id: 2, author: ANA, body: "x", size: 1, due: "2026-01-01" }),
    ],
    "authenticated's insert of public.notes is refused",
  ],
  [
    "a write",
    [
      "POST",
      "/rest/v1/notes",
      ...ana,
      ...write({ team_id: 1, author: ANA, body: "x", size: 1, due: "2026-01-01" }),
    ],
    "authenticated's insert of public.notes is allowed",
  ],
  [
    "a change that reaches no row",
    ["PATCH", "/rest/v1/notes?id=eq.3", ...ana, ...write({ size: 2 })],
    "authenticated's update of public.notes reaches no row",
  ],
  [
    "a change",
    ["PATCH", "/rest/v1/notes?id=eq.1", ...ana, ...write({ size: 2 })],
    "authenticated's update of public.notes is allowed",
  ],
  [
    "a removal",
    ["DELETE", "/rest/v1/notes?id=eq.1", ...ana],
    "authenticated's delete of public.notes is allowed",
  ],
  [
    "a hidden row of a view",
    ["GET", "/rest/v1/open_notes", ...ana, "--row", "2"],
    "authenticated does not see row 2 of public.open_notes",
  ],
  [
    "no rows of a function",
    ["GET", "/rest/v1/rpc/notes_of?team=2", ...ana],
    "authenticated gets no rows of public.notes_of",
  ],
  [
    "a value of a function",
    ["POST", "/rest/v1/rpc/belongs", ...ana, ...write({ team: 1, roles: ["a", "b"] })],
    "authenticated gets the value of public.belongs",
  ],
  [
    "a refused call",
    ["GET", "/rest/v1/rpc/closed_to_all", ...ana],
    "authenticated's call of public.closed_to_all is refused",
  ],
  [
    "a refused upload",
    ["POST", "/storage/v1/object/pictures/a.png", ...ana],
    "authenticated's upload into pictures is refused",
  ],
];

test.each(CASES)("%s becomes a test that passes and has nothing personal", async (what, words, title) => {
  const made = await make(...words, "--file", `supabase/tests/${what.replaceAll(" ", "_")}.sql`);
  expect(made.title).toBe(title);
  for (const text of PERSONAL) expect(made.sql).not.toContain(text);
  expect(made.sql.split("\n").filter((line) => line.startsWith("insert into")).length).toBeLessThan(12);
});

test("a refusal is that of the table and the policy, and the caller has a name", async () => {
  const of = (name: string) => readFileSync(join(project.folder, `supabase/tests/${name}.sql`), "utf8");
  expect(of("a_refused_write")).toContain(
    `'42501', 'new row violates row-level security policy for table "notes"',`,
  );
  expect(of("a_refused_read")).toContain("'42501', 'permission denied for table secrets',");
  expect(of("a_hidden_row")).toContain("select pg_temp.sign_in('cleo@example.com');\n");
  expect(of("a_hidden_row")).not.toMatch(/^select set_config/m);
  // Postgres names a policy that restricts.
  const restricted = await make(
    ...["POST", "/rest/v1/notes", ...ana],
    ...write({ team_id: 1, author: ANA, body: "x", size: 99, due: "2026-01-01" }),
    ...["--file", "supabase/tests/too_large.sql"],
  );
  expect(restricted.sql).toContain(`policy "not too large" for table "notes"'`);
});

test("a trigger's refusal elsewhere is not the one that a test asserts", async () => {
  // The explanation without --replay does not see the trigger, and the test that follows from it does not pass.
  const values = write({ team_id: 1, author: ANA, body: "audited", size: 1, due: "2026-01-01" });
  const refused = await project.run("make-test", "POST", "/rest/v1/notes", ...ana, ...values);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("audit")]);
});

test("in Vitest with supabase-js the same is asserted, it passes at once, and has nothing personal", async () => {
  const none = await project.run("make-test", "GET", "/rest/v1/notes", ...ana, "--row", "2", "--vitest");
  expect([none.code, none.stderr]).toEqual([
    1,
    expect.stringContaining("npm install --save-dev vitest @supabase/supabase-js homebase-stack"),
  ]);
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(project.folder, "node_modules"));
  const chosen = ["a refused write", "a value of a function", "a refused upload"];
  for (const [what, words, title] of CASES) {
    if (!chosen.includes(what)) continue;
    const made = await make(...words, "--vitest", "--file", `tests/${what.replaceAll(" ", "-")}.test.ts`);
    expect(made.title).toBe(title);
    expect(made.sql).toContain('from "homebase-stack/testing/vitest"');
    for (const text of PERSONAL) expect(made.sql).not.toContain(text);
    expect(made.sql).toContain("accessToken: () => backend.token(ben)");
    if (what === "a refused write") expect(made.sql).toContain("row-level security policy for table");
  }
});

test("all of them pass together, and those whose policy has changed fail", async () => {
  const first = await project.run("test", "db");
  expect(first.code, first.stdout).toBe(0);
  project.write(
    "migrations/20260102000000_open.sql",
    `alter policy "read" on public.notes using (true); alter policy "write" on public.notes with check (true);
     alter policy "change" on public.notes using (true); alter policy "remove" on public.notes using (false);
     grant select on public.secrets to anon; grant execute on function public.closed_to_all to authenticated;
     alter policy "own folder" on storage.objects with check (true);`,
  );
  const { files } = JSON.parse((await project.run("test", "db", "--json")).stdout) as {
    files: { path: string; passed: boolean }[];
  };
  const failed = files.flatMap(({ path, passed }) => (passed ? [] : [path.replace(/.*\/|\.sql/g, "")]));
  expect(failed.sort()).toEqual(
    [
      "a_change_that_reaches_no_row",
      "a_hidden_row",
      "a_hidden_row_of_a_view",
      "a_refused_call",
      "a_refused_read",
      "a_refused_upload",
      "a_refused_write",
      "no_rows_of_a_function",
    ].sort(),
  );
});

test("without a row it is about the first hidden one; a file that is there stays; nothing to test is said", async () => {
  const made = await make("GET", "/rest/v1/notes", ...ana);
  expect(made.file).toBe("supabase/tests/authenticated_sees_row_1_of_public_notes_test.sql");
  const again = await project.run("make-test", "GET", "/rest/v1/notes", ...ana);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining("is there already")]);
  expect(readFileSync(join(project.folder, made.file), "utf8")).toBe(made.sql);
  const none = await project.run("make-test", "GET", "/rest/v1/teams?id=eq.99", ...ana);
  expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("reaches no row")]);
  expect(existsSync(join(project.folder, "supabase/tests/none.sql"))).toBe(false);
  for (const words of [
    ["GET", "/storage/v1/object/pictures/a.png"],
    ["POST", "/storage/v1/object/list/pictures"],
    ["POST", "/storage/v1/object/nowhere/a.png"],
    ["POST", "/rest/v1/rpc/writes", ...write({})],
    ["PUT", "/rest/v1/teams?id=eq.1", ...write({ id: 1, title: "Kitchen" })],
  ]) {
    const refused = await project.run("make-test", ...words, ...ana);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(
        /uploads of new objects only|no bucket nowhere|writes, and no test|of an upsert|may not/,
      ),
    ]);
  }
});
