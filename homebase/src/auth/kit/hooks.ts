/**
 * Owns calls to a project's hooks: Postgres functions in the current transaction, and HTTP endpoints signed
 * by Standard Webhooks (docs/compat/auth.md 5, "Hooks"; https://www.standardwebhooks.com).
 */
import { createHmac, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { parseJson } from "../../core/json.ts";
import { recordOf } from "../../core/record.ts";
import { AnswerTooLarge, answerText } from "../../http/bounded-answer.ts";
import { quoteName } from "../../postgres/quoting.ts";
import type { Call, Transaction } from "./as-auth-admin.ts";
import type { Auth } from "./auth.ts";
import { AuthError, badRequest, DatabaseFailure, unexpected, unprocessable } from "./errors.ts";

export type HookName =
  | "before_user_created"
  | "custom_access_token"
  | "password_verification_attempt"
  | "mfa_verification_attempt"
  | "send_sms"
  | "send_email";

type Answer = Record<string, unknown>;

const FUNCTIONS = "pg-functions://";
const TOTAL_MS = 5_000;
const TRIES = 3;
const PAUSE_MS = 2_000;
const BODY_LIMIT = 200 * 1024;
const STATEMENT_TIMEOUT_MS = 2_000;
const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "[::1]", "host.docker.internal"]);

export function hookEnabled(auth: Auth, name: HookName): boolean {
  return auth.config.hook[name]?.enabled === true;
}

/**
 * Calls a hook; undefined when it is disabled in the configuration.
 * @throws AuthError with the hook's own status and message, or 500 when it cannot be run.
 */
export async function runHook(call: Call, name: HookName, event: Answer): Promise<Answer | undefined> {
  const hook = call.auth.config.hook[name];
  if (!hook?.enabled) return undefined;
  // Report a failure of an earlier statement as itself; the hook is not called.
  await call.flush();
  return answerOf(call, name, hook, event).catch((error: unknown) => {
    if (error instanceof AuthError) error.ofHook = true;
    throw error;
  });
}

async function answerOf(
  call: Call,
  name: HookName,
  hook: { uri: string; secrets: string },
  event: Answer,
): Promise<Answer> {
  const metadata = {
    uuid: randomUUID(),
    time: new Date(call.auth.context.clock.now()).toISOString(),
    name: name.replaceAll("_", "-"),
    ip_address: call.request.ip,
  };
  const payload = { metadata, ...event };
  const answer = hook.uri.startsWith(FUNCTIONS)
    ? await callFunction(call, hook.uri, payload)
    : await callEndpoint(call.auth, hook.uri, hook.secrets, payload);
  const error = answer.error as { http_code?: number; message?: string } | undefined;
  if (error?.message) {
    const { http_code: given = 0 } = error;
    // A number that is not an HTTP status is ignored.
    const status = Number.isInteger(given) && given >= 200 && given <= 599 ? given : 500;
    throw new AuthError(status, status === 500 ? "unexpected_failure" : "unknown", error.message);
  }
  return answer;
}

/** The Postgres function of a hook as SQL names it; undefined where its address names none. */
export function hookFunction(uri: string): string | undefined {
  if (!uri.startsWith(FUNCTIONS)) return undefined;
  const [, schema, name] = new URL(uri.replace("pg-functions:", "http:")).pathname.split("/");
  return schema && name ? quoteName({ schema, name }) : undefined;
}

async function callFunction(transaction: Transaction, uri: string, payload: Answer): Promise<Answer> {
  const name = hookFunction(uri);
  if (name === undefined) throw unexpected(`Error running hook URI: ${uri}`);
  transaction.enqueue(`set local statement_timeout = ${STATEMENT_TIMEOUT_MS}`);
  const row = await transaction
    .one<{ answer: unknown }>(`select ${name}($1::jsonb) as answer`, [JSON.stringify(payload)])
    .catch((error: unknown) => {
      throw new DatabaseFailure(`Error running hook URI: ${uri}`, error);
    });
  transaction.enqueue("set local statement_timeout = default");
  return recordOf(row?.answer);
}

async function callEndpoint(auth: Auth, uri: string, secrets: string, payload: Answer): Promise<Answer> {
  const url = new URL(uri);
  if (url.protocol !== "https:" && !LOCAL_HOSTS.has(url.hostname)) {
    throw unexpected(`Error running hook URI: ${uri}: plain http is for this machine only`);
  }
  const body = JSON.stringify(payload);
  const id = randomUUID();
  const timestamp = String(Math.floor(auth.context.clock.now() / 1_000));
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures(secrets, `${id}.${timestamp}.${body}`),
  };
  const signal = AbortSignal.timeout(TOTAL_MS);
  for (let attempt = 1; ; attempt++) {
    const broken = (error: unknown) => {
      if (error instanceof AuthError) throw error;
      if (!signal.aborted) throw unexpected(`Error running hook URI: ${uri}: ${String(error)}`);
      throw unprocessable(
        "hook_timeout",
        `Failed to reach hook within maximum time of ${TOTAL_MS / 1_000}.000000 seconds`,
      );
    };
    const response = await fetch(url, { method: "POST", headers, body, signal }).catch(broken);
    if (response.ok) return readAnswer(response).catch(broken);
    await response.body?.cancel();
    const retry = (response.status === 429 || response.status === 503) && response.headers.has("retry-after");
    if (!retry) throw unexpected(`Unexpected status code returned from hook: ${response.status}`);
    if (attempt === TRIES) {
      throw unprocessable("hook_timeout_after_retry", "Service currently unavailable due to hook");
    }
    await pause(PAUSE_MS);
  }
}

async function readAnswer(response: Response): Promise<Answer> {
  if (response.status === 204) return {};
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("application/json")) {
    throw badRequest(
      "hook_payload_invalid_content_type",
      `Invalid JSON response. Received content-type: ${type}`,
    );
  }
  const text = await answerText(response, BODY_LIMIT).catch((error: unknown) => {
    if (!(error instanceof AnswerTooLarge)) throw error;
    throw unprocessable(
      "hook_payload_over_size_limit",
      `Payload size exceeded size limit of ${BODY_LIMIT} bytes`,
    );
  });
  if (text === "") return {};
  try {
    return recordOf(parseJson(text));
  } catch {
    throw unexpected("Error unmarshaling JSON output.");
  }
}

function signatures(secrets: string, content: string): string {
  return secrets
    .split("|")
    .map((secret) => secret.trim().replace(/^v1,whsec_/, ""))
    .filter(Boolean)
    .map((key) => `v1,${createHmac("sha256", Buffer.from(key, "base64")).update(content).digest("base64")}`)
    .join(", ");
}
