/**
 * Owns the paths of PostgREST's admin server: on the admin port of `homebase rest`, and under `/rest-admin/v1/` of
 * a Backend (PostgREST documentation, "Admin Server").
 */
import type { Service, ServiceResponse } from "../../http/exchange.ts";
import { Router } from "../../http/router.ts";
import type { RestService } from "../service.ts";
import { dumpSchema } from "./schema-dump.ts";

export interface AdminOptions {
  service: RestService;
  /** Whether the API's address responds. */
  listening(): boolean;
  /** Whether the database is reachable. */
  connected(): Promise<boolean>;
  /** Prometheus's text. */
  metrics(): string;
}

type Answer = () => ServiceResponse | Promise<ServiceResponse>;

/** Prometheus rejects a response without a content type. */
const METRICS_HEADERS = { "content-type": "text/plain; charset=utf-8" };

/** Responds to a request's method and path. */
export function adminPaths({
  service,
  listening,
  connected,
  metrics,
}: AdminOptions): (request: { method: string; path: string }) => Promise<ServiceResponse> {
  const ready = async () => {
    if (!service.ready || !(await connected())) return 503;
    return listening() ? 200 : 500;
  };
  const router = new Router<Answer>([
    ["*", "/live", () => ({ ...text(""), status: listening() ? 200 : 500 })],
    ["*", "/ready", async () => ({ ...text(""), status: await ready() })],
    ["*", "/schema_cache", () => text(service.cache ? dumpSchema(service.cache) : "")],
    ["*", "/metrics", () => ({ ...text(metrics()), headers: { ...METRICS_HEADERS } })],
  ]);
  return async ({ method, path }) =>
    (await router.match(method, path)?.handler()) ?? { status: 404, headers: {}, body: "" };
}

/** The admin paths of a Backend's REST service, which listens for changes of the schema. */
export function createRestAdminService(service: RestService): Service {
  const handle = adminPaths({
    service,
    listening: () => true,
    connected: async () => true,
    metrics: () => service.metrics(),
  });
  return { handle, close: async () => {} };
}

function text(body: string): ServiceResponse {
  return { status: 200, headers: {}, body };
}
