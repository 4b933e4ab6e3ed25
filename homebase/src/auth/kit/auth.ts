/** Owns the dependencies of every Auth stage: the Backend's context and the settings derived from it. */
import type { Config } from "../../config/config.ts";
import type { ServiceResponse } from "../../http/exchange.ts";
import type { ServiceContext } from "../../service-context.ts";
import type { RedirectList } from "./redirect-list.ts";
import type { AuthRequest } from "./request-fields.ts";
import type { RequestLimits } from "./request-limits.ts";
import type { Settings } from "./settings.ts";

/** A feature of Auth that a wing brings, as the sentence of a 501 names it. */
export type AuthFeature = "SAML" | "the OAuth server" | "wallets";

export interface LoadedFeature {
  endpoint(auth: Auth, request: AuthRequest): ServiceResponse | Promise<ServiceResponse>;
  /** Checks the settings; called by the start where the feature is on. @throws ConfigError */
  prepare?: (auth: Auth) => void;
}

/** Loaded by a feature's first request. */
export type AuthFeatures = Partial<Record<AuthFeature, () => Promise<LoadedFeature>>>;

/** The Backend's context and the settings derived from it; passed to every Auth stage. */
export interface Auth {
  readonly context: ServiceContext;
  readonly config: Config["auth"];
  readonly settings: Settings;
  readonly redirects: RedirectList;
  readonly requestLimits: RequestLimits;
  readonly features: AuthFeatures;
}

/**
 * A value that each Auth has one of (its limits, its keys, its connections): made when first asked for, so that the
 * rooms below need not know it.
 */
export function perAuth<T>(make: (auth: Auth) => T): (auth: Auth) => T {
  const made = new WeakMap<Auth, T>();
  return (auth) => {
    if (!made.has(auth)) made.set(auth, make(auth));
    return made.get(auth) as T;
  };
}

/** The Backend's current time in the format of the tables. */
export function currentTime(auth: Auth): string {
  return new Date(auth.context.clock.now()).toISOString();
}
