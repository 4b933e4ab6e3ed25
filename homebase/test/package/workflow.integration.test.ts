/**
 * The steps of a GitHub workflow that docs/move-from-supabase-start.md shows, and the package's action, run as the runner
 * runs them: what one step writes to GITHUB_ENV, GITHUB_PATH and GITHUB_OUTPUT, the next ones have.
 */
import { readFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { Installed } from "../../build/installed.ts";
import { leasePorts } from "../port-lease.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const installed = await Installed.make([]);
afterAll(() => installed.remove());

interface Step {
  id?: string;
  uses?: string;
  run?: string;
  with?: Record<string, string>;
  env?: Record<string, string>;
}
interface Action {
  inputs: Record<string, { default: string }>;
  outputs: Record<string, { value: string }>;
  runs: { steps: Step[] };
}

const PROJECT = {
  "package.json": '{"private":true}',
  "supabase/config.toml": "",
  "supabase/migrations/1_notes.sql": "create table public.notes (id int primary key, body text);\n",
  "supabase/seed.sql": "insert into public.notes values (1, 'seeded');\n",
  "supabase/tests/notes_test.sql":
    "begin;\nselect plan(1);\nselect has_table('public', 'notes', 'there');\nselect * from finish();\nrollback;\n",
  // What a test of the app does, by the variables of the steps before.
  "read.mjs": `const headers = { apikey: process.env.PUBLISHABLE_KEY };
console.log(await (await fetch(process.env.API_URL + "/rest/v1/notes", { headers })).text());
`,
};

/** The workflows of the page, by a word in them. */
function shown(word: string): Step[] {
  const page = readFileSync(join(root, "docs", "move-from-supabase-start.md"), "utf8");
  const blocks = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = ""]) => text);
  const found = blocks.filter((text) => text.includes(word));
  expect(found, word).toHaveLength(1);
  return parse(found[0] ?? "") as Step[];
}

/** Runs the steps of one job in one folder. */
class Job {
  readonly outputs: Record<string, Record<string, string>> = {};
  readonly #folder: string;
  readonly #files: string;
  #environment: Record<string, string>;

  private constructor(folder: string, files: string, environment: Record<string, string>) {
    this.#folder = folder;
    this.#files = files;
    this.#environment = environment;
  }

  static async make(name: string): Promise<Job> {
    const folder = await installed.project(name, PROJECT);
    const files = await installed.project(`${name}-runner`, {
      setup: "",
      "tools/supabase": "#!/bin/sh\nexit 9\n",
    });
    await chmod(join(files, "tools", "supabase"), 0o755);
    // Also where a step has failed.
    onTestFinished(async () => void (await installed.homebase(folder, "stop")));
    return new Job(folder, files, {
      // Found before all others, as the runner puts what setup-cli installs.
      PATH: [join(files, "tools"), installed.environment.PATH].join(delimiter),
      RUNNER_TEMP: files,
      HOMEBASE_PORT_OFFSET: String(leasePorts()),
      HOMEBASE_PACKAGE: installed.tarball,
    });
  }

  /** @returns what the step has printed on standard output */
  async run({ id, run = "", env = {} }: Step): Promise<string> {
    const names = ["GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT"] as const;
    const written = await installed.project(`${this.#files.split("/").at(-1)}/step`, {
      GITHUB_ENV: "",
      GITHUB_PATH: "",
      GITHUB_OUTPUT: "",
    });
    const done = await installed.run("bash", ["-e", "-o", "pipefail", "-c", run], this.#folder, {
      ...this.#environment,
      ...env,
      ...Object.fromEntries(names.map((name) => [name, join(written, name)])),
    });
    expect(done.code, `${run}\n${done.stdout}${done.stderr}`).toBe(0);
    const lines = (name: string) => readFileSync(join(written, name), "utf8").split("\n").filter(Boolean);
    // The runner takes a line as it is: quotes are part of the value.
    const variables = (name: string) =>
      Object.fromEntries(lines(name).map((line) => /^([^=]+)=(.*)$/.exec(line)?.slice(1) ?? [line, ""]));
    const path = [...lines("GITHUB_PATH").reverse(), this.#environment.PATH].join(delimiter);
    this.#environment = { ...this.#environment, ...variables("GITHUB_ENV"), PATH: path };
    if (id !== undefined) this.outputs[id] = variables("GITHUB_OUTPUT");
    return done.stdout;
  }

