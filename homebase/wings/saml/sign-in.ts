/**
 * Owns the start of a sign-in by an identity provider: POST /sso, and the service provider's metadata
 * (docs/compat/auth.md 1, "SAML"; supabase/auth, internal/api/sso.go).
 */

import { randomUUID } from "node:crypto";
import { z } from "zod";
import { readerOf, transact } from "../../src/auth/kit/as-auth-admin.ts";
import type { Auth } from "../../src/auth/kit/auth.ts";
import { checkChallenge } from "../../src/auth/kit/client-input.ts";
import { notFound, unexpected, validationFailed } from "../../src/auth/kit/errors.ts";
import { type AuthRequest, fields, json, redirect } from "../../src/auth/kit/request-fields.ts";
import { storeSamlFlow } from "../../src/auth/sessions/flow-state.ts";
import { NIL } from "../../src/core/uuid.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { type Connection, findByDomain, findConnection } from "./connections.ts";
import { parseMetadata } from "./metadata.ts";
import { storeRelayState } from "./relay-states.ts";
import type { ServiceProvider } from "./service-provider.ts";

const signInBody = z.object({
  provider_id: z.guid().default(""),
  domain: z.string().default(""),
  redirect_to: z.string().default(""),
  skip_http_redirect: z.boolean().default(false),
  code_challenge: z.string().default(""),
  code_challenge_method: z.string().default(""),
});
/** GET /sso/saml/metadata */
export function serviceMetadata(
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
): ServiceResponse {
  const download = request.query.get("download") === "true";
  return {
    status: 200,
    headers: {
      "content-type": "application/xml",
      "cache-control": "public, max-age=600",
      ...(download ? { "content-disposition": 'attachment; filename="metadata.xml"' } : {}),
    },
    body: provider.metadata(download, auth.context.clock.now()),
  };
}

/**
 * POST /sso: the address of the identity provider, with a signed request.
 * @throws AuthError sso_provider_not_found, sso_provider_disabled, validation_failed
 */
export async function signInBySso(
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
): Promise<ServiceResponse> {
  const given = await fields(request, signInBody);
  const connection = await findRequested(auth, given);
  if (connection.disabled) {
    throw notFound("sso_provider_disabled", "SSO Provider is currently disabled");
  }
  const challenge = checkChallenge(given.code_challenge, given.code_challenge_method);
  const { signOnUrl } = parseMetadata(connection.saml.metadata_xml);
  if (!signOnUrl || !URL.canParse(signOnUrl)) {
    throw unexpected(
      "Error creating SAML Authentication Request: the provider's metadata has no address for HTTP-Redirect",
    );
  }
  const asked = await provider.request(signOnUrl, connection.saml.name_id_format ?? undefined);
  const relayState = randomUUID();
  await transact(auth, request, async (call) => {
    const { now } = call;
    const flowId = challenge ? storeSamlFlow(call, challenge, given.redirect_to, now) : null;
    storeRelayState(call, {
      id: relayState,
      connectionId: connection.id,
      requestId: asked.id,
      redirectTo: given.redirect_to,
      flowId,
      now,
    });
  });
  const url = await asked.url(relayState);
  return given.skip_http_redirect ? json(200, { url }) : redirect(303, url);
}

async function findRequested(
  auth: Auth,
  { provider_id: id, domain }: z.output<typeof signInBody>,
): Promise<Connection> {
  const hasId = id !== "" && id !== NIL;
  if (hasId && domain !== "") throw validationFailed("Only one of provider_id or domain supported");
  if (!hasId && domain === "") throw validationFailed("A provider_id or domain needs to be provided");
  const reader = readerOf(auth.context.database);
  const found = await (hasId ? findConnection(reader, id) : findByDomain(reader, domain));
  if (found) return found;
  throw notFound(
    "sso_provider_not_found",
    hasId ? "No such SSO provider" : "No SSO provider assigned for this domain",
  );
}
