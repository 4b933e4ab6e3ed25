/** Owns one statement of the SQL view: its rows as text, read in batches until the limits, after which Postgres stops. */
import pg from "pg";

export const MOST_ROWS = 10_000;
/** Of all results of a text. */
export const MOST_BYTES = 8 * 1024 * 1024;
/** Rows that Postgres sends at once. */
const BATCH = 50;

/** Every value as Postgres writes it; only booleans as `::text` does, by which saved edits compare. */
const AS_TEXT = {
  getTypeParser: (oid: number) => (value: string) =>
    oid === pg.types.builtins.BOOL ? (value === "t" ? "true" : "false") : value,
} as unknown as pg.CustomTypesConfig;

export interface Limited {
  /** "SELECT", "CREATE TABLE". */
  command: string;
  /** Rows that it touched; absent for a statement without any. */
  count?: number;
  fields: pg.FieldDef[];
  rows: (string | null)[][];
  /** Whether there were more rows. */
  cut: boolean;
}

/** Members of pg's class that its types lack. */
interface Messages {
  handlePortalSuspended(connection: Wire): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleEmptyQuery(connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
}
interface Wire {
  sync(): void;
}
const Query = pg.Query as unknown as new (config: object) => pg.Query & Messages;

class LimitedQuery extends Query {
  isFull: () => boolean = () => false;
  #synced = false;

  override handlePortalSuspended(connection: Wire): void {
    if (this.isFull()) {
      this.#synced = true;
      connection.sync();
    } else super.handlePortalSuspended(connection);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    this.#synced = true;
    super.handleCommandComplete(message, connection);
  }

  override handleEmptyQuery(connection: Wire): void {
    this.#synced = true;
    super.handleEmptyQuery(connection);
  }

  override handleError(error: Error, connection: Wire): void {
    // pg sends no Sync after an error of a query in batches, and Postgres waits for one.
    if (!this.#synced) connection.sync();
    super.handleError(error, connection);
  }
}

/** @param room bytes that are left for all results: it is counted down. @throws Postgres's error */
export function limitedQuery(client: pg.ClientBase, text: string, room: { bytes: number }): Promise<Limited> {
  const query = new LimitedQuery({ text, rowMode: "array", rows: BATCH, types: AS_TEXT });
  const rows: (string | null)[][] = [];
  let cut = false;
  query.isFull = () => cut;
  query.on("row", (row: (string | null)[]) => {
    cut ||= rows.length >= MOST_ROWS || room.bytes <= 0;
    if (cut) return;
    rows.push(row);
    for (const value of row) room.bytes -= value?.length ?? 0;
  });
  return new Promise((resolve, reject) => {
    query.on("error", reject);
    query.on("end", (result) => {
      const { command, rowCount, fields } = result as unknown as pg.QueryResult;
      resolve({
        command: command ?? "SELECT",
        ...(rowCount === null ? {} : { count: rowCount }),
        fields: fields ?? [],
        rows,
        cut,
      });
    });
    client.query(query);
  });
}
