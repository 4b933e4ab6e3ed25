/** Owns what happens to each column of a copy: which ones stay and why, and other values for all the rest, which keep the table's rules. */

import type pg from "pg";
import { UserError } from "../../src/core/user-error.ts";
import { isUuid } from "../../src/core/uuid.ts";
import { quote } from "../../src/postgres/quoting.ts";
import type { ForeignKey, Row, Table, TableColumn } from "./catalog.ts";
import { kindOf, type Mask } from "./mask.ts";
import { maskOf, type Place, type Types, UnknownType } from "./types.ts";

/** Why a column's values stay. */
export type Reason = "key" | "time" | "rule" | "platform";

/** No other value of a column would be valid. */
export class NoValidValue extends UserError {}

/** What the platform's tables hold that is about no one, or that they do not work without. */
const PLATFORM: Record<string, RegExp> = {
  "auth.users":
    /^(instance_id|aud|role|is_sso_user|is_anonymous|email_change_confirm_status|banned_until|.*_at)$/,
  "auth.identities": /^(provider|.*_at)$/,
  "storage.buckets": /^(id|name|public|avif_autodetection|file_size_limit|allowed_mime_types|type|.*_at)$/,
  "storage.objects": /^(bucket_id|.*_at)$/,
};
const TIMES = /^(timestamp|timestamptz|date)$/;
const WRITTEN = /^(created|updated|inserted|modified)(_?(at|on|date|time))?$/i;
const ATTEMPTS = 8;

export interface Treated {
  masked: string[];
  passed: { column: string; reason: Reason }[];
}

interface Root {
  table: Table;
  column: TableColumn;
}

export class Treatment {
  readonly #mask: Mask;
  readonly #types: Types;
  readonly #tables: readonly Table[];
  readonly #keys: readonly ForeignKey[];
  readonly #rules: readonly RegExp[];
  /** For each place: the other values by the own ones. */
  readonly #others = new Map<string, Map<string, string | null>>();

