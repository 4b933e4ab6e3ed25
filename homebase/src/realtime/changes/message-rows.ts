/** Owns reading rows of `realtime.messages` from the log: broadcasts sent by the database. */
import type { RelationMessage, TupleValue } from "./replication/pgoutput.ts";

/** A committed row of `realtime.messages`. */
export interface StoredMessage {
  id: string;
  topic: string;
  event: string;
  isPrivate: boolean;
  /** JSON text, or the bytes of a binary message. */
  payload: Buffer;
  binary: boolean;
}

/** The message in a row; undefined when a column is missing and nothing is sent. */
export function storedMessage(
  relation: RelationMessage,
  values: readonly TupleValue[],
): StoredMessage | undefined {
  const value = (name: string) =>
    values[relation.columns.findIndex((column) => column.name === name)] ?? undefined;
  const [id, topic, event, payload, bytes] = ["id", "topic", "event", "payload", "binary_payload"].map(value);
  if (id === undefined || topic === undefined || event === undefined) return undefined;
  if (payload === undefined && bytes === undefined) return undefined;
  return {
    id,
    topic,
    event,
    isPrivate: value("private") === "t",
    payload: bytes === undefined ? Buffer.from(payload ?? "") : Buffer.from(bytes.replace(/^\\x/, ""), "hex"),
    binary: bytes !== undefined,
  };
}
