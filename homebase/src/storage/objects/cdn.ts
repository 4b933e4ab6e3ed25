/**
 * Owns purging the CDN cache (docs/compat/storage.md 1.10). This stack has no CDN, so nothing is ever stale:
 * the request is validated as on hosted, and nothing else is done.
 */
import { jsonResponse } from "../../http/exchange.ts";
import type { Endpoint } from "../dependencies.ts";
import { requireToken } from "../kit/caller.ts";
import { StorageError } from "../kit/errors.ts";
import { requireKey } from "../kit/names.ts";

/** Purges the whole project, or a bucket. */
export const purge: Endpoint = async (storage, request) => {
  request.body.resume();
  requireService((await requireToken(storage.context, request, request.authorization ?? "")).role);
  return jsonResponse(200, { message: "success" });
};

/** Purges one object. Whether it exists is not asked: an object that was deleted may still be cached. */
export const purgeObject: Endpoint = async (storage, request, { key }) => {
  request.body.resume();
  requireService((await requireToken(storage.context, request, request.authorization ?? "")).role);
  requireKey(key);
  return jsonResponse(200, { message: "success" });
};

/** @throws AccessDenied with its real status, as on other routes reserved for the service role. */
function requireService(role: string): void {
  if (role === "service_role") return;
  throw new StorageError("AccessDenied", "Access denied: Invalid role", { http: 403 });
}
