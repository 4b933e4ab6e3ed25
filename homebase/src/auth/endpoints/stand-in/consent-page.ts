/**
 * Owns /homebase/oauth: the local page that stands in for a provider. A developer picks an account or creates
 * one; everything from the returned code on is the real flow. Only for providers that are enabled, only for a
 * sign-in in progress, and only back to the callback.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ServiceResponse } from "../../../http/exchange.ts";
import { isSameOrigin } from "../../../http/origins.ts";
import { ForeignRefused } from "../../../http/secret-rights.ts";
import { read } from "../../kit/as-auth-admin.ts";
import type { Auth } from "../../kit/auth.ts";
import { checkEmail } from "../../kit/client-input.ts";
import type { AuthEndpoint } from "../../kit/endpoint.ts";
import { AuthError, badRequest, validationFailed } from "../../kit/errors.ts";
import { withQuery } from "../../kit/redirect-errors.ts";
import { type AuthRequest, formFields, redirect } from "../../kit/request-fields.ts";
import type { Provider } from "../../providers/provider.ts";
import { findOAuthFlow, isExpired } from "../../sessions/flow-state.ts";
import { consents, type ProviderAccount, subOf } from "../../stand-in/provider-accounts.ts";
import type { Metadata } from "../../users/user.ts";
import { avatarSvg, type Choice, consentHtml, providerTitle } from "./consent-markup.ts";
import { standInProvider } from "./issuer.ts";

const CHOICES = 30;
/** Providers whose accounts have a handle for mentions. */
const WITH_USER_NAME = new Set(["github", "gitlab", "bitbucket", "twitter", "discord", "twitch"]);
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  // Without any referrer browsers send the form's Origin as "null".
  "referrer-policy": "same-origin",
};

/** GET and POST /homebase/oauth/{provider}/authorize */
export const consentPage: AuthEndpoint<"provider"> = async (auth, request, { provider: name }) => {
  const provider = standInProvider(auth, name);
  if (request.foreign?.by === "host") throw new ForeignRefused(request.foreign);
  if (request.method === "POST") requireOwnForm(auth, request);
  await requireSignIn(auth, request, provider);
  return request.method === "POST"
    ? answerForm(auth, request, provider)
    : showPage(auth, request, provider, 200);
};

/** GET /homebase/oauth/avatar */
export function avatar(_auth: Auth, request: AuthRequest): ServiceResponse {
  return {
    status: 200,
    headers: {
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=86400",
      "content-security-policy": "default-src 'none'",
    },
    body: avatarSvg(request.query.get("name") ?? ""),
  };
}

/** Checks that /authorize made the request: its client, its callback, its state. @throws AuthError */
async function requireSignIn(auth: Auth, { query }: AuthRequest, provider: Provider): Promise<void> {
  if (query.get("client_id") !== provider.clientId)
    throw validationFailed("client_id is not the configured one");
  if (query.get("redirect_uri") !== provider.redirectUri) {
    throw validationFailed("redirect_uri is not the configured one");
  }
  const flow = await findOAuthFlow(auth, query.get("state") ?? "");
  if (!flow || flow.provider_type !== provider.name || isExpired(auth, flow)) {
    throw badRequest("bad_oauth_state", "OAuth state not found or expired");
  }
}

type Typed = NonNullable<Parameters<typeof consentHtml>[0]["typed"]>;

async function showPage(
  auth: Auth,
  request: AuthRequest,
  provider: Provider,
  status: number,
  typed?: Typed,
): Promise<ServiceResponse> {
  const [choices, style] = await Promise.all([
    isVisitor(request) ? listChoices(auth, provider.name) : [],
    readFile(join(import.meta.dirname, "page/consent.css"), "utf8"),
  ]);
  const site = URL.canParse(auth.config.site_url) ? new URL(auth.config.site_url).host : auth.config.site_url;
  const page = { provider: provider.name, site, choices, style, typed };
  return { status, headers: { ...PAGE_HEADERS }, body: consentHtml(page) };
}

/** The form signs in, so it must be this page's own. @throws ForeignRefused */
function requireOwnForm(auth: Auth, { headers }: AuthRequest): void {
  const own = URL.canParse(auth.settings.externalUrl) ? new URL(auth.settings.externalUrl).origin : undefined;
  if (isSameOrigin(headers) || (own !== undefined && headers.origin === own)) return;
  throw new ForeignRefused({
    by: "page",
    message: `The sign-in form takes nothing from ${headers.origin ?? "another site"}.`,
    hint: "Open the page that /auth/v1/authorize leads to, and submit its own form.",
  });
}

