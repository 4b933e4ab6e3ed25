/** Owns the addresses of the Data view's tables. */
import type { TableName } from "../../server/api.ts";
import { goTo, withParameters } from "../app/address.ts";

/** The address of a table, with the lens of now. */
export function pathOfTable(
  { schema, name }: TableName,
  parameters: { q?: string; as?: string } = {},
): string {
  const url = new URL(`/data/${encodeURIComponent(`${schema}.${name}`)}`, location.origin);
  return withParameters(url, parameters);
}

/** Leads to rows of a table by its filter, with the same lens. */
export function goToRows(table: TableName, q: string, as: string): void {
  if (table.schema === "auth" && table.name === "users") goTo("/data/users");
  else goTo(pathOfTable(table, { q, as }));
}
