/** `homebase explain`: the commands of docs/explain.md on a running stack, its options, and a foreign database. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ExplanationData } from "../../src/explain/verdicts.ts";
import { Project } from "../cli/project.ts";
import { hasWing } from "../has-wing.ts";
import { prints, readPage } from "./page.ts";

vi.setConfig({ testTimeout: 360_000, hookTimeout: 240_000 });

const page = readPage();
const project = new Project(page.files);
beforeAll(() => project.start());
afterAll(() => project.remove());

test.runIf(hasWing("policies"))("every command of the page prints what the page shows", async () => {
  expect(page.commands.length).toBeGreaterThan(4);
  for (const { lines, output } of page.commands) {
    let printed = "";
    for (const { environment, words } of lines) {
      project.environment = environment;
      const { code, stdout, stderr } = await project.run(...words);
      expect(code, stderr).toBe(0);
      printed += stdout;
    }
    if (output !== undefined) expect(printed).toMatch(prints(output));
  }
});

test("a part that the page calls decisive is the reason: with it, the row is in REST's own answer", async () => {
  const read = async () => {
    const claims = JSON.stringify({ sub: "00000000-0000-4000-8000-0000000000a1", role: "authenticated" });
    const { stdout } = await project.run(
      "explain",
      "GET",
      "/rest/v1/notes",
      "--row",
      "3",
      "--claims",
      claims,
      "--json",
    );
    return JSON.parse(stdout) as ExplanationData;
  };
  const before = await read();
  expect(before.tables[0]?.judged[0]?.groups[0]?.visible).toBe(false);
  await project.run("db", "query", "update public.team_members set role = 'member' where team_id = 3");
  const after = await read();
  expect(after.tables[0]?.judged[0]?.groups[0]?.visible).toBe(true);
});

test("a request that ran is explained by its id, as the line in the terminal says, or as the last one", async () => {
  const answer = await fetch(`${project.url}/rest/v1/comments`, { headers: { apikey: project.key } });
  expect(answer.status).toBe(401);
  const line = /GET \/rest\/v1\/comments was refused: 401 42501, why: homebase (explain --id [\w-]+)\n/;
  await expect.poll(() => project.output).toMatch(line);
  const words = line.exec(project.output)?.[1]?.split(" ") ?? [];
  const byId = await project.run(...words);
  expect([byId.code, byId.stdout]).toEqual([
    0,
    (await project.run("explain", "GET", "/rest/v1/comments")).stdout,
  ]);
  expect(byId.stdout).toContain("Refused: anon may not SELECT from comments");
  expect((await project.run("explain", "--last")).stdout).toBe(byId.stdout);
  await fetch(`${project.url}/auth/v1/user`, { headers: { apikey: project.key } });
  const records = (await project.run("requests", "--service", "auth", "-n", "1", "--json")).stdout;
  const other = await project.run("explain", "--id", (JSON.parse(records) as { id: string }).id);
  expect([other.code, other.stderr]).toEqual([
    1,
    expect.stringContaining("requests to REST and Storage are explained"),
  ]);
});

test("a foreign database is explained in a read-only transaction, with what cannot be read there", async () => {
  const ask = ["explain", "GET", "/rest/v1/notes", "--as", "ana@example.com", "--row", "2"];
  const { code, stdout } = await project.run(...ask, "--db-url", project.database);
  expect(code).toBe(0);
  expect(stdout).toContain("> false: team_id IN (private.my_teams())");
  expect(stdout).toContain("my_teams has its body as a string");
  const others: [string[], string][] = [
    [["EVENT", "notes", "--row", "2"], 'Not delivered: policy "members read notes"'],
    [["JOIN", "room:1"], "Hears no broadcasts and does not see who is present: messages has row security"],
    [
      ["POST", "/storage/v1/object/pictures/a.png"],
      "objects has row security and no policy that lets authenticated INSERT",
    ],
  ];
  for (const [words, sentence] of others) {
    const told = await project.run(
      "explain",
      ...words,
      "--as",
      "ana@example.com",
      "--db-url",
      project.database,
    );
    expect(told.stdout, told.stderr).toContain(sentence);
  }
});

test("what makes no sense is refused with what to write instead", async () => {
  const refusals: [string[], RegExp, number][] = [
    [["explain"], /takes a method and a path/, 2],
    [["explain", "FETCH", "/rest/v1/notes"], /takes a method and a path/, 2],
    [["explain", "GET", "/rest/v1/notes", "--last"], /takes a method and a path, or --id or --last/, 2],
    [["explain", "--last", "--role", "anon"], /take a request as it was/, 2],
    [["explain", "--id", "none"], /No request, or more than one/, 1],
    [
      ["explain", "GET", "/rest/v1/notes", "--role", "anon", "--claims", "{}"],
      /Use one of --as, --role and --claims/,
      2,
    ],
    [["explain", "GET", "/rest/v1/notes", "--claims", "[1]"], /takes an object/, 2],
    [["explain", "GET", "/rest/v1/notes", "--as", "nobody@example.com"], /No user of auth.users/, 1],
    [["explain", "GET", "/rest/v1/notes", "--role", "nobody"], /There is no role nobody/, 1],
    [["explain", "GET", "/rest/v1/nothing"], /Could not find the table/, 1],
    [["explain", "POST", "/rest/v1/notes"], /give its body \(--body\)/, 1],
    [
      ["explain", "GET", "/rest/v1/team_members", "--row", "1"],
      /primary key of team_members is team_id, user_id/,
      1,
    ],
    [["explain", "GET", "/auth/v1/user"], /Requests to REST .* and Storage/, 1],
    [["make-test", "JOIN", "room:1"], /takes a method and a path/, 2],
  ];
  for (const [args, message, expected] of refusals) {
    const { code, stderr } = await project.run(...args);
    expect(stderr).toMatch(message);
    expect(code, args.join(" ")).toBe(expected);
  }
});
