/** The workflows name only what exists: scripts, flags, files, programs, variables, inputs, actions. */
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/process.ts";
import { VERSION as SUPABASE } from "../../scripts/supabase-cli.ts";

interface Step {
  id?: string;
  name?: string;
  if?: string;
  uses?: string;
  run?: string;
  shell?: string;
  with?: Record<string, unknown>;
  env?: Record<string, unknown>;
}
interface Job {
  "timeout-minutes"?: number;
  permissions?: Record<string, string>;
  env?: Record<string, unknown>;
  steps: Step[];
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, Job>;
}
interface Action {
  inputs?: Record<string, { required?: boolean; default?: string }>;
  runs: { steps: Step[] };
}

const read = (path: string) => readFileSync(join(root, path), "utf8");
const workflowFiles = globSync(".github/workflows/*.yml", { cwd: root });
const actionFiles = [
  ...globSync(".github/actions/*/action.yml", { cwd: root }),
  "homebase/action/action.yml",
];
const workflows = workflowFiles.map((path) => ({ path, ...(parse(read(path)) as Workflow) }));
const actions = actionFiles.map((path) => ({ path, ...(parse(read(path)) as Action) }));
const scripts = (JSON.parse(read("package.json")) as { scripts: Record<string, string> }).scripts;

/** Every step with its file, and the variables of its job. */
const steps = [
  ...workflows.flatMap(({ path, jobs }) =>
    Object.entries(jobs).flatMap(([job, { steps, env }]) =>
      steps.map((step) => ({ path: `${path} ${job}`, step, outer: env ?? {} })),
    ),
  ),
  ...actions.flatMap(({ path, runs }) => runs.steps.map((step) => ({ path, step, outer: {} }))),
];
const runs = steps.flatMap(({ path, step, outer }) => {
  const { run } = step;
  return run === undefined ? [] : [{ path, step, outer, run }];
});

/** Newest major versions in November 2026, by the hashes of their commits: a tag can be moved. */
const ACTIONS: Readonly<Record<string, string>> = {
  "actions/checkout@9c091bb21b7c1c1d1991bb908d89e4e9dddfe3e0": "v7.0.0",
  "actions/setup-node@820762786026740c76f36085b0efc47a31fe5020": "v7.0.0",
  "actions/upload-artifact@bbbca2ddaa5d8feaa63e36b76fdaad77386f024f": "v7.0.0",
  "actions/cache@55cc8345863c7cc4c66a329aec7e433d2d1c52a9": "v6.1.0",
};
/** Set by GitHub for every step (docs.github.com, "Variables reference"). */
const FROM_GITHUB = /^(GITHUB_[A-Z_]+|RUNNER_TEMP|HOME|PATH)$/;
/** Of `supabase status -o env` (docs/compat/platform.md 3.2). */
const STATUS = ["API_URL", "DB_URL", "PUBLISHABLE_KEY", "SECRET_KEY", "SERVICE_ROLE_KEY"];
/** Made by a build before they are used. */
const BUILT = ["homebase/dist", "web/dist", "test-results"];
/** Where a command's flags are defined. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  deploy: ["scripts/deploy.ts", "homebase/wings/deploy/deploy-command.ts", "homebase/src/cli/kit/options.ts"],
  "deploy:web": ["scripts/deploy-web.ts"],
};
const code = [
  ...globSync("{scripts,tests,homebase/src,homebase/wings,homebase/test}/**/*.ts", { cwd: root }),
  "playwright.config.ts",
  "vitest.config.ts",
  "supabase/config.toml",
]
  .filter((path) => !path.endsWith("workflows.test.ts"))
  .map(read)
  .join("\n");

test("there are workflows to look at", () => {
  expect(workflowFiles.length).toBeGreaterThan(1);
  expect(runs.length).toBeGreaterThan(10);
});

