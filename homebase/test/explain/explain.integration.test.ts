/** Tests of the explanation of a request: each reason for which a row is not in an answer, in one sentence. */
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { type Explanation, explain, explanationText, sentenceTexts } from "../../src/explain/index.ts";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { PROJECT, USERS } from "./project.ts";

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
beforeAll(async () => {
  await backend.sql(PROJECT);
});

const api = { schemas: ["public"], extraSearchPath: ["public", "extensions"], maxRows: 1000 };

function as(name?: keyof typeof USERS) {
  const role = name ? "authenticated" : "anon";
  return { role, claims: { role, ...(name ? { sub: USERS[name] } : {}) } };
}

async function ask(
  path: string,
  who: ReturnType<typeof as>,
  options: { row?: string; readOnly?: boolean } = {},
) {
  return explain(db, { method: "GET", path, ...who }, { api, ...options });
}

async function sentences(...args: Parameters<typeof ask>): Promise<string[]> {
  return sentenceTexts(await ask(...args));
}

describe("before any policy", () => {
  test("a table that is not granted is a refusal, not an empty list", async () => {
    expect(await sentences("/rest/v1/notes", as())).toEqual([
      'Refused: anon may not SELECT from notes, before any policy: the answer is 401 with code 42501, not an empty list. To allow it: grant select on "public"."notes" to anon;',
    ]);
  });

  test("a column that is not granted is named, and columns that are granted can be read", async () => {
    expect(await sentences("/rest/v1/tags?select=id,label", as("ana"))).toEqual([
      'Refused: authenticated may not read label of tags: the answer is 403 with code 42501, not an empty list. Leave them out, or: grant select ("label") on "public"."tags" to authenticated;',
    ]);
    expect(await sentences("/rest/v1/tags?select=id&label=eq.a", as("ana"))).toEqual([
      expect.stringContaining("may not read label of tags"),
    ]);
    expect(await sentences("/rest/v1/tags?select=id", as("ana"))).toEqual([
      "Visible: tags has no row security, so policies hide nothing of 1 row.",
    ]);
  });

  test("a role with BYPASSRLS and an owner see everything", async () => {
    const service = { role: "service_role", claims: { role: "service_role" } };
    expect(await sentences("/rest/v1/audit", service)).toEqual([
      "Visible: service_role has BYPASSRLS, so policies hide nothing of 1 row.",
    ]);
  });

  test("a table without a policy for the role says whom its policies are for", async () => {
    expect(await sentences("/rest/v1/audit", as("ana"))).toEqual([
      'Hidden (1 row): audit has row security and no policy that lets authenticated SELECT ("admins read audit" is for role service_role; "admins write audit" is for INSERT).',
    ]);
  });

  test("what REST refuses before it asks the database has REST's own words", async () => {
    await expect(ask("/rest/v1/note", as("ana"))).rejects.toThrow(
      /Could not find the table 'public.note'.*PGRST205/,
    );
    await expect(ask("/rest/v1/notes?id=1", as("ana"))).rejects.toThrow(/PGRST100/);
    await expect(ask("/auth/v1/user", as("ana"))).rejects.toThrow(/Requests to REST .* and Storage/);
  });
});

