/** Owns what the core sees of this wing. */
import type { Wing } from "../../src/cli/wing.ts";

export const saml: Wing = {
  name: "saml",
  summary: "sign-in by SAML: identity providers, metadata, assertions",
  auth: { SAML: () => import("./endpoints.ts") },
};
