/** Owns sending a statement of a file: a COPY with its rows right after it, which a connection in pipeline mode needs. */
import pg from "pg";
import type { FileStatement } from "../statements/split.ts";

const CHUNK_BYTES = 1024 * 1024;

/** The part of pg's connection that its types leave out. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** Runs a statement of a file. @param sql what to run in its place */
export function queryStatement(
  client: pg.ClientBase,
  { text, data }: FileStatement,
  sql: string = text,
): Promise<unknown> {
  if (data === undefined) return client.query(sql);
  return new Promise((resolve, reject) => {
    const query = new pg.Query(sql, (error, result) => (error ? reject(error) : resolve(result)));
    // Postgres ignores rows that come after a COPY that it refused.
    query.submit = (connection) => {
      const copying = connection as unknown as CopyConnection;
      copying.query(sql);
      const bytes = Buffer.from(data.text);
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
        copying.sendCopyFromChunk(bytes.subarray(at, at + CHUNK_BYTES));
      copying.endCopyFrom();
    };
    Object.assign(query, { handleCopyInResponse: () => undefined });
    client.query(query);
  });
}
