/** Owns what a wing adds to a developer's stack. */

import type { Backend } from "../backend/backend.ts";
import type { OpenInbox } from "../backend/inbox.ts";
import type { BackendWing } from "../backend/wing.ts";
import type { ServiceName } from "../gateway/routes.ts";
import type { Service } from "../http/exchange.ts";

/** A running developer's stack, as the parts see it that open with it. */
export interface DeveloperStart {
  backend: Backend;
  inbox: OpenInbox;
  /** The right of this start, for `/mcp`. */
  token: string;
  /** The file of the stack's log. */
  logPath: string;
  /** The package's version. */
  version: string;
}

/** What a developer's stack takes from a wing, besides. */
export interface StackWing extends BackendWing {
  /** Services of the gateway that only `homebase start` has, created by their first request. */
  stack?: Partial<Record<ServiceName, (start: DeveloperStart) => Promise<Service>>>;
}
