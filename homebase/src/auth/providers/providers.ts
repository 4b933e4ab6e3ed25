/** Owns the sign-in providers in the configuration (docs/compat/auth.md 1 and 5). */
import type { Auth } from "../kit/auth.ts";
import { validationFailed } from "../kit/errors.ts";
import { CUSTOM_PREFIX, customProviderNamed } from "./added-providers.ts";
import type { Provider } from "./provider.ts";

/** Names that upstream knows, besides those of custom providers. */
export const PROVIDERS = [
  "apple",
  "azure",
  "bitbucket",
  "discord",
  "facebook",
  "snapchat",
  "figma",
  "fly",
  "github",
  "gitlab",
  "google",
  "keycloak",
  "kakao",
  "linkedin",
  "linkedin_oidc",
  "notion",
  "spotify",
  "slack",
  "slack_oidc",
  "workos",
  "twitch",
  "twitter",
] as const;

/** The default scopes of the most used providers, as upstream. */
const SCOPES: Record<string, string> = {
  google: "email profile",
  github: "user:email",
  gitlab: "read_user",
  discord: "email identify",
  facebook: "email",
  azure: "openid",
  apple: "email name",
  slack_oidc: "profile email openid",
  linkedin_oidc: "openid email profile",
};

/**
 * A provider from the configuration or one that an administrator added. @throws AuthError as `providerNamed`
 */
export async function findProvider(auth: Auth, given: string, scopes = ""): Promise<Provider> {
  if (given.startsWith(CUSTOM_PREFIX)) return customProviderNamed(auth, given, scopes);
  return providerNamed(auth, given, scopes);
}

/** @throws AuthError validation_failed when it is unknown, disabled or has no secret. */
export function providerNamed(auth: Auth, given: string, scopes = ""): Provider {
  const name = given.toLowerCase();
  const config = auth.config.external[name];
  const known = config !== undefined || name === "zoom" || PROVIDERS.some((one) => one === name);
  if (!known) throw validationFailed(`Unsupported provider: Provider ${given} could not be found`);
  if (!config?.enabled) throw validationFailed("Unsupported provider: provider is not enabled");
  if (config.client_id === "") throw validationFailed("Unsupported provider: missing OAuth client ID");
  if (config.secret === "") throw validationFailed("Unsupported provider: missing OAuth secret");
  const extra = scopes.split(",").map((scope) => scope.trim());
  return {
    name,
    // Apple and Google accept several client ids; the first is the web client's.
    clientId: config.client_id.split(",")[0] ?? "",
    secret: config.secret,
    url: config.url,
    redirectUri: config.redirect_uri || `${auth.settings.issuer}/callback`,
    scope: [SCOPES[name] ?? "openid email profile", ...extra].filter(Boolean).join(" "),
    emailOptional: config.email_optional,
  };
}
