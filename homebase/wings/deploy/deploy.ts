/**
 * Owns a deploy to a hosted project: refusals, drift, the plan, the steps in order, the smoke test, the
 * record on the target. Every step compares first, so an interrupted deploy can simply be run again.
 */

import type pg from "pg";
import { loadRemoteConfig, type RemoteConfig } from "../../src/config/config.ts";
import { AUTH_SETTINGS, readPath } from "../../src/config/hosted/management-settings.ts";
import type { ClusterClient } from "../../src/postgres/cluster/cluster-client.ts";
import { ProjectFileError } from "../../src/postgres/files/errors.ts";
import { becomePostgres } from "../../src/postgres/files/migration-history.ts";
import { refusals, warnings } from "./settings/refusals.ts";
import { bucketStep } from "./steps/buckets.ts";
import { configurationStep } from "./steps/configuration.ts";
import { functionStep, functionUploads } from "./steps/functions.ts";
import { migrationStep, planMigrations } from "./steps/migrations.ts";
import { secretStep } from "./steps/secrets.ts";
import { loadSupabaseJs, type SmokeCheck, smokeTest } from "./steps/smoke.ts";
import { DeployRefused, type Step, type StepContext } from "./steps/step.ts";
import { vaultStep } from "./steps/vault.ts";
import { connect, findDatabase } from "./target/database.ts";
import { findDrift } from "./target/drift.ts";
import { Management } from "./target/management.ts";
import {
  beginRecord,
  isStoredDigests,
  type LastDeploy,
  lastDeploy,
  lockTarget,
  noDigests,
  noteRecord,
  type StepRecord,
} from "./target/record.ts";

export interface DeployOptions {
  /** The folder with `supabase/`. */
  projectFolder: string;
  ref: string;
  /** Access token of an account that may change the project. */
  accessToken: string;
  /** `[remotes.<label>]`; default `production`. */
  label?: string;
  /** Whether the section may be missing, as in a rehearsal: example values stand for it. */
  assumed?: boolean;
  /** URLs, if the target is not on supabase.com. */
  apiUrl?: string;
  projectUrl?: string;
  databaseUrl?: string;
  databasePassword?: string;
  /** Secrets for functions. */
  secrets?: Readonly<Record<string, string>>;
  prune?: boolean;
  includeAll?: boolean;
  /** Continues although the target differs from its migrations. */
  allowDrift?: boolean;
  skipSmoke?: boolean;
  /** A project's own part of the smoke test. */
  smoke?: SmokeCheck;
  /** The deployed commit, for the record. */
  commit?: string;
  environment?: Record<string, string | undefined>;
  /** A Postgres for the comparison's database. */
  cluster(): Promise<ClusterClient>;
  /** Called for confirmation before anything is changed; without it nothing is. */
  agree?(plan: Plan): Promise<boolean>;
  /** Called with progress messages. */
  onProgress?(text: string): void;
}

/** The planned changes, in words. */
export interface Plan {
  ref: string;
  url: string;
  steps: { name: string; changes: string[]; warnings: string[]; undo: string }[];
  warnings: string[];
  /** Whether an earlier deploy was interrupted. */
  resumes: boolean;
}

export interface DeployResult {
  outcome: "nothing to do" | "planned" | "declined" | "deployed" | "failed";
  plan: Plan;
  steps: StepRecord[];
  /** Why it failed, and in which step. */
  failure?: { step: string; message: string };
  checks: string[];
}

const SUPABASE_API = "https://api.supabase.com";
const SUPABASE_HOST = "supabase.co";
const REF = /^[a-z]{20}$/;
const TOKEN = /^sbp_(oauth_|v0_)?[a-f0-9]{40}$/;
const SMOKE = "smoke test";

/**
 * Deploys, or only plans without `agree`. @throws DeployRefused, ConfigError, ManagementError,
 * DatabaseUnreachable, ProjectFileError: nothing was changed. A failure after the first change is in the
 * result.
 */
export async function deploy(options: DeployOptions): Promise<DeployResult> {
  const { onProgress = () => {} } = options;
  const label = options.label ?? "production";
  const remote = readRemote(options, label);
  // Before the first change: the test of what was deployed comes last.
  if (!options.skipSmoke) loadSupabaseJs(remote.config.projectFolder);
  const management = new Management({
    url: options.apiUrl ?? SUPABASE_API,
    token: options.accessToken,
    ref: options.ref,
  });
  onProgress("Looking at the project");
  const target = await lookAt(management, options);
  const connection = await findDatabase(management, {
    url: options.databaseUrl,
    password: options.databasePassword,
    projectHost: SUPABASE_HOST,
  });
  const client = await connect(connection);
  try {
    if (!(await lockTarget(client))) {
      throw new DeployRefused(["Another deploy to this project is running. Wait until it ends."]);
    }
    const last = await lastDeploy(client);
    const context: StepContext = {
      config: remote.config,
      remote,
      management,
      client,
      known: isStoredDigests(last?.known) ? last.known : noDigests(),
      ...target,
      secrets: options.secrets ?? {},
      prune: options.prune ?? false,
      includeAll: options.includeAll ?? false,
    };
    const migrations = await planMigrations(context);
    onProgress("Comparing the database with its migrations");
    const drift = await findDrift(await options.cluster(), remote.config, migrations.applied, connection);
    if (drift.length > 0 && !options.allowDrift) throw new DeployRefused(driftReasons(drift));
    onProgress("Planning");
    const steps = [
      await vaultStep(context),
      migrationStep(context, migrations),
      await configurationStep(context),
      await bucketStep(context),
      await secretStep(context),
      await functionStep(context),
    ];
    const plan = planOf(options, target.projectUrl, steps, last, warnings(remote));
    return await carryOut({ options, context, client, steps, plan });
  } finally {
    await client.end();
  }
}

