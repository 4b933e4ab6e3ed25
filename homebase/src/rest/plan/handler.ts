/**
 * Owns choosing the database's media type handler for a result (PostgREST documentation, "Media Type
 * Handlers").
 */
import type { SelectItem } from "../grammar/syntax.ts";
import {
  handlerKey,
  type MediaHandler,
  type QualifiedName,
  type SchemaCache,
} from "../schema/schema-cache.ts";
import type { Plan } from "./plan.ts";

/**
 * The lookup of a handler for the output of `plan`; undefined when the database has no handlers. Handlers of
 * a row type need whole rows: a select of exactly `*`.
 */
export function handlersFor(
  plan: Plan,
  select: readonly SelectItem[],
  { handlers }: SchemaCache,
): ((type: string) => MediaHandler | undefined) | undefined {
  if (handlers.size === 0) return undefined;
  const target = targetOf(plan);
  const whole = select.length === 1 && select[0]?.kind === "star";
  return (type) =>
    (whole
      ? (handlers.get(handlerKey(target, "*/*")) ?? handlers.get(handlerKey(target, type)))
      : undefined) ?? handlers.get(handlerKey(undefined, type));
}

function targetOf(plan: Plan): QualifiedName {
  switch (plan.kind) {
    case "read":
      return plan.root.name;
    case "write":
      return plan.table;
    case "call": {
      const { result } = plan.routine;
      return result.kind === "composite" && result.type
        ? { schema: plan.routine.schema, name: result.type.name }
        : plan.routine;
    }
  }
}
