/** Tests of explaining functions' calls: who may call, the statements inside, and the rows hidden from each. */
import { beforeAll, expect, test } from "vitest";
import { explain, sentenceTexts, tracing } from "../../src/explain/index.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import { createBackend } from "../../src/testing/index.ts";
import { clientForThisFile, forThisFile } from "../for-this-file.ts";
import { PROJECT, USERS } from "./project.ts";

const FUNCTIONS = `
create function public.open_notes(team int) returns setof public.notes language plpgsql stable as $$
declare teams int;
begin
  select count(*) into teams from public.teams t where t.id = team;
  return query select * from public.notes n where n.team_id = team and not n.done;
end $$;
create function public.titles() returns setof text language sql stable
  begin atomic select n.title from public.notes n where n.done; end;
create function public.all_titles() returns setof text language sql stable security definer set search_path = ''
  as 'select n.title from public.notes n';
create function public.log_in(what text) returns void language plpgsql as $$
begin
  insert into public.audit values (9, what);
end $$;
create function public.take_over(task text) returns int language plpgsql as $$
declare taken int;
begin
  update public.tasks set owner_id = auth.uid() where title = task;
  get diagnostics taken = row_count;
  return taken;
end $$;
create function public.secret_of(note int) returns text language plpgsql stable as $$
begin
  return (select secret from public.notes where id = note);
end $$;
create function public.broken() returns int language plpgsql stable as $$ begin return 1 / 0; end $$;
revoke execute on function public.secret_of from public, anon, authenticated;
create schema hidden;
`;

const backend = await forThisFile(createBackend({ bare: true }));
const db = await clientForThisFile(backend.databaseUrl);
beforeAll(async () => {
  await backend.sql(PROJECT);
  await backend.sql(FUNCTIONS);
});

type Options = NonNullable<Parameters<typeof explain>[2]>;

async function told(
  method: string,
  path: string,
  body?: unknown,
  options: Options = {},
  user?: "ana" | "ben",
) {
  const role = user ? "authenticated" : "anon";
  const claims = { role, ...(user ? { sub: USERS[user] } : {}) };
  const asked = { method, path: `/rest/v1/rpc/${path}`, role, claims };
  const withTrace = tracing(() => explainLogin(backend.database));
  const all = { withTrace, ...options };
  const sent = body === undefined ? asked : { ...asked, body: JSON.stringify(body) };
  const found = await explain(db, sent, all);
  return { ...found, sentences: sentenceTexts(found) };
}

test("the statements of a PL/pgSQL function are told with their rows, and with those that were hidden", async () => {
  const { sentences, call, tables } = await told("GET", "open_notes?team=2", undefined, {}, "ana");
  expect(sentences).toEqual([
    "The function returns no rows, and would return 1 without row security.",
    expect.stringMatching(
      /^Hidden in "select count\(\*\) .*from public\.teams t where t\.id = team": policy "members read teams" asks private\.my_teams\(\), which wants a row of team_members with team_id = this row's id and user_id = you: there is 1 row with this team_id \(2\), but not with user_id = you\.$/,
    ),
    expect.stringMatching(
      /^Hidden in "select \* from public\.notes n where n\.team_id = team and not n\.done": policy "members read notes" asks private\.my_teams\(\)/,
    ),
    "Nor does an alternative hold: not the owner.",
  ]);
  expect(call).toMatchObject({
    function: { schema: "public", name: "open_notes" },
    definer: false,
    inside: [
      { text: expect.stringContaining("public.teams"), rows: 1, withoutRowSecurity: 1 },
      { text: expect.stringContaining("public.notes"), rows: 0, withoutRowSecurity: 1 },
    ],
  });
  // Only the rows that the statement asks for.
  expect(tables.map(({ table, explained }) => [table.name, explained?.judgement.candidates])).toEqual([
    ["teams", 1],
    ["notes", 1],
  ]);
});

test("a function in SQL is explained by what became of its statement", async () => {
  const { sentences } = await told("POST", "titles", {}, {}, "ben");
  expect(sentences[0]).toBe("The function returns 1 row, and would return 2 without row security.");
  expect(sentences[1]).toMatch(/^Hidden in "the body of titles".*policy "members read notes"/);
});

test("what a definer function reads is not hidden, and that is said", async () => {
  const { sentences } = await told("GET", "all_titles");
  expect(sentences).toEqual([
    "all_titles runs with the rights of its owner postgres, who has BYPASSRLS: no policy hides anything inside, whoever calls.",
  ]);
});

test("a function that may write is run with replay only, and leaves nothing", async () => {
  const { sentences } = await told("POST", "take_over", { task: "Cook" }, {}, "ana");
  expect(sentences).toEqual([expect.stringContaining("take_over is VOLATILE, so it may write")]);
  const again = await told("POST", "take_over", { task: "Cook" }, { replay: true }, "ana");
  expect(again.sentences).toEqual([
    expect.stringMatching(
      /^Not reached by UPDATE in "update public\.tasks .*": policy "own tasks" wants owner_id = you, and owner_id is 0/,
    ),
  ]);
  expect(again.call?.inside).toEqual([
    { text: expect.stringContaining("update public.tasks"), rows: 0, withoutRowSecurity: 1 },
  ]);
  expect(await backend.sql("select owner_id from public.tasks where title = 'Cook'")).toEqual([
    { owner_id: USERS.ben },
  ]);
});

test("an error inside is told with its place", async () => {
  const refused = await told("POST", "log_in", { what: "x" }, { replay: true });
  expect(refused.sentences[0]).toBe(
    'Refused inside with 401, code 42501: new row violates row-level security policy for table "audit" (PL/pgSQL function log_in(text) line 3 at SQL statement).',
  );
  expect(refused.sentences[1]).toBe(
    'Refused is the row of audit: audit has row security and no policy that lets anon INSERT ("admins read audit" is for SELECT; "admins write audit" is for role authenticated).',
  );
  expect((await told("GET", "broken")).sentences).toEqual([
    "broken raises an error, code 22012: division by zero (PL/pgSQL function broken() line 1 at RETURN).",
  ]);
});

test("who may not execute the function is told the grant", async () => {
  expect((await told("GET", "secret_of?note=1", undefined, {}, "ana")).sentences).toEqual([
    "Refused: authenticated may not execute secret_of: the answer is 403 with code 42501. To allow it: grant execute on function public.secret_of(integer) to authenticated;",
  ]);
});

test("a login without auto_explain is told so", async () => {
  const role = "authenticated";
  const asked = { method: "GET", path: "/rest/v1/rpc/titles", role, claims: { role } };
  await expect(explain(db, asked)).rejects.toThrow("session_preload_libraries");
});

test("in a test, a call is explained by what was asked last", async () => {
  await fetch(`${backend.url}/rest/v1/rpc/titles`, { headers: { apikey: backend.publishableKey } });
  expect(await backend.why()).toContain(
    'Refused inside with 401, code 42501: permission denied for table notes (SQL function "titles" statement 1).',
  );
});
