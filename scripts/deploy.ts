/**
 * `npm run deploy`: deploys Nosh's backend to a hosted project, after Nosh's own checks; with --rehearse to a
 * stand-in for one, as the test of a release. Thin: `homebase deploy` does the deploy itself.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadRemoteConfig } from "homebase-stack/deploy";
import { type Hosted, startHosted } from "homebase-stack/hosted";
import { capture, endWithParent, exitWithHelp, node, nodeFlags, root, run } from "./process.ts";

const HELP = `Usage: npm run deploy -- --project-ref REF [options]
       npm run deploy -- --rehearse

Deploys supabase/ to the hosted project REF: shows every change, asks, deploys, and proves that it works.
npm test must have passed for this commit. docs/deploy.md leads through a first deploy.

Needs SUPABASE_ACCESS_TOKEN, NOSH_SITE_URL (where the app is served, https://...), and REF as the project_id of
[remotes.production] in supabase/config.toml.

Options:
  --project-ref REF   the project: the first part of its address
  --rehearse          deploy to a stand-in for a hosted project instead, twice; the second time changes nothing
  --run COMMAND       after a rehearsal: run a command against the deployed copy, with NOSH_TARGET_URL and the other
                      variables of docs/deploy.md; every account there is removed, and the seed put in, as tests need
  --skip-checks       do not ask for a passed npm test
  --help              this text

All other options are those of homebase deploy: --dry-run, --yes, --secrets-file, --prune, --allow-drift, --json, ...`;

/** Limits for test projects: many accounts from one address, at once and without a mail. */
const FOR_TESTS = {
  mailer_autoconfirm: true,
  smtp_max_frequency: 0,
  rate_limit_anonymous_users: 10_000,
  rate_limit_email_sent: 10_000,
  rate_limit_otp: 10_000,
  rate_limit_token_refresh: 10_000,
  rate_limit_verify: 10_000,
};

/** No mail server listens there: mails of the functions stay pending, as in tests on Homebase. */
const SECRETS_FOR_TESTS = [{ name: "MAIL_URL", value: "http://127.0.0.1:9" }];

const homebase = join(root, "homebase", "bin", "homebase.mjs");
const passed = join(root, "test-results", "passed.json");

const { values } = parseArgs({
  strict: false,
  options: {
    "project-ref": { type: "string" },
    rehearse: { type: "boolean" },
    run: { type: "string" },
    "skip-checks": { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) exitWithHelp(HELP);
endWithParent();
if (values.rehearse) process.exit(await rehearse());
if (!values["project-ref"]) {
  console.error(`--project-ref is missing.\n\n${HELP}`);
  process.exit(2);
}
if (!values["skip-checks"]) await requirePassedTests();
const rest = process.argv.slice(2).filter((argument) => argument !== "--skip-checks");
process.exit(await run(node, [...nodeFlags, homebase, "deploy", ...rest, "--workdir", root]));

/** Exits unless every check has passed for exactly the commit to deploy. */
async function requirePassedTests(): Promise<void> {
  const { stdout: head } = await capture("git", ["rev-parse", "HEAD"]);
  const known: unknown = existsSync(passed) ? JSON.parse(readFileSync(passed, "utf8")) : undefined;
  const commit = typeof known === "object" && known !== null && "commit" in known ? known.commit : undefined;
  if (commit === head.trim()) return;
  console.error(
    "npm test has not passed for this commit. Run it with everything committed, or leave it out: --skip-checks",
  );
  process.exit(1);
}

/** Deploys to a stand-in twice. Resolves to the exit code. */
async function rehearse(): Promise<number> {
  process.env.NOSH_SITE_URL ??= "https://nosh.example";
  const { overlay } = loadRemoteConfig({ from: root, remote: "production" });
  const hosted = await startHosted({ projectFolder: root, ref: String(overlay.project_id) });
  const target = [
    ...["deploy", "--project-ref", hosted.project.ref, "--api-url", hosted.management.url],
    ...["--project-url", hosted.project.url, "--db-url", hosted.databaseUrl],
    ...["--yes", "--allow-dirty", "--workdir", root],
  ];
  const env = { ...process.env, SUPABASE_ACCESS_TOKEN: hosted.management.accessToken };
  try {
    console.log("== A new project");
    const first = await run(node, [...nodeFlags, homebase, ...target], { env });
    if (first !== 0) return first;
    console.log("\n== The same again");
    const again = await capture(node, [...nodeFlags, homebase, ...target], { env });
    console.log(again.stdout.trim());
    console.log("\n== The calls of the Management API");
    const calls = new Map<string, number>();
    for (const { call, status } of hosted.management.received) {
      calls.set(`${status} ${call}`, (calls.get(`${status} ${call}`) ?? 0) + 1);
    }
    for (const [call, count] of calls) console.log(`  ${call}${count > 1 ? ` (${count} times)` : ""}`);
    if (again.code !== 0 || !again.stdout.includes("nothing to do")) {
      console.error(`The second deploy was to change nothing.\n${again.stderr}`);
      return 1;
    }
    if (typeof values.run !== "string") return 0;
    const code = await runAgainst(hosted, values.run);
    const later = hosted.laterRequests();
    if (later.length > 0)
      console.log(`\n== Requests that hosted answers in another way\n${later.join("\n")}`);
    return code;
  } finally {
    await hosted.close();
  }
}

/** Runs a command against the deployed copy. Resolves to its exit code. */
async function runAgainst(hosted: Hosted, command: string): Promise<number> {
  console.log(`\n== ${command}`);
  for (const [method, path, body] of [
    ["PATCH", "config/auth", FOR_TESTS],
    ["POST", "secrets", SECRETS_FOR_TESTS],
  ] as const) {
    const answer = await fetch(`${hosted.management.url}/v1/projects/${hosted.project.ref}/${path}`, {
      method,
      headers: { authorization: `Bearer ${hosted.management.accessToken}` },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`The settings for tests were refused: ${await answer.text()}`);
  }
  const { host, port, name } = hosted.project.databaseAddress;
  return run("/bin/sh", ["-c", command], {
    env: {
      ...process.env,
      NOSH_TARGET_URL: hosted.project.url,
      NOSH_TARGET_PUBLISHABLE_KEY: hosted.project.keys.publishableKey,
      NOSH_TARGET_SECRET_KEY: hosted.project.keys.secretKey,
      NOSH_TARGET_DB_URL: `postgresql://postgres:postgres@${host}:${port}/${name}`,
      NOSH_TARGET_RESET: "yes",
    },
  });
}