function readRemote(options: DeployOptions, label: string): RemoteConfig {
  const problems: string[] = [];
  if (!REF.test(options.ref)) problems.push("A project's reference is twenty small letters.");
  if (!TOKEN.test(options.accessToken)) problems.push("The access token is not one: it begins with sbp_.");
  if (problems.length > 0) throw new DeployRefused(problems);
  const remote = loadRemoteConfig({
    from: options.projectFolder,
    // Development's dotenv files must not affect a hosted project.
    environment: { SUPABASE_ENV: label, ...(options.environment ?? process.env) },
    remote: label,
    ref: options.ref,
    assumed: options.assumed,
  });
  const refused = refusals(remote, label);
  const own = remote.overlay.project_id;
  if (own !== undefined && own !== options.ref) {
    refused.push(
      `[remotes.${label}] names the project ${String(own)}, but the deploy is to ${options.ref}. A rehearsal is to a stand-in with that reference: homebase hosted --ref ${String(own)}`,
    );
  }
  if (refused.length > 0) throw new DeployRefused(refused);
  return remote;
}

async function lookAt(
  management: Management,
  options: DeployOptions,
): Promise<Pick<StepContext, "projectUrl" | "publishableKey" | "secretKey">> {
  const project = await management.object("GET", "");
  if (project.status !== "ACTIVE_HEALTHY") {
    throw new DeployRefused([`The project is not active: ${JSON.stringify(project.status)}.`]);
  }
  const keys = await management.list("/api-keys?reveal=true");
  const keyOf = (type: string, legacy: string) =>
    keys.find((key) => key.type === type)?.api_key ?? keys.find((key) => key.name === legacy)?.api_key;
  const publishableKey = keyOf("publishable", "anon");
  const secretKey = keyOf("secret", "service_role");
  if (!isKey(publishableKey) || !isKey(secretKey)) {
    throw new DeployRefused(["The access token may not read the project's keys, or the project has none."]);
  }
  const projectUrl = (options.projectUrl ?? `https://${options.ref}.${SUPABASE_HOST}`).replace(/\/+$/, "");
  return { projectUrl, publishableKey, secretKey };
}

/** Keys are sent in headers, whose errors repeat a value with line breaks. */
function isKey(value: unknown): value is string {
  return typeof value === "string" && /^[\w.-]+$/.test(value);
}

function driftReasons(drift: readonly string[]): string[] {
  return [
    "The target's database differs from its migrations. Add the difference as a migration (homebase db diff), revert it there, or deploy anyway: --allow-drift. The differing statements:",
    ...drift.map((text) => `  ${text.replaceAll(/\s+/g, " ").slice(0, 300)}`),
  ];
}

function planOf(
  { ref }: DeployOptions,
  url: string,
  steps: readonly Step[],
  last: LastDeploy | undefined,
  found: string[],
): Plan {
  return {
    ref,
    url,
    steps: steps.map(({ name, changes, warnings: own, undo }) => ({ name, changes, warnings: own, undo })),
    warnings: found,
    resumes: last !== undefined && last.outcome !== "deployed",
  };
}

async function carryOut({
  options,
  context,
  client,
  steps,
  plan,
}: {
  options: DeployOptions;
  context: StepContext;
  client: pg.Client;
  steps: readonly Step[];
  plan: Plan;
}): Promise<DeployResult> {
  const records: StepRecord[] = steps.map(({ name, changes }) => ({
    name,
    outcome: changes.length === 0 ? "unchanged" : "not reached",
    changes: [],
  }));
  const result = (outcome: DeployResult["outcome"]): DeployResult => ({
    outcome,
    plan,
    steps: records,
    checks: [],
  });
  if (steps.every(({ changes }) => changes.length === 0) && !plan.resumes) return result("nothing to do");
  if (!options.agree) return result("planned");
  if (!(await options.agree(plan))) return result("declined");

  const checks: string[] = [];
  const id = await beginRecord(client, options.commit, context.known);
  const note = (outcome: string) => noteRecord(client, id, { outcome, steps: records, known: context.known });
  let at = "";
  try {
    for (const [index, step] of steps.entries()) {
      if (step.changes.length === 0) continue;
      const record = records[index];
      if (!record) continue;
      at = step.name;
      options.onProgress?.(`Step ${step.name}`);
      record.outcome = "failed";
      await step.apply((change) => record.changes.push(change));
      record.outcome = "done";
      await note("running");
    }
    if (!options.skipSmoke) {
      at = SMOKE;
      options.onProgress?.("Smoke test");
      const functions = functionUploads(context.config).map(({ name }) => name);
      await smokeTest(context, functions, options.smoke, (check) => checks.push(check));
    }
    await note("deployed");
    return { ...result("deployed"), checks };
  } catch (error) {
    // The failed step may have left a transaction open or another role set.
    await client.query("rollback").catch(() => undefined);
    await becomePostgres(client).catch(() => undefined);
    await note(`failed: ${at}`).catch(() => undefined);
    return { ...result("failed"), checks, failure: { step: at, message: hide(context, wordsOf(error)) } };
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof ProjectFileError) return error.describe();
  return error instanceof Error ? error.message : String(error);
}

/** A response may repeat the secrets in its request. */
function hide({ config, secrets, secretKey }: StepContext, text: string): string {
  const settings = AUTH_SETTINGS.filter(({ secret }) => secret).map(({ path }) => readPath(config, path));
  return [...Object.values(secrets), ...Object.values(config.db.vault), ...settings, secretKey]
    .filter((value): value is string => typeof value === "string" && value.length >= 4)
    .reduce((hidden, value) => hidden.replaceAll(value, "(not shown)"), text);
}
