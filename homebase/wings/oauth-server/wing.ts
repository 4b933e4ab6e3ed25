/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const oauthServer: Wing = {
  name: "oauth-server",
  summary: "Auth as an OAuth 2.1 and OpenID server",
  auth: { "the OAuth server": () => import("./endpoints.ts") },
};
