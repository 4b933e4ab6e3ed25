/** Owns `homebase deploy`: arguments, the confirmation before a change, and the output. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, parseOptions } from "../../src/cli/kit/options.ts";
import { asking, CommandError, endProgress, progress } from "../../src/cli/kit/terminal.ts";
import { loadConfig, loadRemoteConfig, openTables } from "../../src/config/config.ts";
import { parseDotenv } from "../../src/config/dotenv.ts";
import { safeGit } from "../../src/core/safe-git.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { type DeployOptions, type DeployResult, deploy, type Plan } from "./deploy.ts";
import { laterRequests } from "./later-requests.ts";
import { withStandIn } from "./stand-in.ts";
import { missingSupabaseJs } from "./steps/smoke.ts";
import { DeployRefused } from "./steps/step.ts";
import { planText, resultText } from "./words.ts";

export const deployCommand: Command = {
  help: `Usage: homebase deploy --project-ref REF [options]
       homebase deploy --rehearse [options]

Deploys supabase/ to a hosted project: Vault entries, migrations, settings, buckets, secrets, functions, in this
order. Compares first, shows every change, and asks for confirmation. If the target's database differs from its
migrations, the differences are shown and nothing is deployed. A smoke test at the end creates, uses and deletes
an account. A deploy that fails lists the completed steps; run it again to continue.

Settings are those of supabase/config.toml overridden by [remotes.production]. Values of a development machine
are rejected. Seeds and the files of buckets are never deployed.

Needs SUPABASE_ACCESS_TOKEN (supabase.com, account, access tokens). SUPABASE_DB_PASSWORD is used if it is set;
otherwise a temporary login role.

--rehearse deploys to a stand-in for a new hosted project on this machine, twice, and removes it: the second deploy must
find nothing to do. It needs no account and no token, and asks nothing. Without [remotes.production] it takes example
values, and without @supabase/supabase-js it leaves the smoke test out; both are said, with what a deploy needs. At the
end it names the requests of the running stack, if there is one, that hosted's PostgREST or Auth does not know.

Options:
  --rehearse           deploy to a stand-in instead
  --project-ref REF    the project: the first part of its address
  --remote LABEL       the section [remotes.LABEL] (default: production)
  --dry-run            show what would change, and change nothing
  -y, --yes            do not ask
  --secrets-file FILE  secrets of functions (default: supabase/functions/.env.LABEL, if there is one)
  --prune              remove functions that only the target has
  --include-all        apply migrations that are older than the target's newest one
  --allow-drift        deploy although the target's database differs from its migrations
  --allow-dirty        deploy files of supabase/ that are not committed
  --skip-smoke         leave out the smoke test
  --api-url URL        the Management API, where it is not supabase.com's
  --project-url URL    the project's API, where it is not https://REF.supabase.co
  --db-url URL         the database, where it is elsewhere; without a user in it a login role is used
  --port-offset N      add N to the ports of a rehearsal's stand-in
  --workdir FOLDER     the folder with supabase/ (default: this one or the nearest one above)
  --json               machine-readable output
  -h, --help           this text

Examples:
  homebase deploy --rehearse
  homebase deploy --project-ref abcdefghijklmnopqrst --dry-run`,
  run: async (args) => {
    const { values } = parseOptions(args, OPTIONS);
    if (values.rehearse) return rehearse(values);
    const ref = values["project-ref"];
    if (ref === undefined) {
      throw new CommandError(
        "--project-ref is missing. Without a hosted project: homebase deploy --rehearse. See homebase deploy --help.",
        2,
      );
    }
    const accessToken = process.env.SUPABASE_ACCESS_TOKEN;
    if (!accessToken) {
      throw new CommandError(
        "SUPABASE_ACCESS_TOKEN is not set. Make a token in your account's settings on supabase.com and export it.",
      );
    }
    conclude(
      await deployTo(values, {
        ref,
        accessToken,
        apiUrl: values["api-url"] || undefined,
        projectUrl: values["project-url"] || undefined,
        databaseUrl: values["db-url"] || undefined,
        databasePassword: process.env.SUPABASE_DB_PASSWORD || undefined,
      }),
      values,
    );
  },
};

const OPTIONS = {
  rehearse: { type: "boolean" },
  "project-ref": { type: "string" },
  remote: { type: "string", default: "production" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean", short: "y" },
  "secrets-file": { type: "string" },
  prune: { type: "boolean" },
  "include-all": { type: "boolean" },
  "allow-drift": { type: "boolean" },
  "allow-dirty": { type: "boolean" },
  "skip-smoke": { type: "boolean" },
  "api-url": { type: "string" },
  "project-url": { type: "string" },
  "db-url": { type: "string" },
} as const;
type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];
type Target = Pick<
  DeployOptions,
  "ref" | "accessToken" | "apiUrl" | "projectUrl" | "databaseUrl" | "databasePassword"
>;

/** Options that name a target, or that a rehearsal decides. */
const NOT_IN_A_REHEARSAL = ["project-ref", "api-url", "project-url", "db-url", "dry-run"] as const;

