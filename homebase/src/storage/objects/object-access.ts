/**
 * Owns the rules for reading an object on each route (docs/compat/storage.md 1.4 and 1.8). Each rule returns
 * the object's row.
 */
import { z } from "zod";
import type { ServiceRequest } from "../../http/exchange.ts";
import type { Claims } from "../../tokens/verify-token.ts";
import { findObject, findReadable, RequestContext, type Storage } from "../dependencies.ts";
import { optionalCaller, requireCaller, requireToken } from "../kit/caller.ts";
import { noSuchBucket, noSuchKey } from "../kit/errors.ts";
import { requireKey } from "../kit/names.ts";
import { checkedQuery, text } from "../kit/route-schemas.ts";
import type { ObjectRow } from "../kit/rows.ts";
import { checkDownloadToken } from "./sign.ts";

interface Place {
  bucket: string;
  key: string;
}

/** An object that the caller may read. */
export interface AuthorizedObject {
  row: ObjectRow;
  /** When the signed URL expires, in seconds since the epoch. */
  expires?: number;
  /** The claims of the signed URL. */
  claims?: Claims;
}

/** @throws NoSuchBucket, NoSuchKey and token errors. */
export type ObjectAccess = (
  storage: Storage,
  request: ServiceRequest,
  place: Place,
) => Promise<AuthorizedObject>;

/** The token is optional: without one only public buckets can be read. */
export const optionalAccess =
  (operation: string): ObjectAccess =>
  async (storage, request, place) => {
    const { caller, authenticated } = await optionalCaller(storage.context, request);
    const context = new RequestContext(storage, request, caller, operation);
    // Policies are not evaluated for an anonymous caller, who may read public buckets only.
    const { bucket, row } = await findReadable(context, place, authenticated ? "caller" : "service");
    if (!bucket.public && !authenticated) throw noSuchBucket();
    return { row: requireObject(place, row) };
  };

/** @param header whether the route's schema requires the header, with its own error message. */
export const authenticatedAccess =
  (operation: string, header: "demanded" | "read" = "demanded"): ObjectAccess =>
  async (storage, request, place) => {
    const caller =
      header === "demanded"
        ? await requireCaller(storage.context, request)
        : await requireToken(storage.context, request, request.authorization ?? "");
    const context = new RequestContext(storage, request, caller, operation);
    const { row } = await findReadable(context, place, "caller");
    return { row: requireObject(place, row) };
  };

export const publicAccess =
  (operation: string): ObjectAccess =>
  async (storage, request, place) => {
    const { caller } = await optionalCaller(storage.context, request);
    const context = new RequestContext(storage, request, caller, operation);
    const { bucket, row } = await findReadable(context, place, "service");
    if (!bucket.public) throw noSuchBucket();
    return { row: requireObject(place, row) };
  };

/** The query of a signed URL. */
export const TOKEN = z.object({ token: text() });

export const signedAccess =
  (operation: string): ObjectAccess =>
  async (storage, request, place) => {
    const { token } = checkedQuery(request, TOKEN);
    const claims = await checkDownloadToken(storage, token, place);
    const { caller } = await optionalCaller(storage.context, request);
    const context = new RequestContext(storage, request, caller, operation);
    const row = requireObject(place, await findObject(context, place.bucket, place.key, "service"));
    return { row, claims, ...(typeof claims.exp === "number" ? { expires: claims.exp } : {}) };
  };

function requireObject(place: Place, row: ObjectRow | undefined): ObjectRow {
  requireKey(place.key);
  if (!row) throw noSuchKey();
  return row;
}