  async runAll(steps: readonly Step[]): Promise<string[]> {
    const printed: string[] = [];
    // The package of the registry is this one.
    for (const step of steps)
      printed.push(
        await this.run({
          ...step,
          run: step.run?.replace(/(npm install \S+) homebase-stack/, `$1 ${installed.tarball}`) ?? "",
        }),
      );
    return printed;
  }

  readNotes(): Promise<string> {
    return this.run({ run: `"${process.execPath}" read.mjs` });
  }
}

const SEEDED = '[{"id":1,"body":"seeded"}]\n';

test("beside supabase/setup-cli three lines are new, and the others stay as they were", async () => {
  const after = shown("homebase link-cli");
  const before = shown("- uses: supabase/setup-cli@v1\n- run: supabase start\n");
  const lines = (steps: readonly Step[]) => steps.map(({ uses, run }) => uses ?? run);
  const added = lines(after).filter((line) => !lines(before).includes(line));
  expect(lines(after).filter((line) => !added.includes(line))).toEqual(lines(before));
  expect(added).toHaveLength(3);

  const job = await Job.make("beside-setup-cli");
  const printed = await job.runAll(after.filter(({ uses, run }) => uses === undefined && run !== "npm test"));
  expect(printed.join("")).toContain("Result: PASS");
  expect(await job.readNotes()).toBe(SEEDED);
}, 300_000);

test("without the action, the stack runs in the background and later steps have its variables", async () => {
  const job = await Job.make("without-the-action");
  await job.runAll(shown("npx homebase supabase start"));
  expect(await job.readNotes()).toBe(SEEDED);
}, 300_000);

test("the action starts the stack: later steps have its variables, and its outputs are those of the step", async () => {
  const action = parse(readFileSync(join(root, "homebase", "action", "action.yml"), "utf8")) as Action;
  const given: Record<string, string> = {};
  for (const { uses, with: inputs = {} } of shown("homebase/action@"))
    if (uses?.includes("homebase/action@")) Object.assign(given, inputs);
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));

  const job = await Job.make("by-the-action");
  for (const { id, run, env = {} } of action.runs.steps) {
    if (run === undefined) continue;
    // The offset is the job's, as where the input is empty.
    const { HOMEBASE_PORT_OFFSET: _, ...rest } = env;
    const step: Step = { run, env: { ...rest, GITHUB_ACTION_PATH: join(root, "homebase", "action") } };
    await job.run(id === undefined ? step : { ...step, id });
  }
  expect(await job.readNotes()).toBe(SEEDED);
  for (const { value } of Object.values(action.outputs)) {
    const [, id = "", name = ""] = /steps\.(\w+)\.outputs\.(\w+)/.exec(value) ?? [];
    expect(job.outputs[id]?.[name], value).toMatch(/^(http|postgresql|sb_)/);
  }
}, 300_000);

test("a migration that fails fails the action's step, and nothing runs then", async () => {
  const folder = await installed.project("failing", {
    ...PROJECT,
    "supabase/migrations/2_broken.sql": "selekt 1;\n",
  });
  const environment = {
    RUNNER_TEMP: await installed.project("failing-runner", {}),
    HOMEBASE_PORT_OFFSET: String(leasePorts()),
    HOMEBASE_PACKAGE: installed.tarball,
  };
  const failed = await installed.run(
    "bash",
    [join(root, "homebase", "action", "start.sh")],
    folder,
    environment,
  );
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("2_broken.sql") });
  const status = await installed.homebase(folder, "status");
  expect(status.stderr).toContain("not running");
}, 300_000);
