/** Owns telling rows that a write makes from those that it changes, by what is there without it. */
import { arrayLiteral, quote, quoteName } from "../../postgres/quoting.ts";
import type { Table } from "./before-policies.ts";
import type { Session } from "./explanation-transaction.ts";

/** The rows of a table that are there now and have the same values in some columns as the given ones, and the others. */
export async function splitByKey(
  session: Session,
  { name }: Pick<Table, "name">,
  columns: readonly string[],
  rows: readonly string[],
): Promise<{ made: string[]; changed: string[]; before: string[] }> {
  if (columns.length === 0 || rows.length === 0) return { made: [...rows], changed: [], before: [] };
  const type = quoteName(name);
  const equal = columns.map((one) => `t.${quote(one)} = g.${quote(one)}`).join(" and ");
  const found = await session.rows<{ given: string; before: string | null }>(
    `select g::text as given, (select t::text from ${type} as t where ${equal} limit 1) as before
     from pg_catalog.unnest($1::text::${type}[]) as g`,
    [arrayLiteral(rows)],
  );
  return {
    made: found.flatMap(({ given, before }) => (before === null ? [given] : [])),
    changed: found.flatMap(({ given, before }) => (before === null ? [] : [given])),
    before: found.flatMap(({ before }) => before ?? []),
  };
}

/** A row's key as it is printed and as `--row` takes it: of several values, those with a comma or a quote in quotes. */
export function keyToText(values: readonly (string | null)[]): string {
  if (values.length === 1) return values[0] ?? "";
  return values
    .map((one) => (one !== null && /[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : (one ?? "")))
    .join(",");
}

/** The values of a key of so many columns. */
export function keyFromText(text: string, columns: number): string[] {
  if (columns === 1) return [text];
  const values = `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g);
  return [...values].map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain);
}
