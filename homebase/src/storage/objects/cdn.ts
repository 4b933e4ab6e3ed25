/**
 * Owns purging what a CDN holds (docs/compat/storage.md 1.10). No CDN stands before this stack, so nothing is
 * ever stale: who may ask and for what is checked as on hosted, and there is nothing left to do.
 */
import { jsonResponse } from "../../http/exchange.ts";
import { requireToken } from "../caller.ts";
import { type Endpoint, findObject, requestContext } from "../dependencies.ts";
import { noSuchKey, StorageError } from "../errors.ts";
import { requireKey } from "../names.ts";

/** All of the project, or of a bucket. */
export const purge: Endpoint = async (storage, request) => {
  request.body.resume();
  requireService((await requireToken(storage.context, request.authorization ?? "")).role);
  return jsonResponse(200, { message: "success" });
};

/** One object. @throws NoSuchKey */
export const purgeObject: Endpoint = async (storage, request, { bucket, key }) => {
  request.body.resume();
  const caller = await requireToken(storage.context, request.authorization ?? "");
  requireService(caller.role);
  requireKey(key);
  const context = requestContext(request, caller, "storage.object.purge_cache");
  if (!(await findObject(storage, context, bucket, key, "service"))) throw noSuchKey();
  return jsonResponse(200, { message: "success" });
};

/** @throws AccessDenied with its real status, as on the other routes of the service alone. */
function requireService(role: string): void {
  if (role === "service_role") return;
  throw new StorageError("AccessDenied", "Access denied: Invalid role", { http: 403 });
}
