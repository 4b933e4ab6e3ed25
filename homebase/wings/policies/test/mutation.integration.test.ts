/** `homebase policies mutate`: in a small project, the changes that its tests miss are shown, and no others. */
import { execFileSync } from "node:child_process";
import { globSync, readdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { createBackend } from "../../testing.ts";
import { mutantsOf } from "../mutants.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 });

const ANA = "00000000-0000-4000-8000-0000000000a1";
const SQL = `
insert into auth.users (id, email, role, aud) values ('${ANA}', 'ana@example.com', 'authenticated', 'authenticated');
create table public.notes (id int primary key, owner uuid, public bool not null, closed bool not null);
insert into public.notes values (1, '${ANA}', false, false), (2, null, true, false), (3, null, false, false);
alter table public.notes enable row level security;
revoke all on public.notes from anon, authenticated;
grant select, insert on public.notes to authenticated;
create function public.writes() returns bool language sql stable security definer
  begin atomic select exists (select from auth.users u where u.id = auth.uid() and u.banned_until is null); end;
create policy "read" on public.notes for select to authenticated using (owner = auth.uid() or public);
create policy "write" on public.notes for insert to authenticated with check (owner = auth.uid() and public.writes() and not closed);
`;
/** Closed notes, and people who are banned or unknown, are tried by no test. */
const TESTS = `begin; select plan(4);
select set_config('request.jwt.claims', '{"sub": "${ANA}"}', true);
set local role authenticated;
select results_eq('select id from public.notes order by id', array[1, 2], 'her own and public ones');
select lives_ok($$insert into public.notes values (4, '${ANA}', false, false)$$, 'her own');
select throws_ok($$insert into public.notes values (5, null, true, false)$$, '42501', null, 'nobody''s');
select throws_ok($$insert into public.notes values (6, gen_random_uuid(), true, false)$$, '42501', null, 'another''s');
select * from finish(); rollback;`;

const project = new Project({ "migrations/20260101000000_notes.sql": SQL, "tests/notes.sql": TESTS });
afterAll(() => project.remove());

interface Result {
  percent: number;
  changes: number;
  survivors: { id: string; missing: string; change: string }[];
  argued: { id: string; argued: string }[];
}
async function mutate(...options: string[]): Promise<Result> {
  const { code, stdout, stderr } = await project.run("policies", "mutate", "--json", ...options);
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}
const MISSED = [
  "public.notes/write/check/2/out",
  "public.notes/write/check/3.1/out",
  "public.writes()/1.1/out",
  "public.writes()/1.2/out",
];

test("changes that no test notices are shown, with the test that is missing", async () => {
  const { survivors, changes, percent } = await mutate();
  expect(survivors.map(({ id }) => id)).toEqual(MISSED);
  // Two policies removed; five parts and two conditions out and round; two rights.
  expect(changes).toBe(2 + 5 * 2 + 2 * 2 + 2);
  expect(percent).toBe(Math.floor(((changes - MISSED.length) / changes) * 1_000) / 10);
  expect(survivors[1]).toMatchObject({
    change: '(closed) was taken out of the check of policy "write" on public.notes',
    missing: "an insert by authenticated of a row for which it alone is true",
  });
});

test("an ended run goes on, until a test changes", async () => {
  // What is known is not tried again: here the file of results says that everything was noticed.
  const folder = join(project.folder, ".homebase/coverage");
  const [ledger = ""] = globSync("*/mutants-*.jsonl", { cwd: folder });
  const results = readFileSync(join(folder, ledger), "utf8");
  writeFileSync(join(folder, ledger), results.replaceAll('"}', '","noticedBy":"somebody"}'));
  expect((await mutate()).survivors).toEqual([]);
  expect((await mutate("--again")).survivors.map(({ id }) => id)).toEqual(MISSED);
  project.write(
    "tests/notes.sql",
    TESTS.replace("plan(4)", "plan(5)").replace(
      "select * from finish",
      () =>
        `select throws_ok($$insert into public.notes values (7, '${ANA}', true, true)$$, '42501', null, 'closed'); select * from finish`,
    ),
  );
  expect((await mutate()).survivors.map(({ id }) => id)).toEqual(
    MISSED.filter((id) => !id.includes("/3.1/")),
  );
});

test("what makes no difference is argued in untested.txt, and a line that is wrong is refused", async () => {
  project.write(
    "untested.txt",
    "public.writes()/1.2 false: nobody is banned here\npublic.notes/write/check/2/out: every person writes\n",
  );
  const { survivors, argued } = await mutate();
  expect(survivors.map(({ id }) => id)).toEqual(["public.writes()/1.1/out"]);
  expect(argued.map(({ id, argued: reason }) => [id, reason])).toEqual([
    ["public.notes/write/check/2/out", "every person writes"],
    ["public.writes()/1.2/out", "nobody is banned here"],
  ]);
  project.write("untested.txt", "public.notes/read/removed: it is not\n");
  const wrong = await project.run("policies", "mutate");
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringContaining("public.notes/read/removed is noticed: remove its line."),
  ]);
  project.write("untested.txt", "");
});

