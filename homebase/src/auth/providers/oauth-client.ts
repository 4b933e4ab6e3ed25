/**
 * Owns the requests to a real provider: its authorization URL, the code exchange, and reading the account.
 * Providers with a URL in the configuration (`url`) are real; the local page stands in for the others. OpenID
 * Connect by discovery; GitHub and GitLab by their own APIs.
 */

import { z } from "zod";
import { answerJson, answerText } from "../../http/bounded-answer.ts";
import type { Auth } from "../kit/auth.ts";
import { AuthError, notImplemented, unexpected } from "../kit/errors.ts";
import type { Consent, ProviderAccount } from "../stand-in/provider-accounts.ts";
import { accountOfToken, customClaims } from "./id-token-account.ts";
import { oidcClient } from "./oidc.ts";
import type { CustomProvider, Provider } from "./provider.ts";

/** The message of a failure, for the log. */
const REFUSAL_LIMIT = 64 * 1024;
const TIMEOUT_MS = 10_000;

interface Endpoints {
  authorize: string;
  token: string;
  /** Where the account is read with an access token; undefined when the ID token contains it. */
  api: string | undefined;
}

const tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string().default(""),
  id_token: z.string().optional(),
});

/** The provider's authorization URL, without query. @throws AuthError */
export async function authorizeAddress(auth: Auth, provider: Provider): Promise<string> {
  return (await endpointsOf(auth, provider)).authorize;
}

/** Exchanges the code of a callback for the account. @throws AuthError 500 when the provider rejects it. */
export async function exchangeCode(
  auth: Auth,
  provider: Provider,
  code: string,
  verifier?: string,
): Promise<Consent> {
  const { token, api } = await endpointsOf(auth, provider);
  const answer = await ask(auth, token, "Unable to exchange external code", {
    method: "POST",
    headers: { accept: "application/json" },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code,
      redirect_uri: provider.redirectUri,
      client_id: provider.clientId,
      client_secret: provider.secret,
      ...(verifier ? { code_verifier: verifier } : {}),
    }),
  });
  const parsed = tokens.safeParse(answer);
  if (!parsed.success) throw exchangeFailure(auth, "Unable to exchange external code", parsed.error);
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken } = parsed.data;
  const account =
    api === undefined
      ? await accountOfIdToken(auth, provider, idToken ?? "")
      : await accountByApi(auth, provider, api, accessToken);
  return { account, accessToken, refreshToken };
}

async function accountOfIdToken(auth: Auth, provider: Provider, idToken: string): Promise<ProviderAccount> {
  try {
    const document = provider.custom?.discovery_url ?? undefined;
    const { issuer } = await oidcClient(auth).discover(provider.url, document);
    const claims = await oidcClient(auth).verify(idToken, issuer, document);
    if (!claims.aud.includes(provider.clientId)) throw new Error("The ID token is for another client.");
    return accountOfToken(
      provider.name,
      claims,
      provider.emailOptional,
      provider.custom?.custom_claims_allowlist,
    );
  } catch (error) {
    throw exchangeFailure(auth, "Error getting user profile from external provider", error);
  }
}

const gitHubUser = z.object({
  id: z.number(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
});
const gitHubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
const gitLabUser = z.object({
  id: z.number(),
  username: z.string(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  confirmed_at: z.string().nullish(),
  avatar_url: z.string().nullish(),
});

async function accountByApi(
  auth: Auth,
  provider: Provider,
  api: string,
  accessToken: string,
): Promise<ProviderAccount> {
  const failure = "Error getting user profile from external provider";
  const { custom } = provider;
  const init = { headers: { authorization: `Bearer ${accessToken}`, accept: "application/json" } };
  const profile = await ask(auth, custom ? api : `${api}/user`, failure, init);
  try {
    if (custom) return accountOfUserinfo(provider.name, custom, profile);
    if (provider.name === "gitlab") {
      const user = gitLabUser.parse(profile);
      return {
        provider: provider.name,
        issuer: provider.url,
        sub: String(user.id),
        email: user.email ?? "",
        emailVerified: Boolean(user.confirmed_at),
        name: user.name ?? "",
        userName: user.username,
        avatarUrl: user.avatar_url ?? "",
      };
    }
    const user = gitHubUser.parse(profile);
    const emails = gitHubEmails.parse(await ask(auth, `${api}/user/emails`, failure, init));
    const email = emails.find((one) => one.primary) ?? emails[0];
    return {
      provider: provider.name,
      issuer: api,
      sub: String(user.id),
      email: email?.email ?? "",
      emailVerified: email?.verified ?? false,
      name: user.name ?? "",
      userName: user.login,
      avatarUrl: user.avatar_url ?? "",
    };
  } catch (error) {
    throw error instanceof AuthError ? error : exchangeFailure(auth, failure, error);
  }
}

const userinfo = z.record(z.string(), z.unknown());

/** The claims of a provider without ID tokens, with names mapped as the administrator configured. */
function accountOfUserinfo(provider: string, custom: CustomProvider, profile: unknown): ProviderAccount {
  const raw = userinfo.parse(profile);
  const all: Record<string, unknown> = { ...raw, sub: raw.sub ?? raw.id };
  for (const [name, source] of Object.entries(custom.attribute_mapping)) {
    if (typeof source === "string") all[name] = raw[source];
  }
  const sub = String(all.sub ?? "");
  if (sub === "") throw new Error("The provider tells no id of the account.");
  const claims = { iss: custom.authorization_url ?? "", sub, aud: [], nonce: "", at_hash: "", all };
  return {
    ...accountOfToken(provider, claims, custom.email_optional),
    ...customClaims(raw, custom.custom_claims_allowlist),
  };
}

async function endpointsOf(auth: Auth, provider: Provider): Promise<Endpoints> {
  const { custom } = provider;
  if (custom?.provider_type === "oauth2") {
    return {
      authorize: custom.authorization_url ?? "",
      token: custom.token_url ?? "",
      api: custom.userinfo_url ?? "",
    };
  }
  const base = provider.url.replace(/\/$/, "");
  if (provider.name === "github") {
    const api = base === "https://github.com" ? "https://api.github.com" : `${base}/api/v3`;
    return { authorize: `${base}/login/oauth/authorize`, token: `${base}/login/oauth/access_token`, api };
  }
  if (provider.name === "gitlab") {
    return { authorize: `${base}/oauth/authorize`, token: `${base}/oauth/token`, api: `${base}/api/v4` };
  }
  try {
    const found = await oidcClient(auth).discover(provider.url, custom?.discovery_url ?? undefined);
    return { authorize: found.authorization_endpoint, token: found.token_endpoint, api: undefined };
  } catch (error) {
    auth.context.log.error(`${provider.name} has no OpenID configuration at ${provider.url}.`, {
      error: String(error),
    });
    throw notImplemented(`sign-in by ${provider.name} at an address without OpenID configuration`);
  }
}

/** Parses a JSON response. @throws AuthError 500 with `failure` for anything else. */
async function ask(auth: Auth, address: string, failure: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) {
      const text = await answerText(response, REFUSAL_LIMIT);
      throw new Error(`${address} answers ${response.status}: ${text}`);
    }
    return await answerJson(response);
  } catch (error) {
    throw exchangeFailure(auth, failure, error);
  }
}

function exchangeFailure(auth: Auth, message: string, cause: unknown): AuthError {
  auth.context.log.error(message, { error: String(cause) });
  return unexpected(message);
}
