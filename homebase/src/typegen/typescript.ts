/** Owns the TypeScript file of a database's types, with the names and shapes of the Supabase CLI's. */

import { findRelationships, originOf, type RelationshipFact } from "./foreign-keys.ts";
import { HELPERS } from "./helpers.ts";
import type {
  ArgumentFact,
  ColumnFact,
  FunctionFact,
  RelationFact,
  TypeCatalog,
  TypeFact,
} from "./typed-objects.ts";

const NUMBERS = new Set(["int2", "int4", "int8", "float4", "float8", "numeric"]);
const STRINGS = new Set([
  "bpchar",
  "bytea",
  "citext",
  "date",
  "interval",
  "text",
  "time",
  "timestamp",
  "timestamptz",
  "timetz",
  "uuid",
  "varchar",
  "vector",
]);
/** A function with one argument without a name can be called with these only. */
const UNNAMED = new Set(["json", "jsonb", "text"]);

/** The file's text. */
export function typescriptTypes(catalog: TypeCatalog): string {
  const file = new TypeFile(catalog);
  const schemas = catalog.schemas.map((schema) => `  ${key(schema)}: ${file.schema(schema)}`).join("\n");
  const constants = catalog.schemas
    .map((schema) => `  ${key(schema)}: {\n    Enums: {\n${file.constants(schema)}    },\n  },\n`)
    .join("");
  return `export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]

export type Database = {
${schemas}
}

${HELPERS}
export const Constants = {
${constants}} as const
`;
}

class TypeFile {
  readonly #catalog: TypeCatalog;
  readonly #relationships: Map<string, RelationshipFact[]>;
  readonly #byRowType: Map<string, RelationFact>;

  constructor(catalog: TypeCatalog) {
    this.#catalog = catalog;
    this.#relationships = findRelationships(catalog);
    this.#byRowType = new Map(catalog.relations.map((relation) => [relation.rowType, relation]));
  }

