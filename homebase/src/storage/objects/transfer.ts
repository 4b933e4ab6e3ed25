/** Owns moving, copying and removing objects (docs/compat/storage.md 1.6). */

import { z } from "zod";
import { jsonResponse } from "../../http/exchange.ts";
import { type Endpoint, findObject, RequestContext } from "../dependencies.ts";
import { type Caller, ownerUuid, requireCaller } from "../kit/caller.ts";
import { accessDenied, noSuchKey } from "../kit/errors.ts";
import { requireKey } from "../kit/names.ts";
import { FileMissing, retryWhenReplaced } from "../kit/replaced-object.ts";
import { checkedBody, flag, text, texts } from "../kit/route-schemas.ts";
import { OBJECT_COLUMNS, type ObjectRow, objectJson } from "../kit/rows.ts";
import { commitVersion, discardUnlessCommitted, requireWrite } from "./put.ts";
import { decodeMetadata } from "./user-metadata.ts";

const REMOVE_BATCH = 500;

const MOVE = z.object({
  bucketId: text(),
  sourceKey: text(),
  destinationKey: text(),
  destinationBucket: text().optional(),
});
const COPY = MOVE.extend({
  copyMetadata: flag().default(true),
  metadata: z.object({ cacheControl: text().optional(), mimetype: text().optional() }).optional(),
});
const REMOVE = z.object({ prefixes: texts(z.array(text()).min(1)) });

export const moveObject: Endpoint = async (storage, request) => {
  const { bucket, source, target, targetBucket } = endpoints(await checkedBody(request, MOVE));
  const caller = await requireCaller(storage.context, request);
  requireKey(target);
  const context = new RequestContext(storage, request, caller, "storage.object.move");
  await retryWhenReplaced(() => moveVersion(context, caller, { bucket, source, target, targetBucket }));
  return jsonResponse(200, { message: "Successfully moved" });
};

async function moveVersion(
  context: RequestContext,
  caller: Caller,
  { bucket, source, target, targetBucket }: ReturnType<typeof endpoints>,
): Promise<void> {
  const row = await findObject(context, bucket, source, "service");
  if (!row?.version) throw noSuchKey();
  if (bucket === targetBucket && source === target) return;
  const values = [row.id, targetBucket, target, ownerUuid(caller), caller.subject ?? null];
  const change = `update storage.objects set bucket_id = $2, name = $3, owner = coalesce($4, owner),
    owner_id = coalesce($5, owner_id)`;
  // Tested as the caller: without a row the caller may not see it, or not change it.
  const allowed = await context.tryAsCaller(`${change} where id = $1 returning id`, values);
  if (allowed.length === 0) throw noSuchKey();
  const version = await context.storage.files.copy(
    { bucket, key: source, version: row.version },
    targetBucket,
    target,
  );
  if (!version) throw new FileMissing(row.version);
  const lastModified = new Date(context.storage.context.clock.now()).toISOString();
  try {
    const done = await context.asServiceInTurn(
      { bucket: targetBucket, key: target },
      `${change}, version = $6, metadata = metadata || jsonb_build_object('lastModified', $7::text)
       where id = $1 and version = $8 returning id`,
      [...values, version, lastModified, row.version],
    );
    if (done.length === 0) throw noSuchKey();
  } catch (error) {
    await discardUnlessCommitted(context, { bucket: targetBucket, key: target, version });
    throw error;
  }
  context.storage.files.markCommitted(version);
  await context.storage.files.remove(bucket, source, row.version);
}

export const copyObject: Endpoint = async (storage, request) => {
  const body = await checkedBody(request, COPY);
  const { bucket, source, target, targetBucket } = endpoints(body);
  const header = request.headers["x-metadata"];
  const caller = await requireCaller(storage.context, request);
  const copied = await copyVersion(new RequestContext(storage, request, caller, "storage.object.copy"), {
    from: { bucket, key: source },
    to: { bucket: targetBucket, key: target },
    upsert: request.headers["x-upsert"] === "true",
    ...(body.copyMetadata
      ? {}
      : {
          replace: {
            changes: body.metadata ?? {},
            userMetadata: header === undefined ? null : decodeMetadata(header),
          },
        }),
  });
  return jsonResponse(200, { Key: `${targetBucket}/${target}`, Id: copied.id, ...objectJson(copied) });
};

/** The metadata that a copy may change. */
export interface MetadataChanges {
  cacheControl?: string;
  mimetype?: string;
  /** Undefined removes it. */
  contentEncoding?: string | undefined;
}

