/** Owns the list of wings. Deleting a folder and its two lines here leaves a stack that works without it. */
import type { Wing } from "../src/cli/wing.ts";
import { consoleWing } from "./console/wing.ts";
import { copy } from "./copy/wing.ts";
import { deploy } from "./deploy/wing.ts";
import { hosted } from "./hosted/wing.ts";
import { inspect } from "./inspect/wing.ts";
import { mcp } from "./mcp/wing.ts";
import { meta } from "./meta/wing.ts";
import { oauthServer } from "./oauth-server/wing.ts";
import { policies } from "./policies/wing.ts";
import { restServer } from "./rest-server/wing.ts";
import { s3 } from "./s3/wing.ts";
import { saml } from "./saml/wing.ts";
import { snapshots } from "./snapshots/wing.ts";
import { vectors } from "./vectors/wing.ts";
import { wallets } from "./wallets/wing.ts";

/** In the order of the commands in the overview. */
export const wings: readonly Wing[] = [
  consoleWing,
  mcp,
  snapshots,
  inspect,
  policies,
  copy,
  deploy,
  hosted,
  restServer,
  meta,
  saml,
  oauthServer,
  wallets,
  s3,
  vectors,
];
