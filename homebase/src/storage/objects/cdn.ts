/**
 * Owns purging the CDN cache (docs/compat/storage.md 1.10). This stack has no CDN, so nothing is ever stale:
 * the request is validated as on hosted, and nothing else is done.
 */
import { jsonResponse } from "../../http/exchange.ts";
import { type Endpoint, findObject, requestContext } from "../dependencies.ts";
import { requireToken } from "../kit/caller.ts";
import { noSuchKey, StorageError } from "../kit/errors.ts";
import { requireKey } from "../kit/names.ts";

/** Purges the whole project, or a bucket. */
export const purge: Endpoint = async (storage, request) => {
  request.body.resume();
  requireService((await requireToken(storage.context, request, request.authorization ?? "")).role);
  return jsonResponse(200, { message: "success" });
};

/** Purges one object. @throws NoSuchKey */
export const purgeObject: Endpoint = async (storage, request, { bucket, key }) => {
  request.body.resume();
  const caller = await requireToken(storage.context, request, request.authorization ?? "");
  requireService(caller.role);
  requireKey(key);
  const context = requestContext(request, caller, "storage.object.purge_cache");
  if (!(await findObject(storage, context, bucket, key, "service"))) throw noSuchKey();
  return jsonResponse(200, { message: "success" });
};

/** @throws AccessDenied with its real status, as on other routes reserved for the service role. */
function requireService(role: string): void {
  if (role === "service_role") return;
  throw new StorageError("AccessDenied", "Access denied: Invalid role", { http: 403 });
}
