/** Owns /user/oauth/grants: listing and revoking the applications that a user has authorized. */

import { read, transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { notFound, validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, json } from "../../src/auth/kit/request-fields.ts";
import { audit } from "../../src/auth/users/audit-record.ts";
import { requireUser } from "../../src/auth/users/signed-in-caller.ts";
import { type Instant, rfc3339 } from "../../src/auth/users/user.ts";
import { isUuid } from "../../src/core/uuid.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import type { Authorization } from "./authorizations.ts";
import { clientDetails } from "./consent.ts";
import { scopesOf } from "./scopes.ts";

/** GET /user/oauth/grants. @throws AuthError */
export async function listGrants(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await requireUser(auth, request);
  const rows = await read<{ client: Authorization["client"]; scopes: string; granted: Instant }>(
    auth.context.database,
    `select to_jsonb(c) as client, g.scopes, to_jsonb(g) ->> 'granted_at' as granted
     from oauth_consents g join oauth_clients c on c.id = g.client_id and c.deleted_at is null
     where g.user_id = $1 and g.revoked_at is null order by g.granted_at desc`,
    [user.row.id],
  );
  return json(
    200,
    rows.map(({ client, scopes, granted }) => ({
      client: clientDetails(client),
      scopes: scopesOf(scopes),
      granted_at: rfc3339(granted),
    })),
  );
}

/**
 * DELETE /user/oauth/grants?client_id=: also ends the application's sessions for the user. @throws AuthError
 */
export async function revokeGrant(auth: Auth, request: AuthRequest): Promise<ServiceResponse> {
  const { user } = await requireUser(auth, request);
  const client = request.query.get("client_id") ?? "";
  if (client === "") throw validationFailed("client_id query parameter is required");
  if (!isUuid(client)) throw validationFailed("invalid client_id format");
  await transact(auth, request, async (call) => {
    const revoked = await call.one(
      `update oauth_consents set revoked_at = greatest(granted_at, $3::timestamptz)
       where user_id = $1 and client_id = $2 and revoked_at is null returning id`,
      [user.row.id, client, call.now],
    );
    if (!revoked) throw notFound("oauth_consent_not_found", "No active grant found for this client");
    call.enqueue("delete from sessions where user_id = $1 and oauth_client_id = $2", [user.row.id, client]);
    const traits = { action: "revoke_oauth_grant", oauth_client_id: client };
    audit(call, "token_revoked", user, traits);
  });
  return { status: 204, headers: {}, body: "" };
}
