/** Owns sending a request again: what the record knows of it, as whom it goes, and its answer. */
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { askedOf, ExplainError } from "../../../src/explain/index.ts";
import { callerOf, callerRoleOf, type ReadRecord } from "../../../src/http/records.ts";
import { askedBy } from "../../../src/tools/asked.ts";
import type { Outgoing, Sent, Who } from "./api.ts";
import { checked } from "./call.ts";
import { CallRefused } from "./call-refused.ts";
import { inDatabase } from "./owner-connections.ts";
import { OF_AN_APP, sendAsk } from "./questions.ts";
import { signed } from "./signed.ts";

const PATIENCE_MS = 120_000;
/** Of an answer's body; the rest is not read. */
const MOST_SHOWN = 64 * 1024;

/** What a request was, with its values. @param schema the one that REST takes without a profile */
export function outgoingOf(whole: ReadRecord, schema: string | undefined): Outgoing {
  const { method, path, query, claims, role } = whole;
  const same = (role ?? callerRoleOf(claims)) === "service_role" ? "the secret key" : callerOf(claims)[0];
  const known = asked(whole);
  const headers = Object.entries(known?.headers ?? {}).filter(
    ([name, value]) => !(name.endsWith("-profile") && value === schema),
  );
  return {
    method,
    path: known?.path ?? (query === "" ? path : `${path}?${query}`),
    headers: Object.fromEntries(headers),
    ...(known?.body == null ? {} : { body: known.body }),
    same,
  };
}

/** Undefined where the record keeps no body, claims and headers of it. */
function asked(whole: ReadRecord) {
  try {
    return askedOf(whole);
  } catch (error) {
    if (error instanceof ExplainError) return undefined;
    throw error;
  }
}

/** Sends a request to the gateway. Its token is made here, and the page never has it. @throws CallRefused */
export async function send(
  start: DeveloperStart,
  ask: unknown,
  recorded: (id: string) => ReadRecord,
  signal: AbortSignal,
): Promise<Sent> {
  const { id, method, path, headers, body, as } = checked(sendAsk, ask);
  // Not the public address, which may be another machine's.
  const origin = `http://127.0.0.1:${start.backend.port}`;
  const address = new URL(origin + path);
  if (address.origin !== origin || !OF_AN_APP.test(address.pathname))
    throw new CallRefused(400, "The path leads out of the app's services.");
  const response = await fetch(address, {
    method,
    headers: headersOf(
      body === undefined ? headers : { "content-type": "application/json", ...headers },
      await credentials(start, as, () => recorded(id)),
    ),
    ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body }),
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  }).catch((error: unknown) => {
    throw new CallRefused(502, `It was not sent: ${error instanceof Error ? error.message : error}.`);
  });
  const { text, cut } = await beginningOf(response);
  return {
    id: response.headers.get("sb-request-id") ?? "",
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    body: text,
    cut,
  };
}

/** Lower-case names, so that no header of the form stands beside one that says who asks. @throws CallRefused */
function headersOf(given: Record<string, string>, credentials: Record<string, string>): Headers {
  try {
    const headers = new Headers(given);
    for (const name of ["apikey", "authorization"]) headers.delete(name);
    for (const [name, value] of Object.entries(credentials)) headers.set(name, value);
    return headers;
  } catch {
    throw new CallRefused(400, "A header has a name or a value that HTTP does not allow.");
  }
}

/** The headers that say who asks. */
async function credentials(
  start: DeveloperStart,
  as: Who,
  record: () => ReadRecord,
): Promise<Record<string, string>> {
  const { keys, config } = start.backend;
  const by = async (claims: Record<string, unknown> | undefined) => {
    const token = await signed(start.backend, claims);
    return { apikey: keys.publishableKey, authorization: `Bearer ${token}` };
  };
  switch (as.kind) {
    case "nobody":
      return { apikey: keys.publishableKey };
    case "secret":
      return { apikey: keys.secretKey };
    case "user": {
      const question = { method: "GET", path: "/", as: as.email };
      return by((await inDatabase(start, (client) => askedBy(client, question, config))).claims);
    }
    case "same": {
      const { claims, role } = record();
      if ((role ?? callerRoleOf(claims)) === "service_role") return { apikey: keys.secretKey };
      if (callerOf(claims).length === 0)
        throw new CallRefused(422, "The record does not say whose request it was.");
      return by(claims);
    }
  }
}

/** The beginning of an answer as text. */
async function beginningOf(response: Response): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the response.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_SHOWN) break;
  }
  const bytes = Buffer.concat(chunks);
  return { text: bytes.subarray(0, MOST_SHOWN).toString(), cut: size > MOST_SHOWN };
}
