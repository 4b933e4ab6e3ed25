/** Owns who may read an object, by route (compat/storage.md 1.4 and 1.8); each door leads to the object's row. */
import type { ServiceRequest } from "../../http/exchange.ts";
import type { Claims } from "../../tokens/keys.ts";
import { demandCaller, demandToken, optionalCaller } from "../caller.ts";
import { findObject, findReadable, occasion, type Storage } from "../dependencies.ts";
import { noSuchBucket, noSuchKey } from "../errors.ts";
import { demandKey } from "../names.ts";
import { queryFields } from "../request.ts";
import type { ObjectRow } from "../rows.ts";
import { checkDownloadToken } from "./sign.ts";

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
    // Nobody's policies are not asked: nobody reads only what is public.
    const { bucket, row } = await findReadable(storage, on, place, authenticated ? "caller" : "service");
    if (!bucket.public && !authenticated) throw noSuchBucket();
    return { row: demandObject(place, row) };
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
    const { row } = await findReadable(storage, on, place, "caller");
    return { row: demandObject(place, row) };
  };

export const publicDoor =
  (operation: string): Door =>
  async (storage, request, place) => {
    const { caller } = await optionalCaller(storage.context, request);
    const on = occasion(request, caller, operation);
    const { bucket, row } = await findReadable(storage, on, place, "service");
    if (!bucket.public) throw noSuchBucket();
    return { row: demandObject(place, row) };
  };

export const signedDoor =
  (operation: string): Door =>
  async (storage, request, place) => {
    const token = queryFields(request.query).requiredText("token");
    const claims = await checkDownloadToken(storage, token, place);
    const { caller } = await optionalCaller(storage.context, request);
    const on = occasion(request, caller, operation);
    const row = demandObject(place, await findObject(storage, on, place.bucket, place.key, "service"));
    return { row, claims, ...(typeof claims.exp === "number" ? { expires: claims.exp } : {}) };
  };

function demandObject(place: Place, row: ObjectRow | undefined): ObjectRow {
  demandKey(place.key);
  if (!row) throw noSuchKey();
  return row;
}
