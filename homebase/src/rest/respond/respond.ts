/**
 * Owns the last stage: from a statement's result to status, headers and body (docs/compat/rest.md 2 and 10).
 */

import type { ServiceResponse } from "../../http/exchange.ts";
import { type RestError, restErrors } from "../errors.ts";
import type { StatementResult } from "../execute/result.ts";
import { wireText } from "../header-text.ts";
import type { CallPlan, Plan, ReadPlan, WritePlan } from "../plan/plan.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import { VERSION } from "../postgrest-version.ts";
import type { Representation } from "../request/media-type.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import type { Relation, Routine } from "../schema/schema-cache.ts";
import {
  addSettingHeaders,
  applied,
  contentLocation,
  contentRange,
  headerText,
  insertLocation,
  statusSetting,
} from "./headers.ts";

const SHORT_BODY = 4 * 1024;

export interface Outcome {
  request: RestRequest;
  plan: Plan;
  representation: Representation;
  result: StatementResult;
  /** The planner's estimate of the row count, if requested. */
  planned: number | undefined;
  maxRows: number | undefined;
  /** Whether several schemas are exposed, or the request names one. */
  profiled: boolean;
  txOverride: boolean;
}

export function respond(outcome: Outcome): ServiceResponse {
  const { request, plan, result } = outcome;
  const headers: ServiceResponse["headers"] = {
    "content-type": outcome.representation.contentType,
    ...profileOf(request, outcome.profiled),
  };
  const { legacyNames } = plan.root;
  if (legacyNames) headers.warning = legacyWarning(legacyNames);
  const preference = applied(request, plan.kind === "write" ? plan : undefined, outcome.txOverride);
  if (preference !== undefined) headers["preference-applied"] = preference;
  const response =
    plan.kind === "write" ? respondWrite(outcome, plan, headers) : respondRead(outcome, plan, headers);
  addSettingHeaders(response.headers, result.headers);
  response.status = statusSetting(result.status) ?? response.status;
  return response;
}

/** Goes with every Content-Type (docs/compat/rest.md 9). */
export function profileOf({ schema }: RestRequest, profiled: boolean): Record<string, string> {
  return profiled ? { "content-profile": wireText(schema) } : {};
}

/** Aliases that a later version will drop (RFC 7234 5.5: 299). */
function legacyWarning(names: readonly { name: string; alias: string }[]): string {
  const changes = names.map(({ name, alias }) => `\`${name}\` to \`${alias}\``).join(", ");
  const text =
    "Embedded resource was referenced by relation name even though it has an alias. " +
    "This is deprecated and will stop working in a future release. " +
    `Update ${changes} in query string filters, orders or limits.`;
  return `299 PostgRESTv${VERSION} "${headerText(text)}"`;
}

function respondRead(
  outcome: Outcome,
  plan: ReadPlan | CallPlan,
  headers: ServiceResponse["headers"],
): ServiceResponse {
  const { request, result } = outcome;
  const { rows } = result;
  const total = totalOf(outcome);
  const { offset } = plan.root;
  headers["content-range"] = contentRange(offset, rows, total);
  const location = plan.kind === "read" ? contentLocation(request) : undefined;
  if (location !== undefined) headers["content-location"] = location;
  if (total !== undefined && offset > total) {
    const error = restErrors.offsetTooLarge(offset, total);
    headers["content-type"] = "application/json; charset=utf-8";
    return { ...statusOf(error), headers, body: request.headersOnly ? null : error.body() };
  }
  if (plan.kind === "call" && plan.routine.result.kind === "void") {
    return { status: 204, headers: untyped(headers), body: null };
  }
  const status = total !== undefined && rows < total ? 206 : 200;
  return { status, headers, body: request.headersOnly ? null : bodyOf(outcome) };
}

function bodyOf({ result, representation }: Outcome): string | Buffer {
  const { body } = result;
  if (!body) return "";
  if (representation.kind === "custom" && representation.handler.binary) {
    return Buffer.from(body.toString("latin1"), "hex");
  }
  // Short bodies are sent in one write with the head; long ones are not copied.
  return body.length <= SHORT_BODY ? body.toString("utf8") : body;
}

function totalOf({ request, plan, result, planned, maxRows }: Outcome): number | undefined {
  const { total } = result;
  if (plan.kind !== "read") return total;
  switch (request.preferences.count) {
    case "planned":
      return planned;
    case "estimated":
      if (maxRows !== undefined && (total ?? 0) <= maxRows) return total;
      return Math.max(total ?? 0, planned ?? 0);
    default:
      return total;
  }
}

function respondWrite(
  outcome: Outcome,
  plan: WritePlan,
  headers: ServiceResponse["headers"],
): ServiceResponse {
  const { request, result } = outcome;
  const { rows } = result;
  const total = totalOf(outcome);
  if (plan.action === "update") headers["content-range"] = contentRange(0, rows, total);
  else if (plan.action !== "put") headers["content-range"] = `*/${total ?? "*"}`;
  const represented = request.preferences.return === "representation";
  const { inserted, location } = result;
  let status: number;
  switch (plan.action) {
    case "insert": {
      if (location && rows === 1) headers.location = insertLocation(plan, location);
      status = plan.conflict?.update && inserted === 0 ? 200 : 201;
      break;
    }
    case "put":
      status = !represented ? 204 : inserted > 0 ? 201 : 200;
      break;
    default:
      status = represented ? 200 : 204;
  }
  if (represented) return { status, headers, body: bodyOf(outcome) };
  return { status, headers: untyped(headers), body: status === 204 ? null : "" };
}

/** The headers of a response without a representation. */
function untyped({
  "content-type": _type,
  "content-profile": _profile,
  ...others
}: ServiceResponse["headers"]) {
  return others;
}

/** An error as a response. */
export function respondError(
  error: RestError,
  headersOnly: boolean,
  verbosity: RestSettings["verbosity"],
): ServiceResponse {
  const body = error.body(verbosity);
  return {
    ...statusOf(error),
    headers: {
      "content-type": "application/json; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "proxy-status": `PostgREST; error=${wireText(error.code)}`,
      ...error.headers,
    },
    body: headersOnly ? null : body,
  };
}

function statusOf({ status, statusText }: RestError): Pick<ServiceResponse, "status" | "statusText"> {
  return statusText === undefined ? { status } : { status, statusText };
}

/** OPTIONS: the allowed methods of a relation, a function, or the root. */
export function respondInfo(target: Relation | Routine | undefined): ServiceResponse {
  return {
    status: 200,
    headers: { allow: allowed(target).join(","), "access-control-allow-origin": "*" },
    body: "",
  };
}

function allowed(target: Relation | Routine | undefined): string[] {
  if (!target) return ["OPTIONS", "GET", "HEAD"];
  if ("volatility" in target) {
    return target.volatility === "volatile" ? ["OPTIONS", "POST"] : ["OPTIONS", "GET", "HEAD", "POST"];
  }
  const { insertable, updatable, deletable } = target;
  return [
    "OPTIONS",
    "GET",
    "HEAD",
    ...(insertable ? ["POST"] : []),
    ...(insertable && updatable && target.primaryKey.length > 0 ? ["PUT"] : []),
    ...(updatable ? ["PATCH"] : []),
    ...(deletable ? ["DELETE"] : []),
  ];
}
