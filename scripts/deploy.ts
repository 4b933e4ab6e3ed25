/**
 * `npm run deploy`: takes migrations, secrets, functions, configuration and buckets to a hosted project by
 * the Supabase CLI, saying before each step what will change. Each step can be repeated, so a deploy that
 * broke off is simply run again. Thin: what is deployed and how is the CLI's business.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { parseArgs } from "node:util";
import { loadRemoteConfig, refusals } from "homebase-stack/deploy";
import { readDotenv, readProject } from "homebase-stack/project";
import { capture, node, nodeFlags, root, run } from "./process.ts";
import { runSupabase } from "./supabase-cli.ts";

const HELP = `Usage: npm run deploy -- --project-ref REF [options]

Deploys supabase/ to the hosted project REF, in this order: checks, secrets, migrations, functions,
configuration. Before each step it says what will change and asks. A step that fails ends the
deploy; what was done stays, and running it again goes on from there.

Needs SUPABASE_ACCESS_TOKEN (supabase.com, account, access tokens).

Options:
  --project-ref REF    the project: the first part of its address
  --dry-run            say what would change, and change nothing
  --yes                do not ask
  --secrets-file FILE  secrets for functions (default: supabase/functions/.env.production, if it exists)
  --skip-checks        leave out types, lint and unit tests
  --profile FILE       a CLI profile, to deploy to something else than supabase.com
  --help               this text

Afterwards: npm run build makes the app for a static host; give it VITE_SUPABASE_URL and
VITE_SUPABASE_PUBLISHABLE_KEY of the project.`;

const REF = /^[a-z]{20}$/;
const TOKEN = /^sbp_(oauth_|v0_)?[a-f0-9]{40}$/;

const { values } = parseArgs({
  options: {
    "project-ref": { type: "string" },
    "dry-run": { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
    "secrets-file": { type: "string" },
    "skip-checks": { type: "boolean", default: false },
    profile: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const ref = values["project-ref"] ?? "";
if (!REF.test(ref)) stop(`--project-ref takes a project's reference: twenty small letters.\n\n${HELP}`, 2);
if (!TOKEN.test(process.env.SUPABASE_ACCESS_TOKEN ?? "")) {
  stop(
    "SUPABASE_ACCESS_TOKEN is missing or is no access token. Make one in your account's settings and export it.",
  );
}
const remote = loadRemoteConfig({
  from: root,
  environment: { SUPABASE_ENV: "production", ...process.env },
  remote: "production",
});
const refused = refusals(remote, "production");
if (remote.overlay.project_id !== ref) {
  refused.push(
    `[remotes.production] project_id is ${remote.overlay.project_id}, and --project-ref is ${ref}.`,
  );
}
if (refused.length > 0) stop(`This configuration is not deployed:\n  ${refused.join("\n  ")}`);
const dry = values["dry-run"];
const project = readProject(root);
const target = `--remote=${ref}`;

interface Step {
  name: string;
  /** Says what would change. Returns false when there is nothing to do. */
  preview(): Promise<boolean>;
  apply(): Promise<number>;
}

const secretsFile = values["secrets-file"] ?? join(project.supabaseFolder, "functions", ".env.production");

const steps: Step[] = [
  {
    name: "secrets",
    preview: async () => {
      if (!existsSync(secretsFile)) {
        if (values["secrets-file"]) stop(`There is no file ${secretsFile}.`);
        console.log("  No secrets file; the project's secrets stay as they are.");
        return false;
      }
      const names = Object.keys(readDotenv(secretsFile));
      console.log(`  Sets ${names.length} secrets: ${names.join(", ")}. Others stay.`);
      return names.length > 0;
    },
    apply: () => supabase("secrets", "set", "--env-file", secretsFile, target, "--yes"),
  },
  {
    name: "migrations",
    preview: async () => {
      await must("migration", "list", target);
      await must("db", "push", "--dry-run", target);
      return true;
    },
    apply: () => supabase("db", "push", target, "--yes"),
  },
  {
    name: "functions",
    preview: async () => {
      const names = project.functions;
      console.log(
        `  Deploys ${names.length > 0 ? names.join(", ") : "nothing"}. Functions that are only there stay.`,
      );
      return names.length > 0;
    },
    apply: () => supabase("functions", "deploy", "--use-api", target, "--yes"),
  },
  {
    name: "configuration",
    preview: async () => {
      await must("config", "diff", target);
      return true;
    },
    apply: () => supabase("config", "push", target, "--yes"),
  },
];

if (!values["skip-checks"]) {
  console.log("== checks");
  const code = await run(node, [...nodeFlags, join(root, "scripts", "test.ts"), "types", "lint", "unit"]);
  if (code !== 0) stop("A check failed: nothing was deployed.");
}
const { stdout: changes } = await capture("git", ["status", "--porcelain", "supabase"]);
if (changes) console.log(`Uncommitted changes in supabase/ go along:\n${changes}`);

for (const step of steps) {
  console.log(`\n== ${step.name}`);
  const due = await step.preview();
  if (!due || dry) continue;
  if (!(await agreed(step.name))) stop(`Stopped before ${step.name}. What was done before it stays.`);
  const code = await step.apply();
  if (code !== 0) {
    stop(
      `${step.name} failed (exit code ${code}): see above. What was done before stays; mend it and run again.`,
    );
  }
}
console.log(
  dry
    ? "\nNothing was changed."
    : `\nDeployed to ${ref}. Smoke test: https://${ref}.supabase.co/auth/v1/health`,
);

async function agreed(name: string): Promise<boolean> {
  if (values.yes) return true;
  if (!process.stdin.isTTY) stop("There is no terminal to ask on: add --yes, or --dry-run to look only.");
  const line = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await line.question(`Go on with ${name}? [y/N] `);
  line.close();
  return /^y(es)?$/i.test(answer.trim());
}

function supabase(...args: string[]): Promise<number> {
  const profile = values.profile ? ["--profile", values.profile] : [];
  return runSupabase([...args, "--workdir", root, ...profile]);
}

async function must(...args: string[]): Promise<void> {
  const code = await supabase(...args);
  if (code !== 0)
    stop(
      `supabase ${args.join(" ")} failed (exit code ${code}): see above. Nothing of this step was changed.`,
    );
}

function stop(message: string, code = 1): never {
  console.error(message);
  process.exit(code);
}
