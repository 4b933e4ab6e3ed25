/** `homebase start --why`: a line in the terminal under a refused request, and one whose rows row security hides. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { tellRefusals } from "../../src/cli/commands/start/refusals.ts";
import { silentLog } from "../../src/core/log.ts";
import { createBackend } from "../../src/testing/index.ts";
import { whyRequest } from "../../src/tools/why-request.ts";
import { readPage } from "../explain/page.ts";
import { forThisFile } from "../for-this-file.ts";
import { Project } from "./project.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const { files } = readPage();
const ANA = "00000000-0000-4000-8000-0000000000a1";
const backend = await forThisFile(createBackend({ bare: true }));
const { requests } = backend.backend;
let lines: string[] = [];
let begun = 0;
let ended = 0;
/** How many explanations ran at once at most. */
let most = 0;

beforeAll(async () => {
  await backend.sql(files["migrations/1_notes.sql"] ?? "");
  await backend.sql(files["seed.sql"] ?? "");
});
beforeEach(() => {
  lines = [];
  begun = 0;
  ended = 0;
  most = 0;
  // A new one has told nothing yet, so that no test waits for the pause after another's line.
  tellRefusals(requests, silentLog, {
    explain: async (id) => {
      begun += 1;
      most = Math.max(most, begun - ended);
      const record = requests.withValues(id);
      const explanation = record && (await whyRequest(backend.backend, backend.config, record));
      ended += 1;
      return explanation;
    },
    tell: (line) => void lines.push(line),
  });
});
afterAll(() => {
  requests.onRecord = undefined;
});

async function get(path: string): Promise<Response> {
  const exp = Math.floor(backend.clock.now() / 1000) + 3600;
  const token = await backend.backend.keys.sign({
    sub: ANA,
    role: "authenticated",
    aud: "authenticated",
    exp,
  });
  return fetch(`${backend.url}/rest/v1/${path}`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
  });
}

test("an empty answer has a line with the table and the policy that hides its rows", async () => {
  const answer = await get("notes?id=eq.2");
  expect(await answer.json()).toEqual([]);
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^GET \/rest\/v1\/notes returned no rows\. public\.notes: Hidden.*policy "members read notes" .* More: homebase explain --id [\w-]{8}$/,
  );
  expect(lines[0]).not.toContain("\n");
});

test("a refusal has a line with what refuses it", async () => {
  const answer = await fetch(`${backend.url}/rest/v1/comments`, {
    headers: { apikey: backend.publishableKey },
  });
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain("homebase explain");
  await expect.poll(() => lines).toHaveLength(1);
  expect(lines[0]).toMatch(
    /^GET \/rest\/v1\/comments was refused: 401 42501\. public\.comments: Refused: anon may not SELECT/,
  );
});

test("an empty answer whose rows nobody hides, and one with rows, have none", async () => {
  expect(await (await get("notes?id=eq.999")).json()).toEqual([]);
  expect(await (await get("notes")).json()).not.toEqual([]);
  await expect.poll(() => ended).toBe(1);
  expect(lines).toEqual([]);
});

test("a client in a loop gets one explanation at a time, and at most one a second, and its answers do not wait", async () => {
  const began = performance.now();
  await Promise.all(Array.from({ length: 200 }, () => get("notes?id=eq.2").then((answer) => answer.text())));
  const seconds = (performance.now() - began) / 1000;
  await expect.poll(() => lines.length).toBeGreaterThan(0);
  expect(begun).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
  expect(most).toBe(1);
});

test("the command writes the line to its terminal, and no row of it to the log", async () => {
  const project = new Project(files);
  try {
    await project.start("--why");
    await project.run("db", "query", "update public.notes set title = 'a secret title' where id = 2");
    const address = `${project.url}/rest/v1/comments`;
    await fetch(address, { headers: { apikey: project.key } });
    await expect
      .poll(() => project.output)
      .toMatch(
        /GET \/rest\/v1\/comments was refused: 401 42501\. public\.comments: Refused: anon may not SELECT/,
      );
    expect((await project.run("logs")).stdout).not.toContain("may not SELECT");
  } finally {
    await project.remove();
  }
});
