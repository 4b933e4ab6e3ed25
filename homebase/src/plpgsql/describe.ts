/**
 * Owns asking Postgres what a statement gives, without running it: it is parsed and described (PostgreSQL documentation,
 * 53.2.3, extended query), which looks up each table, column, function and type, and neither plans nor executes.
 */
import pg from "pg";
import type { Column } from "./type-lookup.ts";

/** Without columns when the statement returns no rows. */
export interface Described {
  columns: Column[] | undefined;
}

/** The part of pg's connection that sends single messages. */
interface Messages {
  parse(message: { name: string; text: string; types: readonly number[] }): void;
  describe(message: { type: "S"; name: string }): void;
  sync(): void;
}

/**
 * @param types oids of the parameters.
 * @throws pg.DatabaseError as Postgres says it
 */
export function describeStatement(
  client: pg.Client,
  text: string,
  types: readonly number[],
): Promise<Described> {
  return new Promise((resolve, reject) => {
    let columns: Column[] | undefined;
    client.query({
      submit(connection: unknown) {
        const messages = connection as Messages;
        messages.parse({ name: "", text, types });
        messages.describe({ type: "S", name: "" });
        messages.sync();
      },
      handleRowDescription({ fields }: { fields: { name: string; dataTypeID: number }[] }) {
        columns = fields.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
      },
      handleReadyForQuery: () => resolve({ columns }),
      handleError: (error: Error) => reject(error),
    } as unknown as pg.Submittable);
  });
}

export function isRefusal(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError;
}
