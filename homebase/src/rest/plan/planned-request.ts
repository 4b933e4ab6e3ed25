/** Owns planning a typed request: resolving its relation or function. */
import { RestError, restErrors } from "../errors.ts";
import type { RestSettings } from "../postgrest-settings.ts";
import type { RestRequest } from "../request/parsed-request.ts";
import { nameKey, type Relation, type Routine, type SchemaCache } from "../schema/schema-cache.ts";
import { chooseRoutine, planCall } from "./call.ts";
import { schemaNames } from "./hints.ts";
import type { Plan } from "./plan.ts";
import { planReadTree } from "./read-tree.ts";
import { planWrite } from "./write.ts";

const TABLE_THRESHOLD = 0.75;
// A longer search would cost more than the hint is worth.
const MOST_TABLES_TO_SEARCH = 500;

/**
 * Plans every request but the root, which is described instead. @throws RestError when the request does not
 * match the schema.
 */
export function planRequest(request: RestRequest, cache: SchemaCache, settings: RestSettings): Plan {
  const { resource } = request;
  switch (resource.kind) {
    case "root":
      throw restErrors.rootDisabled();
    case "function":
      return planCall(request, cache, settings, resource.name);
    case "table": {
      const table = findTable(request, cache, resource.name);
      if (request.action !== "read") {
        const plan = planWrite(request, cache, settings, table);
        if (!settings.safeUpdate) return plan;
        if (plan.action === "delete" && plan.conditions.length === 0) throw unfiltered("DELETE");
        if (plan.action === "update" && plan.conditions.length === 0 && plan.body.columns.length > 0) {
          throw unfiltered("UPDATE");
        }
        return plan;
      }
      const root = { source: { kind: "relation" }, name: table, relation: table } as const;
      return { kind: "read", root: planReadTree(request, cache, settings, root, "read") };
    }
  }
}

/** The message of the safeupdate library, which hosted loads for API connections. */
function unfiltered(command: "UPDATE" | "DELETE"): RestError {
  return new RestError({ code: "21000", status: 400, message: `${command} requires a WHERE clause` });
}

/** The object that OPTIONS describes; undefined for the root. */
export function infoTarget(request: RestRequest, cache: SchemaCache): Relation | Routine | undefined {
  const { resource } = request;
  if (resource.kind === "root") return undefined;
  if (resource.kind === "table") return findTable(request, cache, resource.name);
  return chooseRoutine(request, cache, resource.name);
}

function findTable(request: RestRequest, cache: SchemaCache, name: string): Relation {
  const table = cache.relations.get(nameKey({ schema: request.schema, name }));
  if (table) return table;
  const names = schemaNames(cache, "tables", request.schema);
  const guess = names.size < MOST_TABLES_TO_SEARCH ? names.closest(name, TABLE_THRESHOLD) : undefined;
  throw restErrors.noTable(
    `${request.schema}.${name}`,
    guess === undefined ? null : `Perhaps you meant the table '${request.schema}.${guess}'`,
  );
}
