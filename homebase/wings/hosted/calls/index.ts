/** Owns the list of the implemented Management API calls: method and path as in the API's own document. */

import { BRANCHES } from "./branches.ts";
import type { CallEntry } from "./call.ts";
import { CONFIGURATION } from "./configuration.ts";
import { DATABASE } from "./database.ts";
import { FUNCTIONS } from "./functions.ts";
import { LOGS } from "./logs.ts";
import { PROJECT } from "./project.ts";
import { SSO } from "./sso.ts";

export type { Call } from "./call.ts";

/** Specific paths first. */
export const CALLS: readonly CallEntry[] = [
  ...PROJECT,
  ...BRANCHES,
  ...CONFIGURATION,
  ...DATABASE,
  ...FUNCTIONS,
  ...LOGS,
  ...SSO,
];
