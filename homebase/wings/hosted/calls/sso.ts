/** Owns the calls about single sign-on: they are those of Auth's administrators, as on hosted. */
import { isRecord } from "../../../src/core/record.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import type { CallEntry, CallInput } from "./call.ts";

const PROVIDERS = "/v1/projects/{ref}/config/auth/sso/providers";

export const SSO: readonly CallEntry[] = [
  ["GET", PROVIDERS, (input) => askAuth("GET", input)],
  ["POST", PROVIDERS, (input) => askAuth("POST", input)],
  ["GET", `${PROVIDERS}/{provider_id}`, (input) => askAuth("GET", input)],
  ["PUT", `${PROVIDERS}/{provider_id}`, (input) => askAuth("PUT", input)],
  ["DELETE", `${PROVIDERS}/{provider_id}`, (input) => askAuth("DELETE", input)],
];

async function askAuth(
  method: string,
  { project, values, body, signal }: CallInput,
): Promise<ServiceResponse> {
  const { provider_id: id } = values;
  const path = `/auth/v1/admin/sso/providers${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
  const answer = await fetch(`${project.url}${path}`, {
    method,
    headers: { apikey: project.keys.secretKey, "content-type": "application/json" },
    ...(method === "POST" || method === "PUT" ? { body: new Uint8Array(body) } : {}),
    signal,
  });
  const given: unknown = await answer.json();
  // The Management API's errors have a message only.
  if (answer.ok || !isRecord(given)) return jsonResponse(answer.status, given);
  return jsonResponse(answer.status, { message: given.msg ?? given.message });
}
