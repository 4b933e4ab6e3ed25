/** Owns what the checks of PL/pgSQL ask the catalog: the types of names, their columns, and which casts there are. */
import type pg from "pg";

/** A column of a result or a composite type. */
export interface Column {
  name: string;
  type: number;
}

export interface TypeFacts {
  oid: number;
  name: string;
  /** `b`ase, `c`omposite, `d`omain, `e`num, `p`seudo, `r`ange, `m`ultirange (pg_type.typtype). */
  kind: string;
  category: string;
  element: number;
  /** Of a domain. */
  base: number;
  /** Of a composite type. */
  columns: Column[] | undefined;
}

export const TEXT = 25;
export const UNKNOWN = 705;
export const RECORD = 2249;

const FACTS = `select t.oid::int8::text as oid, format_type(t.oid, null) as name, t.typtype as kind, t.typcategory as category,
  t.typelem::int8::text as element, t.typbasetype::int8::text as base,
  case when t.typrelid <> 0 then (
    select coalesce(json_agg(json_build_object('name', a.attname, 'type', a.atttypid::int8) order by a.attnum), '[]')
    from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped
  ) end as columns
  from pg_type t where t.oid = $1`;

/** Asked once for each type and pair of types. */
export class Catalog {
  readonly #client: pg.Client;
  readonly #facts = new Map<number, Promise<TypeFacts | undefined>>();
  readonly #casts = new Map<string, Promise<string | undefined>>();
  constructor(client: pg.Client) {
    this.#client = client;
  }

  facts(oid: number): Promise<TypeFacts | undefined> {
    let known = this.#facts.get(oid);
    if (!known) {
      known = this.#client
        .query<{
          oid: string;
          name: string;
          kind: string;
          category: string;
          element: string;
          base: string;
          columns: Column[] | null;
        }>(FACTS, [oid])
        .then(
          ({ rows: [row] }) =>
            row && {
              ...row,
              oid: Number(row.oid),
              element: Number(row.element),
              base: Number(row.base),
              columns: row.columns ?? undefined,
            },
        );
      this.#facts.set(oid, known);
    }
    return known;
  }

  /** The oid of a type as PL/pgSQL names it: `table%rowtype` and `table.column%type` too, by the current search path. */
  async named(type: string): Promise<number | undefined> {
    const copied = /^([\s\S]+?)\s*%\s*(rowtype|type)\s*(\[\s*\d*\s*\]|array)?$/i.exec(type);
    const [, of = type, how = "", many] = copied ?? [];
    if (how.toLowerCase() === "type") return this.#columnType(of, many !== undefined);
    const { rows } = await this.#client.query<{ oid: string | null }>(
      how
        ? "select (select reltype from pg_class where oid = to_regclass($1))::int8::text as oid"
        : "select to_regtype($1)::oid::int8::text as oid",
      [of],
    );
    const oid = rows[0]?.oid;
    return oid ? Number(oid) : undefined;
  }

  /** The type of `table.column` or `schema.table.column`. */
  async #columnType(path: string, many: boolean): Promise<number | undefined> {
    const dot = path.lastIndexOf(".");
    if (dot < 0) return undefined;
    const { rows } = await this.#client.query<{ oid: string }>(
      `select case when $3 then t.typarray else t.oid end::int8::text as oid
       from pg_attribute a join pg_type t on t.oid = a.atttypid
       where a.attrelid = to_regclass($1) and a.attname = (parse_ident($2))[1] and not a.attisdropped`,
      [path.slice(0, dot).trim(), path.slice(dot + 1).trim(), many],
    );
    const oid = rows[0]?.oid;
    return oid ? Number(oid) : undefined;
  }

  /** How a value of one type becomes another: by assignment, only by a written cast, or not at all. */
  async cast(from: number, to: number): Promise<"assignment" | "explicit" | "none"> {
    const [source, target] = [await this.#baseOf(from), await this.#baseOf(to)];
    if (!source || !target || source.oid === target.oid || source.oid === UNKNOWN) return "assignment";
    if (target.category === "S") return "assignment";
    // Of rows and of types that are known when the function runs nothing can be said.
    if ([source, target].some(({ kind, columns }) => kind === "p" || columns)) return "assignment";
    if (source.category === "A" && target.category === "A") return this.cast(source.element, target.element);
    const key = `${source.oid} ${target.oid}`;
    const context =
      this.#casts.get(key) ??
      this.#client
        .query<{ castcontext: string }>(
          "select castcontext from pg_cast where castsource = $1 and casttarget = $2",
          [source.oid, target.oid],
        )
        .then(({ rows }) => rows[0]?.castcontext);
    this.#casts.set(key, context);
    const found = await context;
    if (found === "a" || found === "i") return "assignment";
    return found === "e" || source.category === "S" ? "explicit" : "none";
  }

  async #baseOf(oid: number): Promise<TypeFacts | undefined> {
    const facts = await this.facts(oid);
    return facts?.kind === "d" ? this.#baseOf(facts.base) : facts;
  }
}
