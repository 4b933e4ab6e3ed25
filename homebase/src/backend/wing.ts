/** Owns what a wing adds to a Backend. Everything in it is loaded when first used. */
import type { AuthFeatures } from "../auth/kit/auth.ts";
import type { ServiceName } from "../gateway/routes.ts";
import type { Service } from "../http/exchange.ts";
import type { ServiceContext } from "../service-context.ts";
import type { StorageProtocols } from "../storage/dependencies.ts";

/** What a Backend takes from a wing. */
export interface BackendWing {
  auth?: AuthFeatures;
  storage?: StorageProtocols;
  /** Services of the gateway, by the names of its routes; created by their first request. */
  service?: Partial<Record<ServiceName, (context: ServiceContext) => Promise<Service>>>;
}
