/**
 * Owns POST /token?grant_type=id_token: sign-in with an ID token that the app got from a provider
 * (docs/compat/auth.md 1).
 */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { ServiceResponse } from "../../http/exchange.ts";
import { transact } from "../kit/as-auth-admin.ts";
import type { Auth } from "../kit/auth.ts";
import { badRequest, OAuthError, validationFailed } from "../kit/errors.ts";
import { type AuthRequest, fields } from "../kit/request-fields.ts";
import { CUSTOM_PREFIX, findCustomProvider } from "../providers/added-providers.ts";
import { accountOfToken } from "../providers/id-token-account.ts";
import { claimedIssuer, type IdTokenClaims, matchesAccessToken, oidcClient } from "../providers/oidc.ts";
import { signInByAccount } from "../sessions/external-account.ts";
import { beginSession, sessionResponse } from "../sessions/sessions.ts";
import type { ProviderAccount } from "../stand-in/provider-accounts.ts";
import { standInKeys } from "../stand-in/signing-key.ts";
import { requireUser } from "../users/signed-in-caller.ts";

/** Issuers of the providers whose ID tokens are accepted. */
const ISSUERS: Record<string, string> = {
  apple: "https://appleid.apple.com",
  google: "https://accounts.google.com",
  azure: "https://login.microsoftonline.com/common/v2.0",
  facebook: "https://www.facebook.com",
  kakao: "https://kauth.kakao.com",
  keycloak: "",
};
const AZURE_ISSUER = /^https:\/\/login\.microsoftonline\.com\/[^/]+\/v2\.0\/?$/;

const body = z.object({
  id_token: z.string().default(""),
  access_token: z.string().default(""),
  nonce: z.string().default(""),
  provider: z.string().default(""),
  client_id: z.string().default(""),
  issuer: z.string().default(""),
  link_identity: z.boolean().default(false),
});

type Given = z.output<typeof body>;

const invalid = (description: string) => new OAuthError("invalid request", description);

/** Signs in with an ID token. With `link_identity` the account becomes an identity of the caller. */
export async function idTokenGrant(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const given = await fields(request, body);
  if (given.id_token === "") throw invalid("id_token required");
  if (given.provider === "" && (given.client_id === "" || given.issuer === "")) {
    throw invalid("provider or client_id and issuer required");
  }
  const target = given.link_identity ? await linkingTarget(auth, request) : null;
  const { name, config, issuers, document } = given.provider.startsWith(CUSTOM_PREFIX)
    ? await customOf(auth, given.provider)
    : providerOf(auth, given);
  const { claims, account } = await readToken(auth, name, issuers, given, document, config.email_optional);
  if (claims.sub === "") throw invalid("Missing sub claim in id_token");
  const clientIds = config.client_id.split(",").map((id) => id.trim());
  if (!claims.aud.some((audience) => audience !== "" && clientIds.includes(audience))) {
    throw invalid(`Unacceptable audience in id_token: [${claims.aud.join(" ")}]`);
  }
  if (!config.skip_nonce_check) checkNonce(claims.nonce, given.nonce);
  const flow = {
    linking_target_id: target,
    email_optional: config.email_optional,
    invite_token: null,
  };
  const granted = await transact(auth, request, async (call) => {
    const user = await signInByAccount(call, flow, account);
    return beginSession(call, user, "oauth", name);
  });
  return sessionResponse(auth, granted);
}

async function linkingTarget(auth: Auth, request: AuthRequest): Promise<string> {
  if (!request.authorization) {
    throw invalid("Linking requires a valid user access token in Authorization");
  }
  return (await requireUser(auth, request)).user.row.id;
}

/** The provider settings that the verification needs. */
interface Checked {
  name: string;
  config: { client_id: string; skip_nonce_check: boolean; email_optional: boolean };
  issuers: string[];
  /** URL of the discovery document, if not the default one. */
  document?: string;
}

/** A provider that an administrator added. @throws AuthError */
async function customOf(auth: Auth, name: string): Promise<Checked> {
  const row = await findCustomProvider(auth, name);
  if (row?.provider_type !== "oidc") {
    throw validationFailed(`Custom OIDC provider "${name}" not allowed`);
  }
  const issuer = row.issuer ?? "";
  if (!row.enabled) {
    throw badRequest("provider_disabled", `Provider (issuer "${issuer}") is not enabled`);
  }
  const client_id = [row.client_id, ...row.acceptable_client_ids].join(",");
  const { skip_nonce_check, email_optional } = row;
  return {
    name,
    config: { client_id, skip_nonce_check, email_optional },
    issuers: [issuer],
    document: row.discovery_url ?? undefined,
  };
}

/** The requested provider, by name or by issuer, and the accepted issuers. @throws AuthError */
function providerOf(auth: Auth, given: Given): Checked {
  const { external } = auth.config;
  const byIssuer = Object.keys(ISSUERS).find(
    (name) =>
      given.issuer !== "" && issuersOf(auth, name).some((issuer) => isSameIssuer(issuer, given.issuer)),
  );
  const name = Object.hasOwn(ISSUERS, given.provider)
    ? given.provider
    : AZURE_ISSUER.test(given.issuer)
      ? "azure"
      : byIssuer;
  if (name === undefined) throw validationFailed(`Custom OIDC provider "${given.provider}" not allowed`);
  const issuers = issuersOf(auth, name);
  const config = external[name];
  if (!config?.enabled) {
    throw badRequest("provider_disabled", `Provider (issuer "${issuers[0] ?? ""}") is not enabled`);
  }
  return { name, config, issuers };
}

/**
 * A provider's issuer (or the configured URL in its place), and the stand-in's when it replaces the provider.
 */
function issuersOf(auth: Auth, name: string): string[] {
  const url = auth.config.external[name]?.url ?? "";
  const own = url || (ISSUERS[name] ?? "");
  return [own, ...(url === "" ? [standInKeys(auth).issuerOf(name)] : [])].filter(Boolean);
}

function isSameIssuer(left: string, right: string): boolean {
  return left.replace(/\/$/, "") === right.replace(/\/$/, "");
}

async function readToken(
  auth: Auth,
  name: string,
  issuers: readonly string[],
  given: Given,
  document: string | undefined,
  emailOptional: boolean,
): Promise<{ claims: IdTokenClaims; account: ProviderAccount }> {
  const claimed = claimedIssuer(given.id_token);
  const known =
    issuers.some((issuer) => isSameIssuer(issuer, claimed)) ||
    (name === "azure" && AZURE_ISSUER.test(claimed));
  if (!known) throw invalid("Bad ID token");
  try {
    const claims = await oidcClient(auth).verify(given.id_token, claimed, document);
    if (given.access_token !== "" && claims.at_hash !== "") {
      if (!matchesAccessToken(given.id_token, claims.at_hash, given.access_token)) {
        throw new Error("The access token is not the one that the ID token came with.");
      }
    }
    return { claims, account: accountOfToken(name, claims, emailOptional) };
  } catch (error) {
    auth.context.log.info(`An ID token of ${name} was refused.`, { error: String(error) });
    throw invalid("Bad ID token");
  }
}

/** The token contains the hash of a nonce that only the app knows: a stolen token alone is useless. */
function checkNonce(inToken: string, given: string): void {
  if ((inToken === "") !== (given === "")) {
    throw invalid("Passed nonce and nonce in id_token should either both exist or not.");
  }
  if (given === "") return;
  const hash = createHash("sha256").update(given).digest("hex");
  if (hash !== inToken) throw new OAuthError("invalid nonce", "Nonces mismatch");
}