  /** @param rules `schema.table.column`, with `*` for any text: columns that stay. */
  constructor(
    mask: Mask,
    { types, tables, keys }: { types: Types; tables: readonly Table[]; keys: readonly ForeignKey[] },
    rules: readonly string[],
  ) {
    this.#mask = mask;
    this.#types = types;
    this.#tables = tables;
    this.#keys = keys;
    this.#rules = rules.map(
      (rule) =>
        new RegExp(
          `^${rule
            .split("*")
            .map((part) => part.replace(/[^\w]/g, "\\$&"))
            .join(".*")}$`,
        ),
    );
  }

  /**
   * Replaces values in place.
   * @param client the connection to the source, in a transaction: its rules are asked of its own tables.
   * @throws NoValidValue
   */
  async apply(client: pg.Client, rows: ReadonlyMap<string, Row[]>): Promise<Treated> {
    const treated: Treated = { masked: [], passed: [] };
    const used = this.#tables.flatMap((table) =>
      table.columns.flatMap((column, at) => {
        const own = rows.get(table.oid) ?? [];
        if (own.every((row) => (row[at] ?? "") === "")) return [];
        const root = this.#root({ table, column });
        return [{ name: nameOf(table, column), at, rows: own, root, reason: this.#reason(root) }];
      }),
    );
    for (const { name, reason, at, rows: own } of used) {
      for (const row of own) {
        const value = row[at] ?? "";
        if (reason === "key" && isUuid(value)) this.#mask.keys.add(value.toLowerCase());
        if (name === "storage.objects.name") this.#mask.paths.add(value);
      }
    }
    for (const { name, at, rows: own, root, reason } of used) {
      if (reason !== undefined) {
        treated.passed.push({ column: name, reason });
        continue;
      }
      treated.masked.push(name);
      const others = await this.#fill(
        client,
        root,
        own.map((row) => row[at] ?? null),
      );
      for (const row of own) if (row[at]) row[at] = others.get(row[at]) ?? null;
    }
    return treated;
  }

  /** The column that a reference leads to. */
  #root({ table, column }: Root, seen: readonly string[] = []): Root {
    const key = this.#keys.find(
      ({ holder, columns }) => holder === table.oid && columns.includes(column.name),
    );
    const target = key && this.#tables.find(({ oid }) => oid === key.target);
    const other = target?.columns.find(
      ({ name }) => name === key?.targetColumns[key.columns.indexOf(column.name)],
    );
    const place = `${table.oid}.${column.name}`;
    if (!target || !other || seen.includes(place)) return { table, column };
    return this.#root({ table: target, column: other }, [...seen, place]);
  }

  #reason({ table, column }: Root): Reason | undefined {
    const name = nameOf(table, column);
    if (this.#rules.some((rule) => rule.test(name))) return "rule";
    const type = this.#types.get(column.type)?.name ?? "";
    const counted = /^(int2|int4|int8)$/.test(type) && column.generated;
    if (table.key.includes(column.name) && (counted || type === "uuid") && kindOf(column.name) !== "token")
      return "key";
    if (PLATFORM[`${table.schema}.${table.name}`]?.test(column.name)) return "platform";
    return TIMES.test(type) && WRITTEN.test(column.name) ? "time" : undefined;
  }

  /** Other values for these, each valid, and each different where the column's have to be. */
  async #fill(
    client: pg.Client,
    root: Root,
    values: readonly (string | null)[],
  ): Promise<Map<string, string | null>> {
    const { table, column } = root;
    const id = nameOf(table, column);
    const others = this.#others.get(id) ?? new Map<string, string | null>();
    this.#others.set(id, others);
    const taken = new Set([...others.values()].filter((one) => one !== null));
    let open = [...new Set(values)].filter((one): one is string => !!one && !others.has(one));
    const place: Place = {
      id,
      name: column.name,
      length: column.length ?? undefined,
      members: membersOf(table, values),
    };
    let unknown: string | undefined;
    const constants = column.checks.flatMap((check) =>
      [...check.matchAll(/'((?:[^']|'')*)'|\b\d+(?:\.\d+)?\b/g)].map(
        ([all, text]) => text?.replaceAll("''", "'") ?? all,
      ),
    );
    for (let attempt = 0; attempt < ATTEMPTS && open.length > 0; attempt += 1) {
      const candidates = open.map((value) => {
        try {
          return this.#candidate(column, constants, value, place, attempt);
        } catch (error) {
          if (!(error instanceof UnknownType)) throw error;
          unknown = error.message;
          return this.#mask.shaped(value, attempt);
        }
      });
      const valid =
        column.free && unknown === undefined
          ? candidates.map(() => true)
          : await this.#valid(client, root, candidates);
      open = open.filter((value, at) => {
        const candidate = candidates[at] ?? "";
        if (!valid[at] || (column.unique && taken.has(candidate))) return true;
        taken.add(candidate);
        others.set(value, candidate);
        return false;
      });
    }
    if (open.length > 0 && column.notNull) {
      throw new NoValidValue(
        `${id} cannot be masked: ${unknown ? `of ${unknown} no other value can be made` : column.unique ? "it has too few values that differ" : `no other value meets ${column.checks.join(" and ") || "its type"}`}. Let it stay by a line in supabase/unmasked.txt: ${id}`,
      );
    }
    for (const value of open) others.set(value, null);
    return others;
  }

  /** First as its type asks, then of the same shape, then of the words of the checks, then longer. */
  #candidate(
    column: TableColumn,
    constants: readonly string[],
    value: string,
    place: Place,
    attempt: number,
  ): string {
    if (attempt === 1 && !column.free) return this.#mask.shaped(value, attempt);
    if (attempt % 2 === 0 && constants.length > 0) {
      const at = this.#mask.hash(`constant${attempt}`, value).readUInt32BE(0) % constants.length;
      if (attempt > 0) return constants[at] ?? value;
    }
    const longer = attempt < 3 ? value : value.replace(/\d+/, (digits) => digits + "0".repeat(attempt));
    const number = this.#types.get(column.type)?.name ?? "";
    return maskOf(
      this.#mask,
      this.#types,
      column.type,
      /^(int|numeric|float)/.test(number) ? longer : value,
      place,
      attempt,
    );
  }

  /** Which values the column's type and checks accept. */
  async #valid(client: pg.Client, { table, column }: Root, values: readonly string[]): Promise<boolean[]> {
    const tests = column.checks.map((check) => `(${check}) is not false`);
    const text = `select (${["true", ...tests].join(" and ")}) as valid from unnest($1::text[]) with ordinality as one (own, at),
      lateral (select one.own::${column.sqlType} as ${quote(column.name)}) as ${quote(table.name)} order by at`;
    const ask = async (some: readonly string[]): Promise<boolean[]> => {
      await client.query("savepoint homebase_mask");
      const answer = await client.query<{ valid: boolean }>(text, [some]).catch(() => undefined);
      await client.query("rollback to savepoint homebase_mask");
      if (answer) return answer.rows.map(({ valid }) => valid);
      if (some.length <= 1) return some.map(() => false);
      // One that its type refuses ends the query for all.
      const half = Math.ceil(some.length / 2);
      return [...(await ask(some.slice(0, half))), ...(await ask(some.slice(half)))];
    };
    return ask(values);
  }
}

/** Names of members that several rows have, or a table of the platform's: they are structure, not data. */
function membersOf(table: Table, values: readonly (string | null)[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const value of values) {
    if (!value || !/^\s*[[{]/.test(value)) continue;
    const own = new Set<string>();
    try {
      JSON.parse(value, function (this: unknown, name, inner) {
        if (!Array.isArray(this) && /^[A-Za-z_][\w -]{0,60}$/.test(name)) own.add(name);
        return inner;
      });
    } catch {
      // It is no JSON: nothing of it is a name.
    }
    for (const name of own) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const least = table.schema === "auth" || table.schema === "storage" ? 1 : 2;
  return new Set([...counts].flatMap(([name, count]) => (count >= least ? [name] : [])));
}

export function nameOf({ schema, name }: Table, column: TableColumn): string {
  return `${schema}.${name}.${column.name}`;
}