export interface Copy {
  from: { bucket: string; key: string };
  to: { bucket: string; key: string };
  upsert: boolean;
  /** Replaces the source's metadata; undefined copies it. */
  replace?: { changes: MetadataChanges; userMetadata: Record<string, unknown> | null };
  /** Checks the source; an exception aborts the copy. */
  check?: (source: ObjectRow) => void;
}

/**
 * Copies an object as the caller.
 * @throws NoSuchKey, KeyAlreadyExists, AccessDenied, InvalidKey
 */
export function copyVersion(context: RequestContext, copy: Copy): Promise<ObjectRow> {
  return retryWhenReplaced(() => copyPresentVersion(context, copy));
}

async function copyPresentVersion(context: RequestContext, copy: Copy): Promise<ObjectRow> {
  const { from, to, replace } = copy;
  requireKey(to.key);
  const row = await findObject(context, from.bucket, from.key, "caller");
  if (!row?.version || !row.metadata) throw noSuchKey();
  copy.check?.(row);
  const metadata = {
    ...row.metadata,
    ...(replace?.changes.mimetype ? { mimetype: replace.changes.mimetype } : {}),
    ...(replace?.changes.cacheControl ? { cacheControl: replace.changes.cacheControl } : {}),
    ...(replace && "contentEncoding" in replace.changes
      ? { contentEncoding: replace.changes.contentEncoding }
      : {}),
    lastModified: new Date(context.storage.context.clock.now()).toISOString(),
  };
  const userMetadata = replace ? replace.userMetadata : row.user_metadata;
  await requireWrite(context, {
    ...to,
    upsert: copy.upsert,
    mimetype: metadata.mimetype,
    cacheControl: metadata.cacheControl,
    contentEncoding: metadata.contentEncoding,
    contentLength: metadata.size,
    userMetadata: userMetadata ?? {},
  });
  const version = await context.storage.files.copy({ ...from, version: row.version }, to.bucket, to.key);
  if (!version) throw new FileMissing(row.version);
  return commitVersion(context, { ...to, version, metadata, userMetadata });
}

export const removeObject: Endpoint = async (storage, request, { bucket, key }) => {
  const caller = await requireCaller(storage.context, request);
  request.body.resume();
  requireKey(key);
  await removeOne(new RequestContext(storage, request, caller, "storage.object.delete"), bucket, key);
  return jsonResponse(200, { message: "Successfully deleted" });
};

/**
 * Deletes an object as the caller. @throws NoSuchKey, and AccessDenied when it exists but the caller may not
 * delete it.
 */
export async function removeOne(context: RequestContext, bucket: string, key: string): Promise<void> {
  const row = await findObject(context, bucket, key, "service");
  if (!row) throw noSuchKey();
  const removed = await context.asCaller<ObjectRow>(
    `delete from storage.objects where id = $1 returning ${OBJECT_COLUMNS}`,
    [row.id],
  );
  if (removed.length === 0) throw accessDenied();
  await context.storage.files.remove(bucket, key, removed[0]?.version ?? null);
}

/**
 * Deletes many by exact key. Objects that do not exist or may not be deleted are omitted from the response.
 */
export const removeObjects: Endpoint = async (storage, request, { bucket }) => {
  const { prefixes } = await checkedBody(request, REMOVE);
  const keys = [...new Set(prefixes)];
  const caller = await requireCaller(storage.context, request);
  const context = new RequestContext(storage, request, caller, "storage.object.delete_many");
  return jsonResponse(200, (await removeMany(context, bucket, keys)).map(objectJson));
};

/** Deletes as the caller those of the keys that exist and may be deleted. @returns the deleted rows. */
export async function removeMany(
  context: RequestContext,
  bucket: string,
  keys: readonly string[],
): Promise<ObjectRow[]> {
  const removed: ObjectRow[] = [];
  for (let from = 0; from < keys.length; from += REMOVE_BATCH) {
    const rows = await context.asCaller<ObjectRow>(
      `delete from storage.objects where bucket_id = $1 and name = any ($2) returning ${OBJECT_COLUMNS}`,
      [bucket, keys.slice(from, from + REMOVE_BATCH)],
    );
    await Promise.all(rows.map((row) => context.storage.files.remove(row.bucket_id, row.name, row.version)));
    removed.push(...rows);
  }
  return removed;
}

function endpoints({ bucketId, sourceKey, destinationKey, destinationBucket }: z.infer<typeof MOVE>) {
  return {
    bucket: bucketId,
    source: sourceKey,
    target: destinationKey,
    targetBucket: destinationBucket || bucketId,
  };
}
