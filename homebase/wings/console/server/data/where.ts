/** Owns the filter of a table: its words, as a condition of SQL. */
import { quote, quoteLiteral } from "../../../../src/postgres/quoting.ts";
import type { DataTable } from "../api.ts";
import { CallRefused } from "../call-refused.ts";

const QUOTED = /"((?:[^"]|"")*)"/g;
const WORD = /(?:[^\s"]|"[^"]*")+/g;
const CONDITION = /^("(?:[^"]|"")+"|[^\s"=<>!~]+)(>=|<=|!=|=|<|>|~)(.*)$/s;

/**
 * @param text `title`, `status=open`, `id>4`, `note=null`, `title~"two words"`, `"a column"="a ""value"""`. @param searched the columns that free text is
 * looked for in. @throws CallRefused for a column that is not there
 */
export function conditionOf(
  text: string,
  { columns, name: table }: DataTable,
  searched: DataTable["columns"] = columns,
): string {
  const words = text.match(WORD) ?? [];
  const conditions = words.map((word) => {
    const [, named, operator = "", given = ""] = CONDITION.exec(word) ?? [];
    const value = unquoted(given);
    if (named === undefined) return containing(searched, unquoted(word));
    const name = unquoted(named);
    const column = columns.find((one) => one.name === name);
    if (!column) throw new CallRefused(422, `${table} has no column ${name}.`);
    if (value === "null" && given === "null" && (operator === "=" || operator === "!="))
      return `${quote(name)} is ${operator === "=" ? "" : "not "}null`;
    if (operator === "~") return `${quote(name)}::text ilike ${like(value)}`;
    return `${quote(name)} ${operator === "!=" ? "is distinct from" : operator} ${quoteLiteral(value)}`;
  });
  return conditions.length === 0 ? "true" : conditions.map((one) => `(${one})`).join(" and ");
}

/** Within quotes, two stand for one. */
function unquoted(text: string): string {
  return text.replace(QUOTED, (_, inner: string) => inner.replaceAll('""', '"'));
}

/** Whether a filter looks for a part of a text, of which Postgres cannot tell how many rows have it. */
export function searches(text: string): boolean {
  return (text.match(WORD) ?? []).some((word) => (CONDITION.exec(word)?.[2] ?? "~") === "~");
}

/** The characters that the texts of these types consist of. */
const CHARACTERS: Readonly<Record<string, RegExp>> = {
  smallint: /^[-\d]*$/,
  integer: /^[-\d]*$/,
  bigint: /^[-\d]*$/,
  boolean: /^[aeflrstu]*$/i,
  uuid: /^[-\da-f]*$/i,
};
const TIME = /^(?:date|time)/;
/** The characters of dates and times in ISO style. The database may have another style. */
const TIME_CHARACTERS = /^[-+:.\d\sbcfinty]*$/i;
const OTHER_TIMES = "(select pg_catalog.current_setting('DateStyle') not like 'ISO%')";

/** Free text is looked for in all columns, as they are printed. */
function containing(columns: DataTable["columns"], text: string): string {
  // The database's own collation is ICU's, whose lower case takes most of a scan's time.
  const lower = (one: string) => `pg_catalog.lower(${one} collate pg_catalog.pg_c_utf8)`;
  const pattern = lower(like(text));
  const conditions = columns.flatMap(({ name, type }) => {
    if (CHARACTERS[type]?.test(text) === false) return [];
    const found = `${lower(`${quote(name)}::text`)} like ${pattern}`;
    return TIME.test(type) && !TIME_CHARACTERS.test(text) ? `(${OTHER_TIMES} and ${found})` : found;
  });
  return conditions.join(" or ") || "false";
}

function like(text: string): string {
  return quoteLiteral(`%${text.replace(/[\\%_]/g, "\\$&")}%`);
}
