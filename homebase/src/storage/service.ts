/** Owns the storage service: the route table, and the error responses (docs/compat/storage.md 1). */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Config } from "../config/config.ts";
import { percentDecoded } from "../core/percent.ts";
import { jsonResponse, type Service, type ServiceRequest, type ServiceResponse } from "../http/exchange.ts";
import { type Route, Router } from "../http/router.ts";
import type { ServiceContext } from "../service-context.ts";
import {
  createBucket,
  deleteBucket,
  emptyBucket,
  getBucket,
  listBuckets,
  updateBucket,
} from "./buckets/buckets.ts";
import { type PreparedBuckets, prepareBuckets } from "./buckets/config-buckets.ts";
import {
  createStorage,
  type Endpoint,
  rowLookup,
  type Storage,
  type StorageProtocol,
  type StorageProtocols,
} from "./dependencies.ts";
import { undefinedIfMissing } from "./disk/disk.ts";
import { requireCaller, requireToken } from "./kit/caller.ts";
import { fromPostgres, notEnabled, notImplemented, noVersions } from "./kit/errors.ts";
import { purge, purgeObject } from "./objects/cdn.ts";
import * as read from "./objects/download.ts";
import { listObjects, listObjectsV2 } from "./objects/list.ts";
import { signDownload, signDownloads, signUpload } from "./objects/sign.ts";
import { copyObject, moveObject, removeObject, removeObjects } from "./objects/transfer.ts";
import { createObject, replaceObject, uploadSigned } from "./objects/upload.ts";
import * as render from "./render/render.ts";
import { deleteExpiredUploads } from "./resumable/retention.ts";

const VERSION = "1.11.2";
/** In a pattern `:bucket` is the bucket and `*key` the key. */
type RouteTable = readonly Route<Endpoint>[];

const VERSION_ID = /(?:^|&)versionId(?:=|&|$)/;

/** Hosted's response for a disabled feature of a project (supabase/storage, plugins/tenant-feature.ts). */
const switchedOff = async (): Promise<ServiceResponse> =>
  jsonResponse(
    403,
    { error: "FeatureNotEnabled", statusCode: "403", message: "feature not enabled for this tenant" },
    { "content-type": "application/json; charset=utf-8" },
  );

/** Object lifecycles, disabled by default (supabase/storage, routes/bucket/lifecycle-disabled.test.ts). */
const lifecycle: Endpoint = async (storage, request) => {
  await requireCaller(storage.context, request);
  throw notEnabled("object lifecycles");
};

const ROUTES: RouteTable = [
  ["POST", "/bucket", createBucket],
  ["GET", "/bucket", listBuckets],
  ["POST", "/bucket/", createBucket],
  ["GET", "/bucket/", listBuckets],
  ["GET", "/bucket/:bucket", getBucket],
  ["PUT", "/bucket/:bucket", updateBucket],
  ["DELETE", "/bucket/:bucket", deleteBucket],
  ["POST", "/bucket/:bucket/empty", emptyBucket],
  ["GET", "/bucket/:bucket/lifecycle", lifecycle],
  ["PUT", "/bucket/:bucket/lifecycle", lifecycle],
  ["DELETE", "/bucket/:bucket/lifecycle", lifecycle],
  ["POST", "/object/list/:bucket", listObjects],
  ["POST", "/object/list-v2/:bucket", listObjectsV2],
  ["POST", "/object/move", moveObject],
  ["POST", "/object/copy", copyObject],
  ["PUT", "/object/upload/sign/:bucket/*key", uploadSigned],
  ["POST", "/object/upload/sign/:bucket/*key", signUpload],
  ["GET", "/object/sign/:bucket/*key", read.getSigned],
  ["POST", "/object/sign/:bucket/*key", signDownload],
  ["POST", "/object/sign/:bucket", signDownloads],
  ["GET", "/object/info/public/:bucket/*key", read.infoPublic],
  // HEAD of these differs from GET, so it comes first.
  ["HEAD", "/object/info/authenticated/:bucket/*key", read.headAuthenticated],
  ["HEAD", "/object/info/:bucket/*key", read.headObject],
  ["HEAD", "/object/public/:bucket/*key", read.headPublic],
  ["HEAD", "/object/authenticated/:bucket/*key", read.headAuthenticated],
  ["HEAD", "/object/:bucket/*key", read.headObject],
  ["GET", "/object/info/authenticated/:bucket/*key", read.infoAuthenticated],
  ["GET", "/object/info/:bucket/*key", read.infoObject],
  ["GET", "/object/public/:bucket/*key", read.getPublic],
  ["GET", "/object/authenticated/:bucket/*key", read.getAuthenticated],
  ["GET", "/object/:bucket/*key", read.getObject],
  ["POST", "/object/:bucket/*key", createObject],
  ["PUT", "/object/:bucket/*key", replaceObject],
  ["DELETE", "/object/:bucket/*key", removeObject],
  ["DELETE", "/object/:bucket", removeObjects],
  ["DELETE", "/cdn", purge],
  ["DELETE", "/cdn/", purge],
  ["DELETE", "/cdn/:bucket", purge],
  ["DELETE", "/cdn/:bucket/*key", purgeObject],
  ["GET", "/render/image/public/:bucket/*key", render.renderPublic],
  ["GET", "/render/image/authenticated/:bucket/*key", render.renderAuthenticated],
  ["GET", "/render/image/sign/:bucket/*key", render.renderSigned],
];

const PROTOCOLS: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ["/upload/resumable", resumable],
  ["/s3", s3],
  ["/vector", vectors],
  ["/iceberg", switchedOff],
];

