/**
 * Owns resolving a call to a function and its arguments (PostgREST documentation, "Functions as RPC";
 * docs/compat/rest.md 12).
 */
import { restErrors } from "../errors.ts";
import { FuzzySet } from "../fuzzy.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import { nameKey, type Parameter, type Routine, type SchemaCache } from "../schema/schema-cache.ts";
import { schemaNames } from "./hints.ts";
import type { CallArguments, CallPlan } from "./plan.ts";
import { planReadTree } from "./read-tree.ts";

const NAME_THRESHOLD = 0.75;
const PARAMETERS_THRESHOLD = 0.33;

/** @throws RestError PGRST128, 202, 203 and those of reading. */
export function planCall(
  request: RestRequest,
  cache: SchemaCache,
  settings: RestSettings,
  name: string,
): CallPlan {
  const routine = chooseRoutine(request, cache, name);
  const { preferences } = request;
  if (preferences.handling === "strict" && preferences.maxAffected !== undefined && !routine.returnsSet) {
    throw restErrors.maxAffectedFunction();
  }
  const type = routine.result.kind === "composite" ? routine.result.type : undefined;
  // Rows of a table's type can embed as that table does; it must be in the function's own schema.
  const relation = type
    ? cache.relations.get(nameKey({ schema: routine.schema, name: type.name }))
    : undefined;
  const root = planReadTree(
    request,
    cache,
    settings,
    {
      source: { kind: "source" },
      name: relation ?? { schema: routine.schema, name: type?.name ?? routine.name },
      relation,
    },
    "read",
  );
  return { kind: "call", routine, args: callArguments(request, routine), root };
}

function argumentNames(request: RestRequest): string[] {
  const { payload, parameters } = request;
  if (request.readOnlyCall) return [...new Set(parameters.args.map(([name]) => name))];
  if (payload?.kind === "arguments") return [...new Set(payload.pairs.map(([name]) => name))];
  if (payload?.kind === "json") return [...new Set(payload.keys ?? parameters.columns ?? [])];
  return [];
}

/** @throws RestError PGRST202, 203. */
export function chooseRoutine(request: RestRequest, cache: SchemaCache, name: string): Routine {
  const overloads = cache.routines.get(nameKey({ schema: request.schema, name })) ?? [];
  const given = new Set(argumentNames(request));
  const raw = request.payload?.kind === "raw" ? request.payload.type : undefined;
  const fitting = overloads.filter((one) => acceptsNames(one, given, raw !== undefined));
  const [first, second] = fitting;
  if (second) throw restErrors.ambiguousFunction(fitting.map(signature));
  if (first) return first;
  const unnamed = overloads.filter((one) => acceptsBody(one, request));
  if (unnamed[1]) throw restErrors.ambiguousFunction(unnamed.map(signature));
  if (unnamed[0]) return unnamed[0];
  throw missing(request, cache, name, overloads, [...given].sort());
}

/** An unnamed parameter is treated as one with an empty name. */
function acceptsNames(routine: Routine, given: ReadonlySet<string>, raw: boolean): boolean {
  if (routine.parameters.length === 0) return given.size === 0 && !raw;
  const names = new Set(routine.parameters.map((one) => one.name));
  return (
    routine.parameters.every((one) => !one.required || given.has(one.name)) &&
    [...given].every((one) => names.has(one))
  );
}

/** Whether the function has one unnamed parameter for a body of the request's type. */
function acceptsBody(routine: Routine, request: RestRequest): boolean {
  const { payload } = request;
  const [only, other] = routine.parameters;
  if (request.readOnlyCall || !only || other || only.name !== "") return false;
  if (payload?.kind === "json") return !payload.csv && (only.type === "json" || only.type === "jsonb");
  return payload?.kind === "raw" && only.type === payload.type;
}

function signature(routine: Routine): string {
  const parameters = routine.parameters.map((one) => `${one.name} => ${one.type}`).join(", ");
  return `${routine.schema}.${routine.name}(${parameters})`;
}

function missing(
  request: RestRequest,
  cache: SchemaCache,
  name: string,
  overloads: readonly Routine[],
  given: readonly string[],
) {
  const full = `${request.schema}.${name}`;
  if (request.payload?.kind === "raw") {
    return restErrors.noFunction(
      full,
      `${full} with a single unnamed ${request.payload.type} parameter`,
      null,
    );
  }
  const list = given.join(", ");
  const searched =
    given.length === 0
      ? "without parameters"
      : given.length === 1
        ? `with parameter ${list}`
        : `with parameters ${list}`;
  const orUnnamed =
    request.payload?.kind === "json" && !request.payload.csv
      ? " or with a single unnamed json/jsonb parameter"
      : "";
  return restErrors.noFunction(
    given.length === 0 ? `${full} without parameters` : `${full}(${list})`,
    `${full} ${searched}${orUnnamed}`,
    guess(cache, request.schema, name, overloads, list),
  );
}

function guess(
  cache: SchemaCache,
  schema: string,
  name: string,
  overloads: readonly Routine[],
  given: string,
): string | null {
  if (overloads.length === 0) {
    const found = schemaNames(cache, "functions", schema).closest(name, NAME_THRESHOLD);
    return found === undefined ? null : `Perhaps you meant to call the function ${schema}.${found}`;
  }
  const lists = overloads.map(
    (one) =>
      `(${one.parameters
        .map((each) => each.name)
        .sort()
        .join(", ")})`,
  );
  const found = new FuzzySet(lists).closest(`(${given})`, PARAMETERS_THRESHOLD);
  return found === undefined ? null : `Perhaps you meant to call the function ${schema}.${name}${found}`;
}

function callArguments(request: RestRequest, routine: Routine): CallArguments {
  const { payload } = request;
  const [only] = routine.parameters;
  if (!only) return { kind: "none" };
  if (only.name === "") {
    if (payload?.kind === "raw") {
      const value = payload.type === "bytea" ? payload.bytes : payload.bytes.toString("utf8");
      return { kind: "unnamed", type: only.type, value };
    }
    if (payload?.kind === "json") return { kind: "unnamed", type: only.type, value: payload.text };
    return { kind: "none" };
  }
  if (request.readOnlyCall) return textArguments(routine, request.parameters.args);
  if (payload?.kind === "arguments") return textArguments(routine, payload.pairs);
  if (payload?.kind !== "json") return { kind: "none" };
  const given = new Set(argumentNames(request));
  const parameters = routine.parameters.filter((one) => given.has(one.name));
  if (parameters.length === 0) return { kind: "none" };
  return { kind: "json", text: payload.text, shape: payload.shape, parameters };
}

function textArguments(routine: Routine, pairs: readonly (readonly [string, string])[]): CallArguments {
  const values = routine.parameters.flatMap((parameter: Parameter) => {
    const own = pairs.filter(([name]) => name === parameter.name).map(([, value]) => value);
    if (own.length === 0) return [];
    const { name, type, variadic } = parameter;
    return [{ name, type, variadic, values: variadic ? own : own.slice(-1) }];
  });
  return values.length === 0 ? { kind: "none" } : { kind: "texts", values };
}
