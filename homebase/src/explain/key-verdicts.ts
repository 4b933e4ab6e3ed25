/** Owns verdicts by keys: which rows of a table a caller gets, in the order of the keys, for programs. */
import type pg from "pg";
import { arrayLiteral, quote, quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { type ApiSettings, preludeFor } from "./asked-tables.ts";
import { type Command, readTable, type Table } from "./database/before-policies.ts";
import type { Caller } from "./database/explained-caller.ts";
import { ExplainError, Session } from "./database/explanation-transaction.ts";
import { idOf, type Part, partsOf, readPolicies } from "./database/policy-parts.ts";
import { keyToText } from "./database/written-rows.ts";
import { type Group, judgeRows, MOST_CANDIDATES, type Where } from "./judge.ts";
import {
  type Asker,
  type KeyValue,
  type KeyVerdict,
  type KeyVerdicts,
  type PartText,
  VERSION,
  type VerdictGroup,
} from "./verdicts.ts";

/** The parts of all policies, or of one table's, by their ids. */
export function partsOfPolicies(db: pg.ClientBase, table?: QualifiedName): Promise<Record<string, PartText>> {
  return Session.run(db, {}, async (session) => textsOf(partsOf(await readPolicies(session, table))));
}

/**
 * Judges rows by their keys, 1,000 at most.
 * @param db a connection without a transaction, of a login that row security does not restrict.
 * @throws ExplainError for a table without a primary key, and for values that are no key of it.
 */
export async function judgeKeys(
  db: pg.ClientBase,
  asker: Asker,
  name: QualifiedName,
  keys: readonly (KeyValue | readonly KeyValue[])[],
  { command = "select", api = {} }: { command?: Exclude<Command, "insert">; api?: ApiSettings } = {},
): Promise<KeyVerdicts> {
  if (keys.length > MOST_CANDIDATES) throw new ExplainError(`At most ${MOST_CANDIDATES} keys are judged.`);
  const { role, claims = { role }, headers } = asker;
  return Session.run(db, {}, async (session) => {
    const table = await readTable(session, name);
    const given = keys.map((key) => keyOf(table, Array.isArray(key) ? key : [key]));
    const prelude = await preludeFor(session, { role, claims, headers }, api);
    const caller: Caller = { role, claims, method: "GET", headers, prelude };
    const found = await foundKeys(session, caller, table, given);
    const judgement = await judgeRows(
      session,
      caller,
      name,
      { where: whereOf(table, given) },
      { command, keys: keys.length },
    );
    const groupOf = new Map(judgement.groups.flatMap((one, at) => one.keys.map((key) => [key, at] as const)));
    const granted = judgement.access.granted;
    const verdicts = given.map((key, at): KeyVerdict => {
      const text = found[at];
      if (text === undefined) return { key, exists: false, visible: false };
      const group = groupOf.get(text);
      if (group === undefined) return { key, exists: true, visible: granted ? null : false };
      return { key, exists: true, visible: granted && judgement.groups[group]?.visible === true, group };
    });
    return {
      version: VERSION,
      table: name,
      command,
      granted,
      rowSecurity: judgement.access.rowSecurity,
      verdicts,
      groups: judgement.groups.map(groupText),
      parts: textsOf(judgement.groups.flatMap(({ parts }) => parts.map(({ part }) => part))),
    };
  });
}

/** The texts of parts, by their ids. */
export function textsOf(parts: readonly Part[]): Record<string, PartText> {
  return Object.fromEntries(
    parts.map((part) => {
      const { table, policy, kind, text } = part;
      return [idOf(part), { table, policy, kind, text }];
    }),
  );
}

/** A group's verdicts by the ids of its parts. */
export function groupText({ visible, parts, reason }: Group): VerdictGroup {
  const errors = parts.flatMap(({ part, error }) => (error === undefined ? [] : [[idOf(part), error]]));
  return {
    visible,
    verdicts: Object.fromEntries(parts.map(({ part, verdict }) => [idOf(part), verdict])),
    errors: errors.length > 0 ? Object.fromEntries(errors) : undefined,
    reason: reason.map(({ leaf }) => idOf(leaf)),
  };
}

/** @throws ExplainError */
function keyOf({ key, name }: Table, given: readonly KeyValue[]): KeyValue[] {
  if (key.length === 0)
    throw new ExplainError(`${name.name} has no primary key, so no row of it can be named.`);
  if (given.length === key.length) return [...given];
  throw new ExplainError(
    `The primary key of ${name.name} is ${key.join(", ")}: give as many values, in an array.`,
  );
}

/** The keys as a table `q` of texts, and the condition that a row has one of them. */
function given({ key, name: { name: alias }, columns }: Table, keys: readonly KeyValue[][]) {
  const names = key.map((_, at) => `k${at}`);
  const from = `rows from (${names.map((_, at) => `pg_catalog.unnest($${at + 1}::text[])`).join(", ")}) with ordinality as q(${[...names, "i"].join(", ")})`;
  const equal = key.map((column, at) => {
    const type = columns.find(({ name }) => name === column)?.type ?? "text";
    return `${quote(alias)}.${quote(column)} = q.k${at}::${type}`;
  });
  return {
    from,
    equal: equal.join(" and "),
    values: key.map((_, at) => arrayLiteral(keys.map((one) => String(one[at])))),
  };
}

function whereOf(table: Table, keys: readonly KeyValue[][]): Where {
  const { from, equal, values } = given(table, keys);
  return { alias: table.name.name, text: `exists (select from ${from} where ${equal})`, values };
}

/** The keys as they are printed, for each given one; undefined where there is no row. */
async function foundKeys(
  session: Session,
  caller: Caller,
  table: Table,
  keys: readonly KeyValue[][],
): Promise<(string | undefined)[]> {
  const { from, equal, values } = given(table, keys);
  const { key, name } = table;
  const columns = key.map((column) => `${quote(name.name)}.${quote(column)}::text`);
  const rows = await session.read<{ at: number; key: (string | null)[] }>(
    `select q.i::int - 1 as at, array[${columns.join(", ")}]::text[] as key
     from ${from} join ${quoteName(name)} as ${quote(name.name)} on ${equal}`,
    values,
    caller,
    name,
  );
  const found = new Map(rows.map(({ at, key: values }) => [at, keyToText(values)]));
  return keys.map((_, at) => found.get(at));
}