describe("policies", () => {
  const hiddenNote =
    'Hidden: policy "members read notes" asks private.my_teams(), which wants a row of team_members with team_id = this row\'s team_id and user_id = you: there is 1 row with this team_id (2), but not with user_id = you. Nor does an alternative hold: not the owner.';

  test("a function with a string body is gone into, and what it looks for is counted by each condition", async () => {
    expect(await sentences("/rest/v1/notes", as("ana"), { row: "2" })).toEqual([hiddenNote]);
  });

  test("nothing is linked to the row at all", async () => {
    expect(await sentences("/rest/v1/notes", as("ana"), { row: "3" })).toEqual([
      expect.stringContaining("there is no row with this team_id (3)"),
    ]);
  });

  test("a boolean function with arguments is gone into", async () => {
    const told = (await sentences("/rest/v1/drafts", as("ben"), { row: "2" })).join("\n");
    expect(told).toContain(
      "policy \"admins only\" asks private.is_admin(), which wants a row of team_members with team_id = 2, user_id = you and role = 'admin': there is 1 row with this team_id (2), but not with role = 'admin'",
    );
  });

  test("a row that is there, and that another table's policy hides, is followed to that policy", async () => {
    const told = (await sentences("/rest/v1/drafts", as("ben"), { row: "1" })).join("\n");
    expect(told).toContain(
      'policy "members read drafts" wants a row of team_members with team_id = this row\'s team_id and user_id = you: there is 1 row, but you cannot see it.\nThere, policy "people see themselves" of team_members wants role <> \'guest\', and role is guest.',
    );
    const comment = (await sentences("/rest/v1/comments", as("ana"), { row: "2" })).join("\n");
    expect(comment).toContain(
      'policy "read with the note" wants a row of notes with id = this row\'s note_id',
    );
    expect(comment).toContain('policy "members read notes" of notes asks private.my_teams()');
  });

  test("a value of the caller is a condition, also when it stands before the subquery", async () => {
    const told = (await sentences("/rest/v1/files", as("ana"), { row: "2" })).join("\n");
    expect(told).toContain(
      'policy "team files" wants a row of team_members with team_id = this row\'s team_id and user_id = you: there is 1 row with this team_id (2), but not with user_id = you',
    );
    expect(told).toContain(
      'policy "team files by name" asks public.may_see(), which wants a row of team_members',
    );
  });

  test("a comparison with a subquery is gone into like IN", async () => {
    const told = (await sentences("/rest/v1/reports", as("ana"), { row: "2" })).join("\n");
    expect(told).toContain(
      'policy "org reads" wants a row of profiles with org = this row\'s org and id = you: there is 1 row with this org (2), but not with id = you',
    );
    expect(told).toContain("policy \"only admins\" wants a row of profiles with id = you and role = 'admin'");
    expect(told).toContain("and what comes closest lacks role = 'admin'");
  });

  test("nobody is signed in, and a policy that asks its own table raises", async () => {
    expect((await sentences("/rest/v1/reports", as(), { row: "1" }))[0]).toBe(
      `Hidden: policy "guests never" wants author = auth.uid(), and auth.uid() is null, because nobody is signed in.`,
    );
    expect((await sentences("/rest/v1/loops", as("ana")))[0]).toContain(
      "which raises an error: infinite recursion detected in policy for relation",
    );
  });

  test("both worlds are told: what is hidden, and how much is visible", async () => {
    const told = await sentences("/rest/v1/notes", as("ana"));
    expect(told.at(-1)).toBe("Visible: row security lets authenticated see 2 of 4 rows of notes.");
    expect(told.filter((one) => one.startsWith("Hidden (1 row, e.g. "))).toHaveLength(2);
  });

  test("a read-only transaction gives the same verdicts, and says what it cannot read", async () => {
    const [own, foreign] = [
      await ask("/rest/v1/notes", as("ana")),
      await ask("/rest/v1/notes", as("ana"), { readOnly: true }),
    ];
    const judged = ({ tables }: Explanation) => tables.map(({ explained }) => explained?.judgement);
    expect(judged(foreign)).toEqual(judged(own));
    expect(JSON.stringify(foreign)).toContain("my_teams has its body as a string");
  });

  test("a part that raises an error comes before an alternative that is only not met", async () => {
    await backend.sql(`
      create schema closed; create table closed.owners (who uuid);
      create table public.berths (id int primary key, owner uuid, team_id int);
      create function public.in_team(team int) returns boolean language sql stable
        as 'select exists (select from public.team_members m where m.team_id = team and m.user_id = auth.uid())';
      alter table public.berths enable row level security;
      create policy "owners" on public.berths for select to authenticated
        using (public.in_team(team_id) or owner in (select who from closed.owners));
      grant select on public.berths to authenticated; grant usage on schema closed to authenticated;
      insert into public.berths values (1, null, 99);`);
    const told = await sentences("/rest/v1/berths", as("ana"));
    expect(told[0]).toContain(
      'The request fails with an error: policy "owners" asks for owner in a query of owners, which raises an error: permission denied for table owners',
    );
  });

  test("a part that raises an error is named with it", async () => {
    await backend.sql(`
      create table public.odd (id int primary key, text text);
      alter table public.odd enable row level security;
      create policy "numbers" on public.odd for select to authenticated using (id > 0 and text::int > 3);
      insert into public.odd values (1, 'seven'), (2, '7');`);
    const told = await sentences("/rest/v1/odd", as("ana"));
    expect(told[0]).toContain(
      'policy "numbers" asks for (text)::integer > 3, which raises an error: invalid input syntax',
    );
    expect(told[1]).toBe("Visible: row security lets authenticated see 1 of 2 rows of odd.");
  });
});