const OTHER_ROUTES: RouteTable = [
  ["GET", "/status", async () => ({ status: 200, headers: {}, body: "" })],
  [
    "GET",
    "/version",
    async () => ({ status: 200, headers: { "content-type": "text/plain" }, body: VERSION }),
  ],
  ["GET", "/health", health],
  ...PROTOCOLS.flatMap(
    ([path, endpoint]): RouteTable => [
      ["*", path, endpoint],
      ["*", `${path}/*key`, endpoint],
    ],
  ),
];

/** Objects have no versions here, so a request for one is refused. */
const withoutVersions = ([method, path, endpoint]: Route<Endpoint>): Route<Endpoint> => [
  method,
  path,
  (storage, request, names) => {
    if (VERSION_ID.test(request.query)) throw noVersions();
    return endpoint(storage, request, names);
  },
];

type Name = "bucket" | "key";
const router = new Router<Endpoint, Name>([...OTHER_ROUTES, ...ROUTES.map(withoutVersions)]);

const KNOWN_WORDS = new Set(["bucket", "object", "render", "cdn"]);

export interface StorageService extends Service {
  /** Creates or updates the buckets of a configuration, which may be newer than the service's own. */
  prepareBuckets(config: Config): Promise<PreparedBuckets>;
}

/** Creates the storage service of a Backend. @param protocols what wings bring; without one its requests respond 501 */
export async function createStorageService(
  context: ServiceContext,
  protocols: StorageProtocols = {},
): Promise<StorageService> {
  const storage = createStorage(context, protocols);
  // Deletes files that a crash left without a row, in the background.
  let sweeping = sweep(storage);
  return {
    handle: (request) => handle(storage, request),
    prepare: async () => {
      await prepareBuckets(storage, context.config);
    },
    prepareBuckets: (config) => prepareBuckets(storage, config),
    recover: () => {
      sweeping = sweeping.then(() => sweep(storage));
      return sweeping;
    },
    close: async () => {
      await sweeping;
      await storage.files.idle();
    },
  };
}

async function handle(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  try {
    return withoutSniffing(await dispatch(storage, request));
  } catch (error) {
    request.body.resume();
    const known = fromPostgres(error);
    if (request.record) request.record.code = known.code;
    if (known.status >= 500 && known.code !== "NotImplemented") {
      storage.context.log.error(`${request.method} ${request.path}: ${known.message}`, {
        id: request.id,
        error: inspect(error),
      });
    }
    return withoutSniffing(known.response());
  }
}

/** Browsers must not sniff a type other than the uploaded one. */
function withoutSniffing(response: ServiceResponse): ServiceResponse {
  response.headers["x-content-type-options"] = "nosniff";
  return response;
}

async function health(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  await requireToken(storage.context, request, request.authorization ?? "");
  const healthy = await storage.context.database.query("supabase_storage_admin", "select 1").then(
    () => true,
    () => false,
  );
  return jsonResponse(200, { healthy });
}

async function resumable(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  storage.resumable ??= import("./resumable/resumable.ts").then(({ Resumable }) => new Resumable(storage));
  return (await storage.resumable).handle(request);
}

async function s3(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  if (!storage.context.config.storage.s3_protocol.enabled) return noRoute(request);
  return inProtocol("S3", storage, request);
}

async function vectors(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  if (!storage.context.config.storage.vector.enabled) return switchedOff();
  return inProtocol("vector buckets", storage, request);
}

async function inProtocol(
  name: StorageProtocol,
  storage: Storage,
  request: ServiceRequest,
): Promise<ServiceResponse> {
  const protocol = await storage.protocols[name]?.();
  if (!protocol) throw notImplemented(name);
  return (await protocol.handle(storage, request)) ?? noRoute(request);
}

async function dispatch(storage: Storage, request: ServiceRequest): Promise<ServiceResponse> {
  const found = router.match(request.method, request.path);
  // Only a project that transforms images has these routes.
  const { enabled } = storage.context.config.storage.image_transformation;
  if (!found || (request.path.startsWith("/render/") && !enabled)) return noRoute(request);
  const { bucket, key } = found.values;
  return found.handler(storage, request, { bucket: percentDecoded(bucket), key: percentDecoded(key) });
}

/** Paths under a known first segment fail as storage's routes do; others as unknown paths. */
function noRoute(request: ServiceRequest): ServiceResponse {
  const message = `Route ${request.method}:${request.path} not found`;
  const known = KNOWN_WORDS.has(request.path.split("/", 2)[1] ?? "");
  const body = known
    ? { statusCode: "404", error: "Not Found", message, code: "InvalidRequest" }
    : { message, error: "Not Found", statusCode: 404 };
  const type = known ? "application/json" : "application/json; charset=utf-8";
  return jsonResponse(404, body, { "content-type": type });
}

/** Whether folder and database have the same id, or neither has one, as in tests. */
async function filesBelong({ context }: Storage): Promise<boolean> {
  const folder = await readFile(join(context.storageFolder, "database-id"), "utf8").catch(undefinedIfMissing);
  const { rows } = await context.database.query<{ id: string | null }>(
    "supabase_storage_admin",
    "select current_setting('homebase.files', true) as id",
  );
  return (folder?.trim() ?? "") === (rows[0]?.id ?? "");
}

async function sweep(storage: Storage): Promise<void> {
  try {
    if (!(await filesBelong(storage))) {
      storage.context.log.warn("The storage folder belongs to another database: nothing in it is swept.");
      return;
    }
    const { orphans, unfinished } = await storage.files.sweep(rowLookup(storage.context.database));
    await deleteExpiredUploads(storage.files.uploadsFolder, storage.context.clock.now());
    if (orphans + unfinished > 0)
      storage.context.log.info(`Removed ${orphans + unfinished} files that interrupted uploads had left.`);
  } catch (error) {
    storage.context.log.warn("The storage folder could not be swept.", { error: String(error) });
  }
}
