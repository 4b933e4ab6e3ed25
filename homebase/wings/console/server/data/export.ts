/** Owns all rows of a filter as a lens gets them, for a file: a stream from a cursor in one transaction. */
import { PassThrough, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { quote, quoteName } from "../../../../src/postgres/quoting.ts";
import type { ExportPart, RowsAsk } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import type { Source } from "../owner-connections.ts";
import { asCaller, callerOf } from "./lens.ts";
import { orderOf, orderText, PATIENCE, readOnly, withheldFrom } from "./rows.ts";
import { readTable } from "./tables.ts";
import { conditionOf } from "./where.ts";

/** Rows of one part. */
const BATCH = 500;
/** A reader that stops to read must not hold the transaction, and its connection. */
const MOST_MS = 60_000;

/**
 * Lines of JSON, each an `ExportPart`, in one snapshot. A column that the lens may not select is left out, and neither sorted
 * by nor looked in for a free text.
 * @throws CallRefused, and Postgres's error, before the first row; a later one breaks the stream off
 */
export async function exportRows(
  source: Source,
  { as: lens, table: name, where, order }: Omit<RowsAsk, "after">,
  signal: AbortSignal,
): Promise<Readable> {
  const caller = await callerOf(source, lens);
  const { table, withheld } = await readOnly(source, async (client) => {
    const table = await readTable(client, name, source.backend.config.api.schemas);
    return { table, withheld: caller ? await withheldFrom(client, table, caller.role) : [] };
  });
  const columns = table.columns.filter((one) => !withheld.includes(one.name));
  if (columns.length === 0)
    throw new CallRefused(403, `${caller?.role} may select no column of ${table.name}.`);
  const key = table.key.filter((one) => !withheld.includes(one));
  // As one array: a cell by its column's name would be what the order means, and texts sort otherwise.
  const text = `select array[${columns.map((one) => `${quote(one.name)}::text`).join(", ")}]::text[] from ${quoteName(table)}
    where ${conditionOf(where, table, columns)} ${orderText(orderOf({ ...table, columns, key }, order))}`;
  const names = columns.map((one) => one.name);
  // Its reader sees that the last part has not come.
  const out = new PassThrough().on("error", () => {});
  const begun = Promise.withResolvers<void>();
  const until = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
  const read = async (client: pg.ClientBase) => {
    await client.query(PATIENCE);
    await client.query(`declare exported no scroll cursor for ${text}`);
    const first = await batch(client);
    begun.resolve();
    await pipeline(() => partsOf(client, names, first), out, { signal: until });
  };
  const reading = caller ? asCaller(source, caller, read, { table }) : readOnly(source, read);
  reading.catch(begun.reject);
  await begun.promise;
  return out;
}

type Rows = ExportPart["rows"];

async function batch(client: pg.ClientBase): Promise<Rows> {
  const text = `fetch ${BATCH} from exported`;
  const { rows } = await client.query<[Rows[number]]>({ text, rowMode: "array" });
  return rows.map(([row]) => row);
}

async function* partsOf(client: pg.ClientBase, columns: string[], first: Rows): AsyncGenerator<string> {
  for (let rows = first; ; rows = await batch(client)) {
    const last = rows.length < BATCH;
    yield `${JSON.stringify({ columns, rows, last } satisfies ExportPart)}\n`;
    if (last) return;
  }
}