describe("the rest of the request", () => {
  test("a row that the filters leave out is not called hidden", async () => {
    expect(await sentences("/rest/v1/notes?done=is.true&title=eq.Menu", as("ana"), { row: "1" })).toEqual([
      "Filtered: row 1 does not meet done=is.true.",
      "Visible: row security lets authenticated see 1 of 1 row of notes.",
    ]);
    expect(await sentences("/rest/v1/notes?done=is.true", as("ana"), { row: "99" })).toEqual([
      "There is no row 99 in notes, for anybody.",
    ]);
    expect(await sentences("/rest/v1/notes?id=eq.99", as("ana"))).toEqual([
      "No row of notes meets the request's filters, whoever asks: nothing is hidden.",
    ]);
  });

  test("rows on another page are not hidden", async () => {
    expect((await sentences("/rest/v1/notes?limit=1", as("ana"))).at(-1)).toBe(
      "Not on this page: 2 rows are visible, and the request asks for 1 to 1.",
    );
  });

  test("each embedded table is judged, for the rows that belong to the request's", async () => {
    const { tables } = await ask("/rest/v1/teams?select=name,notes(title,comments(body))&id=eq.2", as("ana"));
    expect(tables.map(({ embed, explained }) => [embed, explained?.judgement.candidates])).toEqual([
      [undefined, 1],
      ["notes", 1],
      ["notes.comments", 1],
    ]);
    expect(
      tables.flatMap(({ explained }) => explained?.judgement.groups.map(({ visible }) => visible)),
    ).toEqual([false, false, false]);
  });

  test("an inner embed leaves rows out when its own are hidden", async () => {
    const told = await sentences("/rest/v1/comments?select=body,notes!inner(title)&id=eq.2", as("ana"));
    expect(told.at(-1)).toBe(
      "The embed is an inner one: rows above without a visible row of notes are left out.",
    );
  });

  test("a view says with whose rights it reads", async () => {
    expect((await sentences("/rest/v1/all_notes", as("ana"))).slice(0, 2)).toEqual([
      "all_notes is a view: it reads its tables as its owner postgres, whoever asks. With security_invoker it would read them as authenticated.",
      "notes: Visible: postgres has BYPASSRLS, so policies hide nothing of 4 rows.",
    ]);
    expect((await sentences("/rest/v1/my_notes", as("ana"))).at(-1)).toBe(
      "notes: Visible: row security lets authenticated see 2 of 4 rows of notes.",
    );
  });

  test("a recorded request whose answer would be another one today is told", async () => {
    const asked = { method: "GET", path: "/rest/v1/notes", ...as("ana"), status: 200 };
    expect((await explain(db, { ...asked, rows: 2 }, { api })).changed).toBeUndefined();
    expect((await explain(db, { ...asked, rows: 3 }, { api })).changed).toMatch(
      /returned 3 rows, and would return 2 now/,
    );
  });
});

test("the text has the tree with every part, its verdict and its counts", async () => {
  const text = explanationText(await ask("/rest/v1/notes?id=eq.2", as("ana")));
  expect(text).toContain("  1 row hidden: 2\n");
  expect(text).toContain("> false: team_id IN (private.my_teams())");
  expect(text).toMatch(
    / 1 {2}m\.team_id = team_id \(2\)\n +0 {2}m\.user_id = auth\.uid\(\) {2}\(auth\.uid\(\) = you\)/,
  );
});

test("a table that is being changed is not waited for", async () => {
  const other = new pg.Client(backend.databaseUrl);
  await other.connect();
  await other.query("begin; lock table public.notes in access exclusive mode");
  await expect(ask("/rest/v1/notes", as("ben"))).rejects.toThrow(/lock timeout. Another session is changing/);
  await other.end();
});

test("nothing is left in the database: no function, no right, no lock, no setting", async () => {
  const [own] = (await db.query<{ pid: number }>("select pg_backend_pid() as pid")).rows;
  const state = () =>
    backend.sql(`select (select count(*) from pg_proc where proname like 'homebase_why%') as functions,
      (select string_agg(rolname, ',' order by rolname) from pg_roles where rolbypassrls) as bypass,
      (select count(*) from pg_locks where pid = ${own?.pid} and locktype = 'relation') as locks`);
  const before = await state();
  await ask("/rest/v1/drafts", as("ben"));
  await expect(ask("/rest/v1/notes?id=eq.x", as("ben"))).rejects.toThrow(/invalid input syntax/);
  expect(await state()).toEqual(before);
  const { rows } = await db.query(
    "select current_user::text as who, current_setting('request.jwt.claims', true) as claims",
  );
  expect(rows).toEqual([{ who: "postgres", claims: expect.toBeOneOf([null, ""]) }]);
});

test("policies that pass are shown by name, and by their parts where the whole tree is wanted", async () => {
  const explanation = await ask("/rest/v1/notes?id=eq.1", as("ana"));
  const [brief, whole] = [explanationText(explanation), explanationText(explanation, true)];
  expect(brief).toMatch(/1 row visible: 1\n {4}policy "members read notes"\n$/);
  expect(whole).toMatch(/policy "members read notes"\n {6}[> ] true: team_id IN \(private\.my_teams\(\)\)/);
});
