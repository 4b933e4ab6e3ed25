/**
 * Owns the smoke test of a deployed project: over supabase-js, as a client, with a temporary account that is
 * always removed.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { SupabaseClient } from "@supabase/supabase-js";
import { answerText } from "../../../src/http/bounded-answer.ts";
import { strictFetch } from "../target/strict-fetch.ts";
import { DeployRefused, type StepContext } from "./step.ts";

/** The arguments of a project's own check. */
export interface SmokeInput {
  /** Signed in as the temporary account. */
  user: SupabaseClient;
  userId: string;
  /** Not signed in. */
  anonymous: SupabaseClient;
}

/** A project's own check; it throws when something is wrong. */
export type SmokeCheck = (input: SmokeInput) => Promise<void>;

const LARGEST_ANSWER = 1024 ** 2;

/** Runs all checks in order. `passed` is called with each name. @throws Error that names the failed check */
export async function smokeTest(
  context: StepContext,
  functions: readonly string[],
  own: SmokeCheck | undefined,
  passed: (check: string) => void,
): Promise<void> {
  const { projectUrl, publishableKey, secretKey, config } = context;
  const createClient = loadSupabaseJs(config.projectFolder);
  const options = {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: strictFetch },
  };
  const admin = createClient(projectUrl, secretKey, options);
  const user = createClient(projectUrl, publishableKey, options);
  const email = `deploy-check-${randomBytes(8).toString("hex")}@example.com`;
  const password = `${randomBytes(18).toString("base64url")}aA1!`;
  let userId = undefined as string | undefined;
  const check = async (name: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      throw new Error(
        `The smoke test "${name}" failed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    passed(name);
  };
  const runChecks = async () => {
    await check("an account can be made", async () => {
      const { data, error } = await admin.auth.admin.createUser({ email, password, email_confirm: true });
      if (error) throw error;
      userId = data.user.id;
    });
    await check("it can sign in, and its token is taken", async () => {
      const { error } = await user.auth.signInWithPassword({ email, password });
      if (error) throw error;
      const { data, error: refused } = await user.auth.getUser();
      if (refused) throw refused;
      if (data.user.id !== userId) throw new Error("The token belongs to another account.");
    });
    await check("REST answers", async () => {
      const { error, status } = await user.from("deploy_check_no_such_table").select("*");
      // "No such table" is the response of a REST service that has read the schema.
      if (error?.code !== "PGRST205")
        throw new Error(`It answered ${status} ${error?.code ?? ""} ${error?.message ?? ""}`);
    });
    await check("storage has the project's buckets", async () => {
      const { data, error } = await admin.storage.listBuckets();
      if (error) throw error;
      const there = new Set(data.map(({ name }) => name));
      const missing = Object.keys(config.storage.buckets).filter((name) => !there.has(name));
      if (missing.length > 0) throw new Error(`These are missing: ${missing.join(", ")}.`);
    });
    for (const name of functions) {
      await check(`the function ${name} starts`, async () => {
        // A preflight reaches the function itself, and changes nothing.
        const answer = await strictFetch(`${projectUrl}/functions/v1/${name}`, {
          method: "OPTIONS",
          redirect: "manual",
          headers: { origin: config.auth.site_url, "access-control-request-method": "POST" },
        });
        const text = await answerText(answer, LARGEST_ANSWER);
        // A handler that takes no preflight has thrown, so it runs.
        if (answer.headers.get("sb-error-code") === "EDGE_FUNCTION_ERROR") return;
        if (answer.status === 404 || answer.status >= 500) {
          throw new Error(`It answered ${answer.status} ${text.slice(0, 300)}`);
        }
      });
    }
    if (own) {
      await check("the project's own check", () =>
        own({ user, userId: userId ?? "", anonymous: createClient(projectUrl, publishableKey, options) }),
      );
    }
  };
  const failure = await runChecks().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  // The account must go whatever failed before; if it stays, both failures are named.
  const staying = userId === undefined ? null : (await admin.auth.admin.deleteUser(userId)).error;
  if (staying) {
    const before = failure ? `${failure.message} Then the` : "The";
    throw new Error(
      `${before} account ${email} of the smoke test could not be removed: ${staying.message}. Remove it in the dashboard.`,
      { cause: failure },
    );
  }
  if (failure) throw failure;
  passed("the account is removed");
}

type CreateClient = typeof import("@supabase/supabase-js").createClient;

/** The same client library as the project's. @throws DeployRefused when it has none. */
export function loadSupabaseJs(projectFolder: string): CreateClient {
  try {
    const require = createRequire(join(projectFolder, "package.json"));
    return (require("@supabase/supabase-js") as { createClient: CreateClient }).createClient;
  } catch (error) {
    throw new DeployRefused([
      `The smoke test needs @supabase/supabase-js, which this project does not have: npm install @supabase/supabase-js, or leave the test out with --skip-smoke. (${error instanceof Error ? error.message.split("\n")[0] : error})`,
    ]);
  }
}

/** What the smoke test lacks, with the line that installs it; undefined if the project has the client library. */
export function missingSupabaseJs(projectFolder: string): string | undefined {
  try {
    createRequire(join(projectFolder, "package.json")).resolve("@supabase/supabase-js");
    return undefined;
  } catch {
    return "A deploy runs it with your project's client library: npm install @supabase/supabase-js";
  }
}
