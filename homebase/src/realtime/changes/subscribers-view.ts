/** Owns a change as its subscribers see it: its values, and its JSON for a role and selection. */

import type { ChangeMessage, TupleValue } from "./replication/pgoutput.ts";
import type { Column, Relation } from "./replication/relation.ts";
import type { Action } from "./subscription.ts";
import { objectJson, toJson } from "./value-json.ts";

/** A row change with the values in the log and the replica identity. */
export interface RowChange {
  action: Action;
  relation: Relation;
  commitTimestamp: string;
  /** The lower 32 bits of its transaction's id. */
  xid: number;
  /** By column; `undefined` is a value that the log lacks. Undefined for a delete. */
  next: TupleValue[] | undefined;
  /** By column; `undefined` outside the replica identity. Undefined for an insert. */
  previous: TupleValue[] | undefined;
  /** Values that only Postgres can convert to JSON, added before JSON is written. */
  converted: Map<string, string>;
}

const ACTIONS = { insert: "INSERT", update: "UPDATE", delete: "DELETE" } as const;
/** In a change that is too large, a value is included only up to this many bytes of JSON. */
const SMALL_VALUE_BYTES = 64;

/** Converts a decoded message to a change of a known relation. */
export function rowChange(
  message: ChangeMessage,
  relation: Relation,
  commitTimestamp: string,
  xid: number,
): RowChange {
  const { columns } = relation;
  const full = message.previous?.full ? message.previous.values : undefined;
  // Unchanged out-of-line values are not in the log; under identity full the old row has them.
  const next =
    message.next &&
    columns.map(({ position }) => message.next?.[position] ?? valueOr(message, full, position));
  const base = { action: ACTIONS[message.kind], relation, commitTimestamp, xid, next, converted: new Map() };
  if (message.kind === "insert") return { ...base, previous: undefined };
  // Without an old tuple the key is unchanged: its values are those of the new row.
  const source = message.previous?.values ?? message.next ?? [];
  const previous = columns.map(({ identity, position }) => {
    if (full) return full[position];
    return identity ? source[position] : undefined;
  });
  return { ...base, previous };
}

/** A value of the new row that is null, or that only the old row has. */
function valueOr(message: ChangeMessage, full: TupleValue[] | undefined, position: number): TupleValue {
  return message.next?.[position] === null ? null : full?.[position];
}

/** The value for a filter on a column; undefined when the change lacks it. */
export function filterValue(change: RowChange, index: number): TupleValue {
  return (change.next ?? change.previous)?.[index];
}

/** Values that Postgres must convert to JSON: their texts and types. */
export function valuesToConvert(change: RowChange): { text: string; type: string; key: string }[] {
  const wanted = new Map<string, { text: string; type: string; key: string }>();
  for (const values of [change.next, change.previous]) {
    values?.forEach((text, index) => {
      const type = change.relation.columns[index]?.type;
      if (typeof text !== "string" || !type || toJson(text, type) !== undefined) return;
      const key = conversionKey(type.oid, text);
      wanted.set(key, { text, type: type.sql, key });
    });
  }
  return [...wanted.values()];
}

export function conversionKey(oid: number, text: string): string {
  return `${oid}:${text}`;
}

/**
 * JSON text of the change for subscribers that may select `columns`. @param limit bytes; a larger change is
 * truncated and marked.
 */
export function changeJson(change: RowChange, visible: ReadonlySet<string>, limit: number): string {
  const { relation, action } = change;
  const shown = relation.columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => visible.has(column.name));
  const write = (maximum: number) => {
    const row = (values: TupleValue[] | undefined, include: (column: Column) => boolean) =>
      objectJson(
        shown.flatMap(({ column, index }) => {
          const value = values?.[index];
          if (value === undefined || !include(column)) return [];
          const json = valueJson(change, value, index);
          return Buffer.byteLength(json) > maximum ? [] : [[column.name, json] as const];
        }),
      );
    const parts: string[] = [];
    if (action !== "DELETE") parts.push(`"record":${row(change.next, () => true)}`);
    if (action !== "INSERT") {
      // The privilege on the other columns of a deleted row can no longer be checked.
      const keyOnly = action === "DELETE" && relation.rowSecurity;
      parts.push(`"old_record":${row(change.previous, (column) => !keyOnly || column.primary)}`);
    }
    return parts.join(",");
  };
  const columns = `[${shown
    .map(({ column }) => `{"name":${JSON.stringify(column.name)},"type":${JSON.stringify(column.type.name)}}`)
    .join(",")}]`;
  let body = write(Number.POSITIVE_INFINITY);
  let errors = "null";
  if (Buffer.byteLength(body) + columns.length > limit) {
    body = write(SMALL_VALUE_BYTES);
    errors = '["Error 413: Payload Too Large"]';
  }
  return `{${head(change)},"commit_timestamp":${JSON.stringify(change.commitTimestamp)},"columns":${columns},${body},"errors":${errors}}`;
}

/** JSON text of a change for a role that may not see its content. */
export function errorJson(change: RowChange, error: string): string {
  return `{${head(change)},"commit_timestamp":null,"columns":[],"record":{},"errors":[${JSON.stringify(error)}]}`;
}

function head({ relation, action }: RowChange): string {
  return `"schema":${JSON.stringify(relation.schema)},"table":${JSON.stringify(relation.table)},"type":"${action}"`;
}

function valueJson(change: RowChange, value: string | null, index: number): string {
  const type = change.relation.columns[index]?.type;
  if (!type || value === null) return "null";
  return toJson(value, type) ?? change.converted.get(conversionKey(type.oid, value)) ?? JSON.stringify(value);
}
