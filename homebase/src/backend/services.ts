/** Owns the list of services and how each is created; modules are loaded when a Backend opens. */
import type { ServiceName } from "../gateway/routes.ts";
import { jsonResponse, type Service } from "../http/exchange.ts";
import type { ServiceContext } from "../service-context.ts";

type Loader = (context: ServiceContext) => Promise<Service>;

/** In order of priority. */
export const loaders: Record<ServiceName, Loader> = {
  rest: async (context) => (await import("../rest/service.ts")).createRestService(context),
  auth: async (context) => (await import("../auth/service.ts")).createAuthService(context),
  storage: async (context) => (await import("../storage/service.ts")).createStorageService(context),
  realtime: async (context) => (await import("../realtime/service.ts")).createRealtimeService(context),
  functions: async (context) => (await import("../functions/service.ts")).createFunctionsService(context),
};

/** Loads the services' code without starting any: free while Postgres starts. */
export async function preloadServices(): Promise<void> {
  await Promise.all([
    import("../rest/service.ts"),
    import("../auth/service.ts"),
    import("../storage/service.ts"),
    import("../realtime/service.ts"),
    import("../functions/service.ts"),
  ]);
}

/** Whether the configuration enables a service. */
export function enabled(name: ServiceName, { config }: ServiceContext): boolean {
  switch (name) {
    case "rest":
      return config.api.enabled;
    case "functions":
      return config.edge_runtime.enabled;
    default:
      return config[name].enabled;
  }
}

/** The response of a service that config.toml disables. */
export function disabled(name: ServiceName): Service {
  return {
    handle: async () =>
      jsonResponse(503, { message: `The ${name} service is disabled in supabase/config.toml.` }),
    close: async () => {},
  };
}
