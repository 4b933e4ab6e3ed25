/** Owns the API of the consent page: the details of a request, and the user's decision. */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Call, type Transaction, transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import type { AuthEndpoint } from "../../src/auth/kit/endpoint.ts";
import { validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, fields, json } from "../../src/auth/kit/request-fields.ts";
import { requireUser } from "../../src/auth/users/signed-in-caller.ts";
import type { User } from "../../src/auth/users/user.ts";
import {
  type Authorization,
  authorizationMissing,
  pendingAuthorization,
  withParameters,
} from "./authorizations.ts";
import { scopesOf } from "./scopes.ts";

/**
 * GET /oauth/authorizations/{id}: the details of a request. The first user who opens it becomes its user. If
 * the user has already consented to these scopes, the response is the redirect URL. @throws AuthError
 */
export const authorizationDetails: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  refuseForeignPage(auth, request);
  const { user } = await requireUser(auth, request);
  const authorization = await pendingAuthorization(auth, id);
  if (authorization.user_id === null) {
    const code = await transact(auth, request, async (call) => {
      const taken = await call.one(
        "update oauth_authorizations set user_id = $2 where id = $1 and user_id is null returning id",
        [authorization.id, user.row.id],
      );
      if (!taken) throw authorizationMissing();
      const consent = await call.one<{ scopes: string }>(
        "select scopes from oauth_consents where user_id = $1 and client_id = $2 and revoked_at is null",
        [user.row.id, authorization.client_id],
      );
      const granted = new Set(scopesOf(consent?.scopes ?? ""));
      if (!consent || !scopesOf(authorization.scope).every((one) => granted.has(one))) return undefined;
      return approve(call, authorization);
    });
    if (code !== undefined) return json(200, { redirect_url: approvedAddress(authorization, code) });
  } else checkOwner(authorization, user);
  const { client } = authorization;
  return json(200, {
    authorization_id: authorization.authorization_id,
    redirect_uri: authorization.redirect_uri,
    client: clientDetails(client),
    user: { id: user.row.id, ...(user.row.email ? { email: user.row.email } : {}) },
    scope: authorization.scope,
  });
};

const decision = z.object({ action: z.string().default("") });

/** POST /oauth/authorizations/{id}/consent. @throws AuthError */
export const decideConsent: AuthEndpoint<"id"> = async (auth, request, { id }) => {
  refuseForeignPage(auth, request);
  const { user } = await requireUser(auth, request);
  const { action } = await fields(request, decision);
  if (action !== "approve" && action !== "deny") {
    throw validationFailed("action must be 'approve' or 'deny'");
  }
  const authorization = await pendingAuthorization(auth, id);
  checkOwner(authorization, user);
  if (action === "deny") {
    await transact(auth, request, async (call) => {
      await decide(call, authorization, "denied", null, null);
    });
    const { redirect_uri: uri, state } = authorization;
    const refused = { error: "access_denied", error_description: "User denied the request", state };
    return json(200, { redirect_url: withParameters(uri, refused) });
  }
  const code = await transact(auth, request, async (call) => {
    const made = await approve(call, authorization);
    call.enqueue(
      `insert into oauth_consents (id, user_id, client_id, scopes, granted_at) values ($1, $2, $3, $4, $5)
       on conflict (user_id, client_id) do update
         set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null`,
      [randomUUID(), user.row.id, authorization.client_id, scopesOf(authorization.scope).join(" "), call.now],
    );
    return made;
  });
  return json(200, { redirect_url: approvedAddress(authorization, code) });
};

/** A client application as users see it. */
export function clientDetails(client: Authorization["client"]): Record<string, string> {
  return {
    id: client.id,
    ...(client.client_name ? { name: client.client_name } : {}),
    ...(client.client_uri ? { uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
  };
}

function approvedAddress({ redirect_uri: uri, state }: Authorization, code: string): string {
  return withParameters(uri, { code, state });
}

async function approve(call: Call, authorization: Authorization): Promise<string> {
  const code = randomUUID();
  await decide(call, authorization, "approved", code, call.now);
  return code;
}

/** Stores the decision once: of two concurrent decisions, the second is rejected. */
async function decide(
  transaction: Transaction,
  { id }: Authorization,
  status: "approved" | "denied",
  code: string | null,
  at: string | null,
): Promise<void> {
  const decided = await transaction.one(
    `update oauth_authorizations set status = $2, authorization_code = $3, approved_at = $4
     where id = $1 and status = 'pending' returning id`,
    [id, status, code, at],
  );
  if (!decided) throw validationFailed("authorization request is no longer pending");
}

function checkOwner(authorization: Authorization, user: User): void {
  if (authorization.user_id !== user.row.id) throw authorizationMissing();
}

/** Browsers send the Origin of the page: it must be an allowed redirect target. */
function refuseForeignPage(auth: Auth, { headers }: AuthRequest): void {
  const { origin } = headers;
  if (origin && !auth.redirects.allows(origin)) throw validationFailed("unauthorized request origin");
}
