/**
 * Owns what the REST interface knows of a database's structure: relations, keys, relationships,
 * functions, role settings. Immutable: a change of the database makes a new one.
 */

export interface QualifiedName {
  schema: string;
  name: string;
}

/** Functions, as quoted SQL, through which a domain's values pass (PostgREST: domain representations). */
export interface DomainRepresentation {
  /** From the domain to json: how a value is shown. */
  show?: string;
  /** From text to the domain: how a filter's value is read. */
  readText?: string;
  /** From json to the domain: how a body's value is read. */
  readJson?: string;
}

export interface Column {
  name: string;
  /** With modifiers, schema-qualified where needed: what a record column of this kind is declared as. */
  type: string;
  /** The type below any domains, without modifiers. */
  baseType: string;
  nullable: boolean;
  /** The default as SQL, also of identities; undefined for none and for generated columns. */
  defaultExpression?: string;
  representation?: DomainRepresentation;
}

export interface Relation extends QualifiedName {
  kind: "table" | "view" | "foreign";
  columns: ReadonlyMap<string, Column>;
  /** Whether any column is shown through a function: `*` then has to list them. */
  represented: boolean;
  primaryKey: readonly string[];
  insertable: boolean;
  updatable: boolean;
  deletable: boolean;
}

export type Cardinality = "many-to-one" | "one-to-many" | "one-to-one" | "many-to-many";

/** A way from one relation to another by foreign keys. */
export interface KeyRelationship {
  kind: "key";
  origin: QualifiedName;
  target: QualifiedName;
  cardinality: Cardinality;
  originIsView: boolean;
  targetIsView: boolean;
  /** The foreign key's name; for many-to-many, that towards the origin. */
  constraint: string;
  /** Whether the origin holds the foreign key (tells the two directions of one-to-one apart). */
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

/** A way made by a function of the origin's row. */
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

/** A media type that the database itself makes (PostgREST: media type handlers). */
export interface MediaHandler {
  contentType: string;
  /** Quoted SQL of the aggregate over the rows; undefined where a function's own value is the body. */
  aggregate?: string;
  /** Quoted SQL of the row type that the aggregate takes; undefined for any. */
  rowType?: string;
  /** The body is bytes. */
  binary: boolean;
}

export interface SchemaCache {
  /** By `handlerKey`. */
  handlers: ReadonlyMap<string, MediaHandler>;
  relations: ReadonlyMap<string, Relation>;
  /** By the origin's key. */
  relationships: ReadonlyMap<string, readonly Relationship[]>;
  /** `hiddenKey` of relations that only a junction in a schema that is not exposed relates to a schema. */
  hiddenJunctions: ReadonlySet<string>;
  /** Overloads by the function's key. */
  routines: ReadonlyMap<string, readonly Routine[]>;
  roles: ReadonlyMap<string, RoleSettings>;
}

/** The key of a name in the cache's maps; no identifier has a NUL. */
export function nameKey(name: QualifiedName): string {
  return `${name.schema}\0${name.name}`;
}

/**
 * The key of a media type handler.
 * @param target the relation or function it is for; undefined for rows of any type.
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
