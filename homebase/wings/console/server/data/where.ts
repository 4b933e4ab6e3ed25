/** Owns the filter of a table: its words, as a condition of SQL. */
import { quote, quoteLiteral } from "../../../../src/postgres/quoting.ts";
import type { DataTable } from "../api.ts";
import { CallRefused } from "../call-refused.ts";

const WORD = /(?:[^\s"]|"[^"]*")+/g;
const CONDITION = /^([^\s"=<>!~]+)(>=|<=|!=|=|<|>|~)(.*)$/s;

/**
 * @param text `title`, `status=open`, `id>4`, `note=null`, `title~"two words"`. @param searched the columns that free text is
 * looked for in. @throws CallRefused for a column that is not there
 */
export function conditionOf(
  text: string,
  { columns, name: table }: DataTable,
  searched: DataTable["columns"] = columns,
): string {
  const words = text.match(WORD) ?? [];
  const conditions = words.map((word) => {
    const [, name, operator = "", given = ""] = CONDITION.exec(word) ?? [];
    const value = given.replaceAll('"', "");
    if (name === undefined) return containing(searched, word.replaceAll('"', ""));
    const column = columns.find((one) => one.name === name);
    if (!column) throw new CallRefused(422, `${table} has no column ${name}.`);
    if (value === "null" && given === "null" && (operator === "=" || operator === "!="))
      return `${quote(name)} is ${operator === "=" ? "" : "not "}null`;
    if (operator === "~") return `${quote(name)}::text ilike ${like(value)}`;
    return `${quote(name)} ${operator === "!=" ? "is distinct from" : operator} ${quoteLiteral(value)}`;
  });
  return conditions.length === 0 ? "true" : conditions.map((one) => `(${one})`).join(" and ");
}

/** Free text is looked for in all columns, as it is printed. */
function containing(columns: DataTable["columns"], text: string): string {
  // As one text, of which Postgres makes lower case once for each row.
  const texts = columns.map(({ name }) => `${quote(name)}::text`).join(", ");
  return `pg_catalog.array_to_string(array[${texts}]::text[], E'\\n') ilike ${like(text)}`;
}

function like(text: string): string {
  return quoteLiteral(`%${text.replace(/[\\%_]/g, "\\$&")}%`);
}
