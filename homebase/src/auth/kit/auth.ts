/** Owns the dependencies of every Auth stage: the Backend's context and the settings derived from it. */
import type { Config } from "../../config/config.ts";
import type { ServiceContext } from "../../service-context.ts";
import type { RedirectList } from "./redirect-list.ts";
import type { RequestLimits } from "./request-limits.ts";
import type { Settings } from "./settings.ts";

/** The Backend's context and the settings derived from it; passed to every Auth stage. */
export interface Auth {
  readonly context: ServiceContext;
  readonly config: Config["auth"];
  readonly settings: Settings;
  readonly redirects: RedirectList;
  readonly requestLimits: RequestLimits;
}

/**
 * What a room keeps for one Auth (its limits, its keys, its connections): made when first asked for, so that the
 * rooms below need not know it.
 */
export function kept<T>(make: (auth: Auth) => T): (auth: Auth) => T {
  const made = new WeakMap<Auth, { part: T }>();
  return (auth) => {
    let present = made.get(auth);
    if (!present) {
      present = { part: make(auth) };
      made.set(auth, present);
    }
    return present.part;
  };
}

/** The Backend's current time in the format of the tables. */
export function currentTime(auth: Auth): string {
  return new Date(auth.context.clock.now()).toISOString();
}