/** Whether somebody on this machine looks at the page: a script's request, or one from the network, gets no list. */
function isVisitor({ headers, ip }: AuthRequest): boolean {
  // The sign-in begins on the app's page, which may be of another site: its navigation counts as a visit.
  const navigates = headers.origin === undefined && headers["sec-fetch-mode"] === "navigate";
  return (navigates || isSameOrigin(headers)) && (ip === "::1" || ip.startsWith("127."));
}

/** Accounts used before with this provider, then users who have none yet. */
async function listChoices(auth: Auth, provider: string): Promise<Choice[]> {
  const title = providerTitle(provider);
  const rows = await read<{ id: string; known: boolean; email: string | null; data: Metadata | null }>(
    auth.context.database,
    `(select i.id, true as known, i.identity_data ->> 'email' as email, i.identity_data as data
      from identities i where i.provider = $1 order by i.last_sign_in_at desc nulls last limit $2)
     union all
     (select u.id, false, u.email, u.raw_user_meta_data from users u
      where u.email <> '' and u.deleted_at is null and u.is_sso_user = false
        and not exists (select 1 from identities i where i.user_id = u.id and i.provider = $1)
      order by u.last_sign_in_at desc nulls last limit $2)`,
    [provider, CHOICES],
  );
  return rows.map(({ id, known, email, data }) => ({
    value: `${known ? "identity" : "user"}:${id}`,
    name: stringOf(data?.full_name ?? data?.name),
    email: email ?? "",
    note: note(known, data, title),
  }));
}

function note(known: boolean, data: Metadata | null, title: string): string {
  if (!known) return `not on ${title} yet`;
  return data?.email_verified === true ? "" : "unverified";
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

async function answerForm(auth: Auth, request: AuthRequest, provider: Provider): Promise<ServiceResponse> {
  const form = await formFields(request);
  const state = request.query.get("state") ?? "";
  const leave = (members: Record<string, string>) =>
    redirect(302, withQuery(provider.redirectUri, { ...members, state }));
  if (form.has("cancel")) {
    return leave({ error: "access_denied", error_description: "The user denied the request" });
  }
  const picked = form.get("account");
  if (picked !== null) {
    const account = await pickedAccount(auth, provider.name, picked);
    if (!account) throw validationFailed("This account does not exist any more");
    return leave({ code: consents(auth).issue(account) });
  }
  const typed = {
    email: (form.get("email") ?? "").trim(),
    name: (form.get("name") ?? "").trim(),
    verified: form.get("verified") === "true",
  };
  const error = addressError(typed.email, provider.emailOptional);
  if (error) return showPage(auth, request, provider, 400, { ...typed, error });
  return leave({ code: consents(auth).issue(madeUp(auth, provider.name, typed)) });
}

/** The error for a typed address, "" when it is valid. */
function addressError(email: string, optional: boolean): string {
  if (email === "" && optional) return "";
  try {
    checkEmail(email);
    return "";
  } catch (error) {
    if (error instanceof AuthError) return email === "" ? "Type an address." : "This is no e-mail address.";
    throw error;
  }
}

function madeUp(
  auth: Auth,
  provider: string,
  { email, name, verified }: { email: string; name: string; verified: boolean },
): ProviderAccount {
  const userName = email.split("@")[0] ?? "";
  const shown = name || userName;
  return {
    provider,
    sub: subOf(provider, email || name),
    email: email.toLowerCase(),
    emailVerified: verified && email !== "",
    name,
    userName: WITH_USER_NAME.has(provider) ? userName : "",
    avatarUrl: `${auth.settings.externalUrl}/homebase/oauth/avatar?name=${encodeURIComponent(shown)}`,
  };
}

/** The chosen account: an identity with its stored data, or a user's verified address. */
async function pickedAccount(
  auth: Auth,
  provider: string,
  value: string,
): Promise<ProviderAccount | undefined> {
  const [kind, id = ""] = value.split(":");
  const [found] = await read<{ sub: string | null; email: string | null; data: Metadata | null }>(
    auth.context.database,
    kind === "identity"
      ? `select provider_id as sub, identity_data ->> 'email' as email, identity_data as data from identities
         where id::text = $1 and provider = $2`
      : `select null as sub, email, raw_user_meta_data as data from users where id::text = $1 and $2::text <> ''`,
    [id, provider],
  );
  if (!found) return undefined;
  const { data } = found;
  const email = found.email ?? "";
  const verified = kind === "user" || data?.email_verified === true;
  const name = stringOf(data?.full_name ?? data?.name);
  const account = madeUp(auth, provider, { email, name, verified });
  return { ...account, sub: found.sub ?? account.sub };
}
