/** Owns the list of services and how each is created; modules are loaded when a Backend opens. */
import { NO_ROUTE, type ServiceName } from "../gateway/routes.ts";
import { jsonResponse, type Service } from "../http/exchange.ts";
import type { RestService } from "../rest/service.ts";
import type { ServiceContext } from "../service-context.ts";
import type { BackendWing } from "./wing.ts";

/** @param rest the REST service, which is created first; not to be used when configuration disables it. */
export type Loader = (context: ServiceContext, rest: Promise<Service> | undefined) => Promise<Service>;

/** The services with the parts that wings bring; without its line a service responds 501. */
export function loadersWith(wings: readonly BackendWing[]): Partial<Record<ServiceName, Loader>> {
  const features = Object.assign({}, ...wings.map(({ auth }) => auth));
  const protocols = Object.assign({}, ...wings.map(({ storage }) => storage));
  const brought = wings.flatMap(({ service = {} }) => Object.entries(service));
  return {
    rest: async (context) => (await import("../rest/service.ts")).createRestService(context),
    "rest-admin": async (_context, rest) =>
      (await import("../rest/admin/admin.ts")).createRestAdminService((await rest) as RestService),
    auth: async (context) => (await import("../auth/service.ts")).createAuthService(context, features),
    storage: async (context) =>
      (await import("../storage/service.ts")).createStorageService(context, protocols),
    realtime: async (context) => (await import("../realtime/service.ts")).createRealtimeService(context),
    functions: async (context) => (await import("../functions/service.ts")).createFunctionsService(context),
    ...Object.fromEntries(
      brought.map(([name, create]) => [
        name,
        async (context: ServiceContext) => onFirstRequest(() => create(context)),
      ]),
    ),
  };
}

/**
 * Loads the services' code without starting any: free while Postgres starts. One after the other, because Jest cannot
 * link modules for which several imports ask at once.
 */
export async function preloadServices(): Promise<void> {
  await import("../rest/service.ts");
  await import("../auth/service.ts");
  await import("../storage/service.ts");
  await import("../realtime/service.ts");
  await import("../functions/service.ts");
  await import("../rest/admin/admin.ts");
}

/** A service that few use: its code is loaded by the first request, not by every start. */
export function onFirstRequest(create: () => Promise<Service>): Service {
  let service: Promise<Service> | undefined;
  return {
    handle: async (request) => {
      service ??= create();
      return (await service).handle(request);
    },
    close: async () => (await service)?.close(),
  };
}

/** Whether the configuration enables a service. */
export function enabled(name: ServiceName, { config }: ServiceContext): boolean {
  switch (name) {
    case "rest":
    case "rest-admin":
      return config.api.enabled;
    case "meta":
    case "mcp":
      // The CLI starts postgres-meta together with Studio, which has the MCP server.
      return config.studio.enabled;
    case "functions":
      return config.edge_runtime.enabled;
    default:
      return config[name].enabled;
  }
}

const TITLES: Partial<Record<ServiceName, string>> = {
  "rest-admin": "rest",
  meta: "database API",
  mcp: "MCP",
};

/** The response where there is no such service, as for any unknown path. */
export const notServed: Service = {
  handle: async () => jsonResponse(404, NO_ROUTE),
  close: async () => {},
};

/** The response of a service without a loader. */
export function notBuilt(name: ServiceName): Service {
  return {
    handle: async () =>
      jsonResponse(501, { message: `This Homebase is built without the ${TITLES[name] ?? name}.` }),
    close: async () => {},
  };
}

/** The response of a service that the configuration disables. */
export function disabled(name: ServiceName, file: string): Service {
  return {
    handle: async () =>
      jsonResponse(503, {
        message: `The ${TITLES[name] ?? name} service is disabled in supabase/${file}.`,
      }),
    close: async () => {},
  };
}
