/**
 * Owns the decoding of Postgres's logical replication messages (protocol version 1 of the `pgoutput`
 * plugin; PostgreSQL documentation, "Logical Replication Message Formats").
 */

/** A column's value in a tuple: its text, null, or unchanged and stored out of line. */
export type TupleValue = string | null | undefined;

export interface RelationColumn {
  name: string;
  typeOid: number;
  /** Part of the replica identity. */
  key: boolean;
}

export interface RelationMessage {
  kind: "relation";
  oid: number;
  schema: string;
  table: string;
  /** `d` default (primary key), `n` nothing, `f` full, `i` index. */
  identity: string;
  columns: RelationColumn[];
}

export interface ChangeMessage {
  kind: "insert" | "update" | "delete";
  relation: number;
  /** Undefined for a delete. `undefined` inside: unchanged and stored out of line. */
  next: TupleValue[] | undefined;
  /** The old row or its key, depending on the replica identity. */
  previous: { full: boolean; values: TupleValue[] } | undefined;
}

export type Message =
  | { kind: "begin"; commitTime: bigint; xid: number }
  | { kind: "commit"; end: bigint }
  | RelationMessage
  | ChangeMessage
  | { kind: "other" };

/** Milliseconds between the Unix epoch and Postgres's, 2000-01-01. */
const POSTGRES_EPOCH_MS = 946_684_800_000n;

/** A Postgres timestamp in the API's format: UTC, truncated to milliseconds. */
export function commitTimestamp(microseconds: bigint): string {
  return new Date(Number(microseconds / 1000n + POSTGRES_EPOCH_MS)).toISOString();
}

/** Decodes one message. */
export function decodeMessage(bytes: Buffer): Message {
  const reader = new Reader(bytes);
  switch (String.fromCharCode(reader.byte())) {
    case "B": {
      reader.skip(8);
      const commitTime = reader.int64();
      return { kind: "begin", commitTime, xid: reader.int32() };
    }
    case "C": {
      reader.skip(9);
      return { kind: "commit", end: reader.int64() };
    }
    case "R":
      return relation(reader);
    case "I": {
      const oid = reader.int32();
      reader.skip(1);
      return { kind: "insert", relation: oid, next: reader.tuple(), previous: undefined };
    }
    case "U": {
      const oid = reader.int32();
      const tag = String.fromCharCode(reader.byte());
      if (tag === "N") return { kind: "update", relation: oid, next: reader.tuple(), previous: undefined };
      const values = reader.tuple();
      reader.skip(1);
      return { kind: "update", relation: oid, previous: { full: tag === "O", values }, next: reader.tuple() };
    }
    case "D": {
      const oid = reader.int32();
      const tag = String.fromCharCode(reader.byte());
      return {
        kind: "delete",
        relation: oid,
        next: undefined,
        previous: { full: tag === "O", values: reader.tuple() },
      };
    }
    default:
      return { kind: "other" };
  }
}

function relation(reader: Reader): RelationMessage {
  const oid = reader.int32();
  const schema = reader.text();
  const table = reader.text();
  const identity = String.fromCharCode(reader.byte());
  const count = reader.int16();
  const columns: RelationColumn[] = [];
  for (let index = 0; index < count; index += 1) {
    const flags = reader.byte();
    const name = reader.text();
    const typeOid = reader.int32();
    reader.skip(4);
    columns.push({ name, typeOid, key: (flags & 1) === 1 });
  }
  return { kind: "relation", oid, schema: schema || "pg_catalog", table, identity, columns };
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  int16(): number {
    const value = this.#bytes.readUInt16BE(this.#at);
    this.#at += 2;
    return value;
  }

  int32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  int64(): bigint {
    const value = this.#bytes.readBigInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  skip(count: number): void {
    this.#at += count;
  }

  text(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    const value = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end + 1;
    return value;
  }

  tuple(): TupleValue[] {
    const count = this.int16();
    const values: TupleValue[] = [];
    for (let index = 0; index < count; index += 1) {
      const kind = String.fromCharCode(this.byte());
      if (kind === "n") values.push(null);
      else if (kind === "u") values.push(undefined);
      else {
        const length = this.int32();
        values.push(this.#bytes.toString("utf8", this.#at, this.#at + length));
        this.#at += length;
      }
    }
    return values;
  }
}
