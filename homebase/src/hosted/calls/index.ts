/** Owns the list of the Management API's calls that are built: method and path as the API's own document has them. */

import type { CallEntry } from "./call.ts";
import { CONFIGURATION } from "./configuration.ts";
import { DATABASE } from "./database.ts";
import { FUNCTIONS } from "./functions.ts";
import { PROJECT } from "./project.ts";

export type { Call } from "./call.ts";

/** Narrow paths before wide ones. */
export const CALLS: readonly CallEntry[] = [...PROJECT, ...CONFIGURATION, ...DATABASE, ...FUNCTIONS];