async function rehearse(values: Values): Promise<void> {
  const other = NOT_IN_A_REHEARSAL.find((name) => values[name] !== undefined);
  if (other !== undefined) throw new CommandError(`--rehearse takes no --${other}.`, 2);
  const { workdir, json } = values;
  const config = loadConfig({ named: workdir });
  const { projectFolder } = config;
  const open = openTables(config);
  if (open !== undefined) process.stderr.write(`${open}\n`);
  const overlay = overlayOr(values);
  const client = values["skip-smoke"] ? undefined : missingSupabaseJs(projectFolder);
  if (client !== undefined) process.stderr.write(`The smoke test is left out. ${client}\n`);
  const options = [
    ...(typeof overlay?.project_id === "string" ? ["--ref", overlay.project_id] : []),
    ...(workdir === undefined ? [] : ["--workdir", workdir]),
    ...(values["port-offset"] === undefined ? [] : ["--port-offset", values["port-offset"]]),
  ];
  if (!json) progress("Starting the stand-in");
  await withStandIn(options, async ({ ref, accessToken, managementUrl, url, databaseUrl }) => {
    const target = { ref, accessToken, apiUrl: managementUrl, projectUrl: url, databaseUrl };
    const skip = values["skip-smoke"] || client !== undefined;
    const chosen = { ...values, yes: true, "allow-dirty": true, "skip-smoke": skip };
    conclude(await deployTo(chosen, target, true), chosen);
    const again = await deployTo(chosen, target, true);
    conclude(again, chosen);
    if (again.outcome !== "nothing to do") throw new CommandError("The second deploy was to change nothing.");
  });
  const later = `${await laterRequests(config)}\n`;
  if (json) process.stderr.write(later);
  else process.stdout.write(later);
}

/** The section of the target, if there is one; otherwise what a deploy needs is said. */
function overlayOr({ remote, workdir }: Values): Readonly<Record<string, unknown>> | undefined {
  try {
    return loadRemoteConfig({ named: workdir, remote }).overlay;
  } catch (error) {
    loadRemoteConfig({ named: workdir, remote, assumed: true });
    process.stderr.write(
      `Rehearsing with example values, which a deploy does not take. ${error instanceof Error ? error.message : error}\n\n`,
    );
    return undefined;
  }
}

async function deployTo(values: Values, target: Target, assumed = false): Promise<DeployResult> {
  const label = values.remote;
  const { projectFolder, supabaseFolder } = loadConfig({ named: values.workdir });
  const commit = commitOf(projectFolder, values["allow-dirty"] ?? false);
  const file = values["secrets-file"] ?? join(supabaseFolder, "functions", `.env.${label}`);
  if (values["secrets-file"] && !existsSync(file)) throw new CommandError(`There is no file ${file}.`);
  const own: { cluster?: Cluster } = {};
  try {
    return await deploy({
      ...target,
      projectFolder,
      label,
      assumed,
      secrets: existsSync(file) ? parseDotenv(readFileSync(file, "utf8"), process.env) : {},
      prune: values.prune ?? false,
      includeAll: values["include-all"] ?? false,
      allowDrift: values["allow-drift"] ?? false,
      skipSmoke: values["skip-smoke"] ?? false,
      commit,
      cluster: async () => {
        own.cluster = await Cluster.start({ projectFolder, port: undefined, durable: false });
        return own.cluster;
      },
      agree: values["dry-run"] ? undefined : (plan) => agree(plan, values),
      onProgress: (text) => {
        if (!values.json) progress(text);
      },
    });
  } catch (error) {
    throw error instanceof DeployRefused ? new CommandError(`Not deployed.\n${error.message}`) : error;
  } finally {
    endProgress();
    await own.cluster?.stop();
  }
}

/** Prints the result. @throws CommandError when it is not a deploy */
function conclude(result: DeployResult, { json }: Values): void {
  if (json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    // A user who was asked, or passed --yes, has seen the plan.
    if (result.outcome === "planned") process.stdout.write(`${planText(result.plan)}\n\n`);
    process.stdout.write(`${resultText(result)}\n`);
  }
  if (result.outcome === "failed" || result.outcome === "declined")
    throw new CommandError("Not deployed.", 1);
}

async function agree(
  plan: Plan,
  { yes, json }: { yes?: boolean | undefined; json?: boolean | undefined },
): Promise<boolean> {
  endProgress();
  if (!json) process.stdout.write(`${planText(plan)}\n\n`);
  if (yes) return true;
  if (!process.stdin.isTTY || json) {
    throw new CommandError(
      "There is no terminal to ask for confirmation: add --yes, or --dry-run to show the changes only. Nothing was changed.",
    );
  }
  return asking((ask) => ask(`Change ${plan.ref} like this?`));
}

/** The commit that is deployed; undefined outside of a repository. @throws CommandError for files that are not committed */
function commitOf(projectFolder: string, dirtyAllowed: boolean): string | undefined {
  let commit: string;
  try {
    commit = safeGit(projectFolder, "rev-parse", "HEAD").trim();
  } catch {
    return undefined;
  }
  const changed = safeGit(projectFolder, "status", "--porcelain", "--", "supabase").trim();
  if (changed === "") return commit;
  if (dirtyAllowed) return `${commit}, with changes`;
  throw new CommandError(
    `These files of supabase/ are not committed, so there would be no record of what was deployed:\n${changed}\nCommit them, or deploy anyway: --allow-dirty`,
  );
}
