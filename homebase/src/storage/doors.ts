/** Owns who may read an object, by route (compat/storage.md 1.4 and 1.8); each door leads to the object's row. */
import type { ServiceRequest } from "../service/exchange.ts";
import type { Claims } from "../service/keys.ts";
import type { Occasion } from "./access.ts";
import { demandCaller, demandToken, optionalCaller } from "./caller.ts";
import { noSuchBucket, noSuchKey } from "./errors.ts";
import { demandKey } from "./names.ts";
import { queryFields } from "./request.ts";
import type { ObjectRow } from "./rows.ts";
import { checkDownloadToken } from "./sign.ts";
import { findBucket, findObject, occasion, type Storage } from "./storage.ts";

interface Place {
  bucket: string;
  key: string;
}

/** An object that may be read. */
export interface Admitted {
  row: ObjectRow;
  /** When the signed address ends, in seconds since the epoch. */
  expires?: number;
  /** What the signed address says. */
  claims?: Claims;
}

/** @throws NoSuchBucket, NoSuchKey and the refusals of tokens. */
export type Door = (storage: Storage, request: ServiceRequest, place: Place) => Promise<Admitted>;

/** A token is welcome but not needed: without one only public buckets are read. */
export const anyDoor =
  (operation: string): Door =>
  async (storage, request, place) => {
    const { caller, authenticated } = await optionalCaller(storage.context, request);
    const on = occasion(request, caller, operation);
    const bucket = await findBucket(storage, on, place.bucket);
    if (!bucket.public && !authenticated) throw noSuchBucket();
    return { row: await demandObject(storage, on, place, bucket.public ? "service" : "caller") };
  };

/** @param header whether the route's schema demands the header, with its own words when it is missing. */
export const authenticatedDoor =
  (operation: string, header: "demanded" | "read" = "demanded"): Door =>
  async (storage, request, place) => {
    const caller =
      header === "demanded"
        ? await demandCaller(storage.context, request)
        : await demandToken(storage.context, request.authorization ?? "");
    const on = occasion(request, caller, operation);
    const bucket = await findBucket(storage, on, place.bucket);
    return { row: await demandObject(storage, on, place, bucket.public ? "service" : "caller") };
  };

export const publicDoor =
  (operation: string): Door =>
  async (storage, request, place) => {
    const { caller } = await optionalCaller(storage.context, request);
    const on = occasion(request, caller, operation);
    const bucket = await findBucket(storage, on, place.bucket);
    if (!bucket.public) throw noSuchBucket();
    return { row: await demandObject(storage, on, place, "service") };
  };

export const signedDoor =
  (operation: string): Door =>
  async (storage, request, place) => {
    const token = queryFields(request.query).requiredText("token");
    const claims = await checkDownloadToken(storage, token, place);
    const { caller } = await optionalCaller(storage.context, request);
    const on = occasion(request, caller, operation);
    const row = await demandObject(storage, on, place, "service");
    return { row, claims, ...(typeof claims.exp === "number" ? { expires: claims.exp } : {}) };
  };

async function demandObject(
  storage: Storage,
  on: Occasion,
  place: Place,
  as: "caller" | "service",
): Promise<ObjectRow> {
  demandKey(place.key);
  const row = await findObject(storage, on, place.bucket, place.key, as);
  if (!row) throw noSuchKey();
  return row;
}