describe.each(runs)("$path: $run", ({ run, step, outer }) => {
  test("is valid shell without expressions in it", () => {
    execFileSync("bash", ["-n"], { input: run, stdio: ["pipe", "pipe", "pipe"] });
    // A value that is put into the text of a script can be code; a variable cannot.
    expect(run).not.toContain("${{");
  });

  test("runs npm scripts and programs that exist", () => {
    for (const [, name = ""] of run.matchAll(/\bnpm run ([\w:-]+)/g)) expect(scripts).toHaveProperty(name);
    if (/\bnpm test\b/.test(run)) expect(scripts).toHaveProperty("test");
    for (const [, script = ""] of run.matchAll(/\bscripts\/bootstrap\.mjs ([\w-]+)/g))
      expect(existsSync(join(root, "scripts", `${script}.ts`)), script).toBe(true);
    for (const [, name = ""] of run.matchAll(/\bnpx (?:--yes )?([\w@.-]+)/g)) {
      const pinned = /^supabase@(.+)$/.exec(name)?.[1];
      if (pinned) expect(pinned).toBe(SUPABASE);
      else expect(existsSync(join(root, "node_modules", ".bin", name)), name).toBe(true);
    }
    for (const [, name = ""] of run.matchAll(/\bnpm install --global (\S+)/g))
      expect(name).toMatch(/^npm@\d+\.\d+\.\d+$/);
    for (const [, project = ""] of run.matchAll(/--project ([\w-]+)/g))
      expect(read("vitest.config.ts")).toContain(`name: "${project}"`);
  });

  test("gives npm scripts flags that they know", () => {
    for (const [, name = "", given = ""] of run.matchAll(/\bnpm run ([\w:-]+) -- ([^\n]*)/g)) {
      const known = (FLAGS[name] ?? []).map(read).join("\n");
      // What is quoted is another command.
      for (const [, flag = ""] of given.replaceAll(/"[^"]*"/g, "").matchAll(/(?:^|\s)--([\w-]+)/g))
        expect(known, `npm run ${name} -- --${flag}`).toMatch(new RegExp(`"?${flag}"?: \\{ type:`));
    }
  });

  test("names files that exist", () => {
    const paths = run.matchAll(/(?<![\w/.$@{}:-])((?:[\w-]+|\.ci)\/[\w./-]+)/g);
    for (const [, path = ""] of paths) {
      if (path.startsWith("git+") || BUILT.some((made) => path.startsWith(made))) continue;
      expect(existsSync(join(root, path)), path).toBe(true);
    }
  });

  test("reads variables that are set, and sets variables that are read", () => {
    const own = new Set([...Object.keys(step.env ?? {}), ...Object.keys(outer)]);
    const assigned = new Set([...run.matchAll(/(?:^|\s)([A-Za-z_]+)=/g)].map(([, name = ""]) => name));
    const fromStatus = /supabase@[\d.]+ status -o env/.test(run) ? STATUS : [];
    const known = new Set([...own, ...assigned, ...fromStatus]);
    for (const [, name = ""] of run.matchAll(/\$\{?([A-Za-z_]+)/g))
      expect(known.has(name) || FROM_GITHUB.test(name), name).toBe(true);
    const elsewhere = [...own, ...assigned].filter((name) => !new RegExp(`\\$\\{?${name}\\b`).test(run));
    for (const name of elsewhere.filter((name) => /^[A-Z_]+$/.test(name)))
      expect(name === "PLAYWRIGHT_JSON_OUTPUT_NAME" || new RegExp(`\\b${name}\\b`).test(code), name).toBe(
        true,
      );
  });
});

test("actions exist: those of the repository with their inputs, others by the hash of a version", () => {
  for (const { path, step } of steps) {
    if (!step.uses) continue;
    if (!step.uses.startsWith("./")) {
      const version = ACTIONS[step.uses];
      expect(read(path.split(" ")[0] ?? ""), step.uses).toContain(`uses: ${step.uses} # ${version}`);
      continue;
    }
    const action = actions.find((one) => one.path === join(step.uses ?? "", "action.yml"));
    const inputs = action?.inputs ?? {};
    const given = Object.keys(step.with ?? {});
    expect(given.filter((name) => !(name in inputs))).toEqual([]);
    expect(Object.keys(inputs).filter((name) => inputs[name]?.required && !given.includes(name))).toEqual([]);
  }
});

test("expressions refer to inputs and steps that exist", () => {
  for (const {
    path,
    inputs = {},
    runs: { steps },
  } of actions) {
    const text = read(path);
    for (const [, name = ""] of text.matchAll(/\binputs\.([\w-]+)/g))
      expect(inputs, path).toHaveProperty(name);
    for (const [, id] of text.matchAll(/\bsteps\.([\w-]+)\./g))
      expect(
        steps.map((step) => step.id),
        path,
      ).toContain(id);
  }
  for (const { path, jobs } of workflows) {
    for (const { steps } of Object.values(jobs)) {
      for (const [, id, output] of JSON.stringify(steps).matchAll(/\bsteps\.([\w-]+)\.outputs\.(\w+)/g)) {
        const step = steps.find((one) => one.id === id);
        expect(step?.run, `${path}: ${id}.${output}`).toMatch(new RegExp(`${output}=.*GITHUB_OUTPUT`));
      }
    }
  }
});

test("every job ends by itself and has no more rights than it needs", () => {
  for (const { path, permissions, jobs } of workflows) {
    expect(permissions, path).toEqual({ contents: "read" });
    for (const [name, job] of Object.entries(jobs)) {
      expect(job["timeout-minutes"], `${path} ${name}`).toBeGreaterThan(0);
      const publishes = job.steps.some(({ run }) => run?.startsWith("npm publish"));
      expect(job.permissions?.["id-token"], `${path} ${name}`).toBe(publishes ? "write" : undefined);
    }
  }
});

test("a secret is an input of an action or a variable of a step, and nothing prints it", () => {
  for (const { path, step } of steps) {
    const { env, with: given, ...rest } = step;
    expect(JSON.stringify(rest), path).not.toContain("secrets.");
    const secret = Object.entries(env ?? {}).filter(([, value]) =>
      /secrets\.|inputs\.(access-token|function-secrets)/.test(String(value)),
    );
    for (const [name] of secret) {
      const uses = (step.run ?? "").split("\n").filter((line) => line.includes(`$${name}`));
      for (const line of uses) expect(line).toMatch(/> "\$file"|\[ -n /);
    }
  }
});

test("the package is published with provenance, by a Node and an npm that can", () => {
  const job = workflows
    .flatMap(({ jobs }) => Object.values(jobs))
    .find(({ permissions }) => permissions?.["id-token"]);
  const commands = job?.steps.map(({ run }) => run ?? "").join("\n") ?? "";
  expect(commands).toContain("npm publish ./homebase/dist --provenance --access public");
  expect(commands).toContain("repository.url=git+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY.git");
  expect(
    Number(job?.steps.find(({ uses }) => uses?.includes("setup-node"))?.with?.["node-version"]),
  ).toBeGreaterThan(22);
  expect(Number(/npm@(\d+)/.exec(commands)?.[1])).toBeGreaterThanOrEqual(11);
});