  schema(name: string): string {
    const relations = this.#catalog.relations.filter(({ schema }) => schema === name).sort(byName);
    const types = [...this.#catalog.types.values()].filter(({ schema }) => schema === name).sort(byName);
    const isView = ({ kind }: RelationFact) => kind === "v" || kind === "m";
    const members = (entries: [string, string][], depth: number) =>
      entries.length === 0
        ? `${"  ".repeat(depth)}[_ in never]: never\n`
        : entries.map(([one, type]) => `${"  ".repeat(depth)}${key(one)}: ${type}\n`).join("");
    const section = (title: string, entries: [string, string][]) =>
      `    ${title}: {\n${members(entries, 3)}    }\n`;
    const enums = types.filter(({ labels }) => labels.length > 0);
    const composites = types.filter(({ attributes }) => attributes.length > 0);
    return `{
${section(
  "Tables",
  relations.filter((one) => !isView(one)).map((one) => [one.name, this.#relation(one, false)]),
)}${section(
  "Views",
  relations.filter(isView).map((one) => [one.name, this.#relation(one, true)]),
)}${section("Functions", this.#functions(name))}${section(
  "Enums",
  enums.map((one) => [one.name, one.labels.map((label) => JSON.stringify(label)).join(" | ")]),
)}${section(
  "CompositeTypes",
  composites.map((one) => [
    one.name,
    object(
      one.attributes.map((attribute): [string, string] => [
        key(attribute.name),
        orNull(this.#type(attribute.type)),
      ]),
      3,
    ),
  ]),
)}  }`;
  }

  constants(name: string): string {
    return [...this.#catalog.types.values()]
      .filter(({ schema, labels }) => schema === name && labels.length > 0)
      .sort(byName)
      .map(
        (one) =>
          `      ${key(one.name)}: [${one.labels.map((label) => JSON.stringify(label)).join(", ")}],\n`,
      )
      .join("");
  }

  #relation(relation: RelationFact, view: boolean): string {
    const columns = [...relation.columns].sort(byName);
    const computed = this.#computedFields(relation);
    const row = [
      ...columns.map((column): [string, string] => [key(column.name), this.#value(relation, column)]),
      ...computed.map((one): [string, string] => [key(one.name), orNull(this.#returned(one))]),
    ];
    const write = (way: "insert" | "update") => {
      if (view && relation[way] === null) return "";
      const required = way === "insert";
      const fields = columns.map((column): [string, string] => {
        const fixed = view ? relation[way] === "automatic" && !column.updatable : column.fixed;
        if (fixed) return [`${key(column.name)}?`, "never"];
        if (view) return [`${key(column.name)}?`, orNull(this.#columnType(column))];
        const optional = !required || column.hasDefault || !column.notNull;
        return [`${key(column.name)}${optional ? "?" : ""}`, this.#value(relation, column)];
      });
      return `        ${required ? "Insert" : "Update"}: ${object(fields, 4)}\n`;
    };
    const relationships = this.#relationships.get(relation.oid) ?? [];
    const listed = relationships.map(
      (one) => `          {
            foreignKeyName: ${JSON.stringify(one.name)}
            columns: ${list(one.columns)}
            isOneToOne: ${one.oneToOne}
            referencedRelation: ${JSON.stringify(one.target)}
            referencedColumns: ${list(one.targetColumns)}
          },
`,
    );
    return `{
        Row: ${object(row, 4)}
        ComputedFields: ${computed.map(({ name }) => JSON.stringify(name)).join(" | ") || "never"}
${write("insert")}${write("update")}        Relationships: [${listed.length > 0 ? `\n${listed.join("")}        ` : ""}]
      }`;
  }

  /** Functions of a row, which read like columns. */
  #computedFields(relation: RelationFact): FunctionFact[] {
    return this.#catalog.functions.filter(
      ({ schema, arguments: given }) =>
        schema === relation.schema && given.length === 1 && given[0]?.type === relation.rowType,
    );
  }

  #value(relation: RelationFact, column: ColumnFact): string {
    const type = this.#columnType(column);
    if (!this.#isNotNull(relation, column)) return orNull(type);
    return type === "Json" ? "NonNullable<Json>" : type;
  }

  /** A view's column is not null where it shows a column that is not, and no outer join leaves it out. */
  #isNotNull(relation: RelationFact, column: ColumnFact): boolean {
    if (!this.#catalog.views.has(relation.oid)) return column.notNull;
    const origin = originOf(this.#catalog, relation.oid, column.attribute);
    if (!origin || origin.optional) return false;
    const table = this.#catalog.relations.find(({ oid }) => oid === origin.relation);
    return (
      table?.columns.some(({ attribute, notNull }) => attribute === origin.attribute && notNull) === true
    );
  }

  /** A column of a domain has the type that the domain is of. */
  #columnType({ type }: ColumnFact): string {
    let fact = this.#catalog.types.get(type);
    while (fact?.kind === "d") fact = this.#catalog.types.get(fact.base);
    return fact ? this.#type(fact.oid) : "unknown";
  }

  #type(oid: string): string {
    const type = this.#catalog.types.get(oid);
    if (!type) return "unknown";
    if (type.element !== "") {
      const element = this.#type(type.element);
      return `${/^[\w."[\]]+$/.test(element) ? element : `(${element})`}[]`;
    }
    return this.#builtIn(type) ?? this.#own(type);
  }

  #builtIn({ name, schema }: TypeFact): string | undefined {
    if (schema !== "pg_catalog" && name !== "citext" && name !== "vector") return undefined;
    if (name === "bool") return "boolean";
    if (NUMBERS.has(name)) return "number";
    if (STRINGS.has(name)) return "string";
    if (name === "json" || name === "jsonb") return "Json";
    if (name === "void") return "undefined";
    return name === "record" ? "Record<string, unknown>" : undefined;
  }

  #own(type: TypeFact): string {
    const known = this.#catalog.schemas.includes(type.schema);
    const at = (section: string) =>
      `Database[${JSON.stringify(type.schema)}]["${section}"][${JSON.stringify(type.name)}]`;
    if (type.labels.length > 0) {
      return known ? at("Enums") : type.labels.map((label) => JSON.stringify(label)).join(" | ");
    }
    if (!known) return "unknown";
    if (type.attributes.length > 0) return at("CompositeTypes");
    const relation = this.#byRowType.get(type.oid);
    if (!relation) return "unknown";
    return `${at(relation.kind === "v" || relation.kind === "m" ? "Views" : "Tables")}["Row"]`;
  }

  #functions(schema: string): [string, string][] {
    const named = new Map<string, FunctionFact[]>();
    for (const one of this.#catalog.functions) {
      if (one.schema !== schema || !this.#isCallable(one)) continue;
      named.set(one.name, [...(named.get(one.name) ?? []), one]);
    }
    return [...named]
      .sort(([left], [right]) => left.localeCompare(right))
      .map(([name, all]) => [name, all.map((one) => this.#signature(one, all)).join(" |\n        ")]);
  }

  #isCallable({ arguments: given }: FunctionFact): boolean {
    const taken = inputs(given);
    if (taken.every(({ name }) => name !== "")) return true;
    const [only] = taken;
    if (taken.length !== 1 || !only) return false;
    return UNNAMED.has(this.#catalog.types.get(only.type)?.name ?? "") || this.#byRowType.has(only.type);
  }

  #signature(one: FunctionFact, all: readonly FunctionFact[]): string {
    const taken = inputs(one.arguments).sort(byName);
    const args = taken
      .map(({ name, optional, type }) => `${key(name)}${optional ? "?" : ""}: ${this.#argument(name, type)}`)
      .join("; ");
    const fault = this.#fault(one, all);
    const returns =
      fault === undefined
        ? `${this.#returned(one)}${one.set ? "[]" : ""}`
        : `{ error: true } & ${JSON.stringify(fault)}`;
    const relation = this.#byRowType.get(one.returns);
    const composite = this.#catalog.types.get(one.returns);
    const to = relation?.name ?? (composite && composite.attributes.length > 0 ? composite.name : undefined);
    const [only, ...more] = taken;
    const from = more.length === 0 && only ? this.#byRowType.get(only.type)?.name : undefined;
    const options =
      to === undefined
        ? ""
        : `
          SetofOptions: {
            from: ${JSON.stringify(from ?? "*")}
            to: ${JSON.stringify(to)}
            isOneToOne: ${one.single}
            isSetofReturn: ${one.set}
          }`;
    return `{
          Args: ${taken.length === 0 ? "Record<PropertyKey, never>" : `{ ${args} }`}
          Returns: ${returns}${options}
        }`;
  }

  /** A row is given without the fields that functions add to it. */
  #argument(name: string, type: string): string {
    const relation = this.#byRowType.get(type);
    const row = this.#type(type);
    if (name === "" || !relation || this.#computedFields(relation).length === 0 || row === "unknown")
      return row;
    return `Omit<${row}, ${row.replace(/\["Row"\]$/, '["ComputedFields"]')}>`;
  }

  /** Why a call by name cannot work. */
  #fault(one: FunctionFact, all: readonly FunctionFact[]): string | undefined {
    const taken = inputs(one.arguments);
    const [only] = taken;
    if (only?.name === "" && this.#byRowType.has(only.type)) {
      return `the function ${one.schema}.${one.name} with parameter or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache`;
    }
    const names = (other: FunctionFact) =>
      JSON.stringify(
        inputs(other.arguments)
          .map(({ name }) => name)
          .sort(),
      );
    const same = all.filter((other) => names(other) === names(one));
    if (same.length < 2) return undefined;
    const signatures = same.map(
      ({ schema, name, arguments: given }) =>
        `${schema}.${name}(${inputs(given)
          .map((each) => `${each.name} => ${this.#catalog.types.get(each.type)?.name}`)
          .join(", ")})`,
    );
    return `Could not choose the best candidate function between: ${signatures.join(", ")}. Try renaming the parameters or the function itself in the database so function overloading can be resolved`;
  }

  #returned({ arguments: given, returns }: FunctionFact): string {
    const columns = given.filter(({ mode }) => mode === "t").sort(byName);
    if (columns.length > 0) {
      return object(
        columns.map(({ name, type }): [string, string] => [key(name), this.#type(type)]),
        5,
      );
    }
    const relation = this.#byRowType.get(returns);
    if (!relation) return this.#type(returns);
    const fields = [...relation.columns].sort(byName);
    return object(
      fields.map((column): [string, string] => [key(column.name), this.#value(relation, column)]),
      5,
    );
  }
}

/** `unknown` holds null already. */
function orNull(type: string): string {
  return type === "unknown" ? type : `${type} | null`;
}

function inputs(all: readonly ArgumentFact[]): ArgumentFact[] {
  return all.filter(({ mode }) => mode === "i" || mode === "b" || mode === "v");
}

function byName(left: { name: string }, right: { name: string }): number {
  return left.name.localeCompare(right.name);
}

/** A name as a member of a type: quoted where it has to be. */
function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function list(names: readonly string[]): string {
  return `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
}

function object(members: readonly [string, string][], depth: number): string {
  const margin = "  ".repeat(depth);
  return `{\n${members.map(([name, type]) => `${margin}  ${name}: ${type}\n`).join("")}${margin}}`;
}