test("--changed makes the changes of new migrations only, and --min ends with 1", async () => {
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: project.folder,
    });
  git("init", "-q");
  git("add", "supabase");
  git("commit", "-qm", "First");
  expect((await mutate("--changed", "HEAD")).changes).toBe(0);
  project.write(
    "migrations/20260102000000_more.sql",
    'alter policy "read" on public.notes using (owner = auth.uid() or public.notes.public);',
  );
  git("add", "supabase");
  const { changes, survivors } = await mutate("--changed", "HEAD");
  expect([changes, survivors]).toEqual([6, []]);
  const low = await project.run("policies", "mutate", "--min", "100");
  expect([low.code, low.stderr]).toEqual([
    1,
    expect.stringMatching(/Tests notice [\d.]+ % of the changes, fewer/),
  ]);
});

test("a repository among the project's committed files runs no program of its own", async () => {
  const other = new Project({ "migrations/20260101000000_notes.sql": "select 1;" });
  onTestFinished(() => other.remove());
  const git = (...words: string[]) => execFileSync("git", words, { cwd: other.folder });
  git("init", "-q");
  git("add", "supabase");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "First");
  git("config", "filter.run.clean", "touch ran; cat");
  git("config", "core.worktree", other.folder);
  git("config", "--unset", "core.bare");
  writeFileSync(join(other.folder, ".gitattributes"), "*.sql filter=run\n");
  for (const name of readdirSync(join(other.folder, ".git")))
    renameSync(join(other.folder, ".git", name), join(other.folder, name));
  rmdirSync(join(other.folder, ".git"));
  other.write("migrations/20260101000000_notes.sql", "select 2;");
  const { code, stderr } = await other.run("policies", "mutate", "--changed", "HEAD");
  expect(readdirSync(other.folder)).not.toContain("ran");
  expect([code, stderr]).toEqual([1, expect.stringContaining("git does not say what was changed")]);
});

test("tests that fail without a change are named", async () => {
  project.write(
    "tests/wrong.sql",
    "begin; select plan(1); select ok(false, 'wrong'); select * from finish(); rollback;",
  );
  const { code, stderr } = await project.run("policies", "mutate");
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("supabase/tests/wrong.sql (wrong) failed without any change."),
  ]);
});

test("a right that the project cannot take away is none of its changes", async () => {
  await using backend = await createBackend({ bare: true });
  await backend.sql(`
    create table public.a (id int); create table public.b (id int);
    alter table public.a enable row level security; alter table public.b enable row level security;
    revoke all on public.a, public.b from anon, authenticated;
    grant select on public.a to authenticated; grant select on public.b to public;
    create policy "a" on public.a for select to authenticated using (true);
    create policy "b" on public.b for select to authenticated using (true);
    create policy "files" on storage.objects for select to authenticated using (true)`);
  const client = await backend.database.pool("postgres").connect();
  const rights = (await mutantsOf(client)).map(({ id }) => id).filter((id) => id.endsWith("/revoked"));
  client.release();
  expect(rights).toEqual(["public.a/select/authenticated/revoked"]);
});
