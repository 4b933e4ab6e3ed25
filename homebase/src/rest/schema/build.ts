/** Owns building a SchemaCache from the catalog query's result. */
import type { Catalog, CatalogRelation, CatalogRole, CatalogRoutine } from "./catalog-query.ts";
import { findHandlers, findRepresentations } from "./media.ts";
import { type Appearances, attributeName, findAppearances, findRelationships } from "./relationships.ts";
import {
  type Column,
  type DomainRepresentation,
  nameKey,
  type Parameter,
  type Relation,
  type RoleSettings,
  type Routine,
  type SchemaCache,
} from "./schema-cache.ts";

const INSERT = 8;
const UPDATE = 4;
const DELETE = 16;

/** Headers that hold a credential: a function may read one, and it is not kept even so. */
const CREDENTIALS = new Set(["authorization", "proxy-authorization", "cookie", "apikey", "x-api-key"]);

/** @param hoisted names of function settings to apply to the whole transaction. */
export function buildSchemaCache(catalog: Catalog, hoisted: readonly string[]): SchemaCache {
  const byOid = new Map(catalog.relations.map((one) => [one.oid, one]));
  const appearances = findAppearances(catalog, byOid);
  const primaryKeys = findPrimaryKeys(catalog, byOid, appearances);
  const representations = findRepresentations(catalog.representations);
  const relations = new Map<string, Relation>();
  for (const one of catalog.relations) {
    if (!one.exposed) continue;
    relations.set(nameKey(one), buildRelation(one, primaryKeys.get(one.oid) ?? [], representations));
  }
  const routines = new Map<string, Routine[]>();
  for (const one of catalog.routines) {
    const routine = buildRoutine(one, byOid, hoisted);
    if (!routine) continue;
    const overloads = routines.get(nameKey(routine));
    if (overloads) overloads.push(routine);
    else routines.set(nameKey(routine), [routine]);
  }
  for (const overloads of routines.values()) overloads.sort(compareRoutines);
  return {
    relations,
    ...findRelationships(catalog, byOid, appearances),
    routines,
    handlers: findHandlers(catalog.handlers),
    roles: buildRoles(catalog.roles),
    headers: catalog.headers.filter((name) => !CREDENTIALS.has(name)),
  };
}

/** Settings by role. */
export function buildRoles(roles: readonly CatalogRole[]): Map<string, RoleSettings> {
  return new Map(roles.map((role) => [role.name, splitIsolation(role.config)]));
}

function buildRelation(
  one: CatalogRelation,
  primaryKey: readonly string[],
  representations: ReadonlyMap<string, DomainRepresentation>,
): Relation {
  const columns = new Map<string, Column>();
  let represented = false;
  for (const [name, type, baseType, notNull, defaultExpression] of one.columns) {
    const representation = representations.get(type);
    represented ||= representation?.show !== undefined;
    columns.set(name, {
      name,
      type,
      baseType,
      nullable: !notNull,
      ...(defaultExpression === null ? {} : { defaultExpression }),
      representation,
    });
  }
  return {
    schema: one.schema,
    name: one.name,
    kind: one.kind === "r" || one.kind === "p" ? "table" : one.kind === "f" ? "foreign" : "view",
    columns,
    represented,
    primaryKey,
    insertable: (one.capabilities & INSERT) !== 0,
    updatable: (one.capabilities & UPDATE) !== 0,
    deletable: (one.capabilities & DELETE) !== 0,
  };
}

/**
 * A view has the primary keys of its base tables if it shows all their columns, under the first names it
 * gives them.
 */
function findPrimaryKeys(
  catalog: Catalog,
  byOid: ReadonlyMap<string, CatalogRelation>,
  appearances: Appearances,
): Map<string, string[]> {
  const result = new Map<string, string[]>();
  for (const [, type, relation, columns] of catalog.keys) {
    if (type !== "p") continue;
    const table = byOid.get(relation);
    if (table) {
      result.set(
        table.oid,
        columns.map((one) => attributeName(table, one)),
      );
    }
    for (const { view, names } of appearances.get(relation) ?? []) {
      const shown = columns.flatMap((one) => names.get(one)?.[0] ?? []);
      if (shown.length === columns.length) {
        result.set(view.oid, [...(result.get(view.oid) ?? []), ...shown]);
      }
    }
  }
  return result;
}

/** In PostgREST's order, which error lists show: fewer parameters first, then by names and types. */
function compareRoutines(left: Routine, right: Routine): number {
  const key = ({ parameters }: Routine) => parameters.map(({ name, type }) => `${name}\0${type}`).join("\0");
  const [a, b] = [key(left), key(right)];
  return left.parameters.length - right.parameters.length || (a < b ? -1 : a > b ? 1 : 0);
}

/**
 * Undefined for functions that cannot be called: several unnamed parameters, or one of an unsupported type.
 */
function buildRoutine(
  one: CatalogRoutine,
  byOid: ReadonlyMap<string, CatalogRelation>,
  hoisted: readonly string[],
): Routine | undefined {
  const inputs = one.argTypes
    .map((type, at) => ({ type, mode: one.argModes?.[at] ?? "i", name: one.argNames?.[at] ?? "" }))
    .filter(({ mode }) => mode === "i" || mode === "b" || mode === "v");
  const unnamed = inputs.filter(({ name }) => name === "");
  if (unnamed.length > 1) return undefined;
  const [first] = unnamed;
  if (first && (inputs.length > 1 || !UNNAMED_TYPES.has(first.type))) return undefined;
  const firstOptional = inputs.length - one.defaults;
  const parameters = inputs.map(
    ({ type, mode, name }, at): Parameter => ({
      name,
      type,
      required: at < firstOptional,
      variadic: mode === "v",
    }),
  );
  const options = splitIsolation(one.config ?? []);
  const settings = options.settings.filter(([name]) => hoisted.includes(name));
  const isolation = hoisted.includes(ISOLATION) ? options.isolation : undefined;
  const type = byOid.get(one.returnRelation);
  return {
    oid: one.oid,
    schema: one.schema,
    name: one.name,
    parameters,
    volatility: one.volatility === "i" ? "immutable" : one.volatility === "s" ? "stable" : "volatile",
    returnsSet: one.returnsSet,
    result: one.composite
      ? {
          kind: "composite",
          ...(type ? { type: { schema: type.schema, name: type.name } } : {}),
        }
      : one.returnType === "void"
        ? { kind: "void" }
        : { kind: "scalar" },
    settings,
    isolation,
  };
}

const UNNAMED_TYPES = new Set(["json", "jsonb", "text", "xml", "bytea"]);
const ISOLATION = "default_transaction_isolation";

function splitIsolation(config: readonly string[]): RoleSettings {
  const settings: [string, string][] = [];
  let isolation: string | undefined;
  for (const entry of config) {
    const equals = entry.indexOf("=");
    const name = entry.slice(0, equals);
    const value = entry.slice(equals + 1);
    if (name === ISOLATION) isolation = value;
    else settings.push([name, value]);
  }
  return { settings, isolation };
}
