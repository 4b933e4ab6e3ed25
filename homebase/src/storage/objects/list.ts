/** Owns listing objects, versions 1 and 2 (docs/compat/storage.md 1.5). */
import { z } from "zod";
import { jsonResponse } from "../../http/exchange.ts";
import { type Endpoint, RequestContext } from "../dependencies.ts";
import { requireCaller } from "../kit/caller.ts";
import { StorageError } from "../kit/errors.ts";
import { requireBucketName } from "../kit/names.ts";
import { checkedBody, flag, integer, oneOf, text } from "../kit/route-schemas.ts";

const MAX_V1 = 1500;
const MAX_V2 = 1000;

interface ListedRow {
  name: string;
  id: string | null;
  updated_at: Date | null;
  created_at: Date | null;
  last_accessed_at: Date | null;
  metadata: unknown;
}

const sortBy = <const Column extends string>(columns: readonly Column[]) =>
  z.object({ column: oneOf(columns).optional(), order: oneOf(["asc", "desc"]).optional() }).default({});

const LIST = z.object({
  prefix: text(),
  limit: integer(1).default(100),
  sortBy: sortBy(["name", "updated_at", "created_at", "last_accessed_at"]),
  offset: integer(0).default(0),
  search: text().default(""),
});

const LIST_V2 = z.object({
  limit: integer(1).default(MAX_V2),
  with_delimiter: flag().default(false),
  sortBy: sortBy(["name", "updated_at", "created_at"]),
  cursor: text().optional(),
  prefix: text().default(""),
});

export const listObjects: Endpoint = async (storage, request, { bucket }) => {
  const { prefix: given, limit, sortBy, offset, search } = await checkedBody(request, LIST);
  const { column = "name", order = "asc" } = sortBy;
  const caller = await requireCaller(storage.context, request);
  requireBucketName(bucket);
  const rows = await new RequestContext(
    storage,
    request,
    caller,
    "storage.object.list",
  ).readAsCaller<ListedRow>("select * from storage.search($1, $2, $3, 1, $4, $5, $6, $7)", [
    given === "" || given.endsWith("/") ? given : `${given}/`,
    bucket,
    Math.min(limit, MAX_V1),
    offset,
    search,
    column,
    order,
  ]);
  return jsonResponse(
    200,
    rows.map(({ name, id, updated_at, created_at, last_accessed_at, metadata }) => ({
      name,
      id,
      updated_at,
      created_at,
      last_accessed_at,
      metadata,
    })),
  );
};

/** The position after a page; opaque to clients. */
interface Cursor {
  last: string;
  order: string;
  column: string;
  after: string;
}

export const listObjectsV2: Endpoint = async (storage, request, { bucket }) => {
  const {
    with_delimiter: delimited,
    sortBy,
    cursor: token,
    prefix,
    ...body
  } = await checkedBody(request, LIST_V2);
  const limit = Math.min(body.limit, MAX_V2);
  const caller = await requireCaller(storage.context, request);
  const cursor = token ? readCursor(token) : undefined;
  const column = cursor?.column ?? sortBy.column ?? "name";
  const order = cursor?.order ?? sortBy.order ?? "asc";
  const rows = await new RequestContext(storage, request, caller, "storage.object.list_v2").readAsCaller<
    ListedRow & { key: string }
  >("select * from storage.search_v2($1, $2, $3, $4, $5, $6, $7, $8)", [
    prefix,
    bucket,
    limit + 1,
    delimited ? 1 : 0,
    cursor?.last ?? "",
    order,
    column,
    cursor?.after ?? "",
  ]);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNext = rows.length > limit && last !== undefined;
  const byTime = column !== "name";
  const folders = page
    .filter((row) => row.id === null)
    .map((row) => ({
      key: row.key,
      name: row.name,
      id: null,
      updated_at: byTime ? row.updated_at : null,
      created_at: byTime ? row.created_at : null,
      metadata: null,
      last_accessed_at: null,
    }));
  const objects = page
    .filter((row) => row.id !== null)
    .map(({ key, id, name, metadata, updated_at, created_at, last_accessed_at }) => ({
      ...(delimited ? { key } : {}),
      id,
      name,
      metadata,
      updated_at,
      created_at,
      last_accessed_at,
    }));
  return jsonResponse(200, {
    hasNext,
    ...(hasNext ? { nextCursor: writeCursor(last, column, order), nextCursorKey: last.name } : {}),
    folders,
    objects,
  });
};

/** The cursor of the page after `last`. */
export function writeCursor(
  last: Pick<ListedRow, "name" | "updated_at" | "created_at">,
  column: string,
  order: string,
): string {
  const at =
    column === "name"
      ? ""
      : ((column === "updated_at" ? last.updated_at : last.created_at)?.toISOString() ?? "");
  const lines = [`l:${last.name}`, `o:${order}`, `c:${column}`, at ? `a:${at}` : ""];
  return Buffer.from(lines.filter(Boolean).join("\n")).toString("base64");
}

/** @throws InvalidParameter */
export function readCursor(token: string): Cursor {
  const lines = Buffer.from(token, "base64").toString("utf8").split("\n");
  const value = (tag: string) => lines.find((line) => line.startsWith(`${tag}:`))?.slice(2);
  const last = value("l");
  const column = value("c") ?? "name";
  const order = value("o") ?? "asc";
  const after = value("a") ?? "";
  const sound =
    last !== undefined &&
    ["name", "updated_at", "created_at"].includes(column) &&
    ["asc", "desc"].includes(order) &&
    (after === "" || !Number.isNaN(Date.parse(after)));
  if (!sound) throw new StorageError("InvalidParameter", "Invalid Parameter continuation token");
  return { last, order, column, after };
}
