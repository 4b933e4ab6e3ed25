/**
 * Owns the schema cache's types: relations, keys, relationships, functions, role settings. Immutable: a
 * change in the database leads to a new cache.
 */

export interface QualifiedName {
  schema: string;
  name: string;
}

/** Functions, as quoted SQL, through which a domain's values pass (PostgREST: domain representations). */
export interface DomainRepresentation {
  /** From the domain to json: formats a value in responses. */
  show?: string;
  /** From text to the domain: parses a filter's value. */
  readText?: string;
  /** From json to the domain: parses a body's value. */
  readJson?: string;
}

export interface Column {
  name: string;
  /** With modifiers, schema-qualified where needed: the type in a record's column definition. */
  type: string;
  /** The type below any domains, without modifiers. */
  baseType: string;
  nullable: boolean;
  /** The default as SQL, including identities; undefined for none and for generated columns. */
  defaultExpression?: string;
  representation?: DomainRepresentation;
}

export interface Relation extends QualifiedName {
  kind: "table" | "view" | "foreign";
  columns: ReadonlyMap<string, Column>;
  /** Whether any column has a representation: `*` must then list all columns. */
  represented: boolean;
  primaryKey: readonly string[];
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
}

export type Cardinality = "many-to-one" | "one-to-many" | "one-to-one" | "many-to-many";

/** A relationship by foreign keys. */
export interface KeyRelationship {
  kind: "key";
  origin: QualifiedName;
  target: QualifiedName;
  cardinality: Cardinality;
  originIsView: boolean;
  targetIsView: boolean;
  /** The foreign key's name; for many-to-many, that towards the origin. */
  constraint: string;
  /** Whether the origin holds the foreign key (distinguishes the directions of one-to-one). */
  originHoldsKey: boolean;
  /** Pairs of equal columns: origin's, then target's. Empty for many-to-many. */
  columns: readonly (readonly [origin: string, target: string])[];
  junction?: {
    table: QualifiedName;
    targetConstraint: string;
    /** Origin's column, then the junction's. */
    toOrigin: readonly (readonly [origin: string, junction: string])[];
    /** Junction's column, then the target's. */
    toTarget: readonly (readonly [junction: string, target: string])[];
  };
}

/** A computed relationship: a function of the origin's row. */
export interface ComputedRelationship {
  kind: "computed";
  origin: QualifiedName;
  target: QualifiedName;
  fn: QualifiedName;
  toOne: boolean;
}

export type Relationship = KeyRelationship | ComputedRelationship;

export interface Parameter {
  name: string;
  /** Without length limits, so that nothing is truncated. */
  type: string;
  required: boolean;
  variadic: boolean;
}

export interface Routine extends QualifiedName {
  oid: string;
  parameters: readonly Parameter[];
  volatility: "immutable" | "stable" | "volatile";
  returnsSet: boolean;
  result: { kind: "void" } | { kind: "scalar" } | { kind: "composite"; type?: QualifiedName };
  /** `set` options to apply to the whole transaction, by name. */
  settings: readonly (readonly [name: string, value: string])[];
  isolation?: string;
}

export interface RoleSettings {
  settings: readonly (readonly [name: string, value: string])[];
  isolation?: string;
}

/** A media type that the database produces (PostgREST: media type handlers). */
export interface MediaHandler {
  contentType: string;
  /** Quoted SQL of the aggregate over the rows; undefined when the function's own value is the body. */
  aggregate?: string;
  /** Quoted SQL of the aggregate's row type; undefined for any. */
  rowType?: string;
  /** Whether the body is bytes. */
  binary: boolean;
}

export interface SchemaCache {
  /** Keys from `handlerKey`. */
  handlers: ReadonlyMap<string, MediaHandler>;
  relations: ReadonlyMap<string, Relation>;
  /** By the origin's key. */
  relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** `hiddenKey` of relations related to a schema only through a junction that is not exposed. */
  hiddenJunctions: ReadonlySet<string>;
  /** Overloads by the function's key. */
  routines: ReadonlyMap<string, readonly Routine[]>;
  roles: ReadonlyMap<string, RoleSettings>;
  /** Names, in lower case, of the request's headers that policies, functions and views read. */
  headers: readonly string[];
}

/** The key of a name in the cache's maps; identifiers cannot contain NUL. */
export function nameKey(name: QualifiedName): string {
  return `${name.schema}\0${name.name}`;
}

/**
 * The key of a media type handler.
 * @param target its relation or function; undefined for rows of any type.
 * @param mediaType lower case.
 */
export function handlerKey(target: QualifiedName | undefined, mediaType: string): string {
  return `${target ? nameKey(target) : ""}\0${mediaType}`;
}

/** The key in `hiddenJunctions`: a relation, and the schema of its targets. */
export function hiddenKey(origin: QualifiedName, targetSchema: string): string {
  return `${nameKey(origin)}\0${targetSchema}`;
}

export function sameName(left: QualifiedName, right: QualifiedName): boolean {
  return left.name === right.name && left.schema === right.schema;
}
