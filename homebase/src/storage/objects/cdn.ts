/**
 * Owns purging what a CDN holds (compat/storage.md 1.10). No CDN stands before this stack, so nothing is
 * ever stale: who may ask and for what is checked as on hosted, and there is nothing left to do.
 */
import { jsonResponse } from "../../http/exchange.ts";
import { demandToken } from "../caller.ts";
import { type Endpoint, findObject, occasion } from "../dependencies.ts";
import { noSuchKey, StorageError } from "../errors.ts";
import { demandKey } from "../names.ts";

/** All of the project, or of a bucket. */
export const purge: Endpoint = async (storage, request) => {
  request.body.resume();
  demandService((await demandToken(storage.context, request.authorization ?? "")).role);
  return jsonResponse(200, { message: "success" });
};

/** One object. @throws NoSuchKey */
export const purgeObject: Endpoint = async (storage, request, { bucket, key }) => {
  request.body.resume();
  const caller = await demandToken(storage.context, request.authorization ?? "");
  demandService(caller.role);
  demandKey(key);
  const on = occasion(request, caller, "storage.object.purge_cache");
  if (!(await findObject(storage, on, bucket, key, "service"))) throw noSuchKey();
  return jsonResponse(200, { message: "success" });
};

/** @throws AccessDenied with its real status, as on the other routes of the service alone. */
function demandService(role: string): void {
  if (role === "service_role") return;
  throw new StorageError("AccessDenied", "Access denied: Invalid role", { http: 403 });
}
