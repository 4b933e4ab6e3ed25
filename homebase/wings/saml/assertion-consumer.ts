/**
 * Owns POST /sso/saml/acs, where browsers bring an identity provider's response: it becomes a session, or a
 * code for one (docs/compat/auth.md 1, "SAML"; supabase/auth, internal/api/samlacs.go). Every error leads back
 * to the site's address.
 */

import { type Call, read, readerOf, transact } from "../../src/auth/kit/as-auth-admin.ts";
import { type Auth, currentTime } from "../../src/auth/kit/auth.ts";
import {
  AuthError,
  notFound,
  notImplemented,
  unexpected,
  validationFailed,
} from "../../src/auth/kit/errors.ts";
import { errorMembers, withQuery } from "../../src/auth/kit/redirect-errors.ts";
import { type AuthRequest, formFields, redirect } from "../../src/auth/kit/request-fields.ts";
import { signInByAccount } from "../../src/auth/sessions/external-account.ts";
import { issueSamlCode } from "../../src/auth/sessions/flow-state.ts";
import { beginSession, withSession } from "../../src/auth/sessions/sessions.ts";
import type { User } from "../../src/auth/users/user.ts";
import { isUuid } from "../../src/core/uuid.ts";
import { parseXml, type XmlElement, XmlError } from "../../src/core/xml.ts";
import type { ServiceResponse } from "../../src/http/exchange.ts";
import { accountOf } from "./account.ts";
import { checkResponse, sessionEndOf } from "./assertion.ts";
import { type Connection, findByEntityId, findConnection } from "./connections.ts";
import { fetchMetadata, type IdentityProvider, isStale, parseMetadata } from "./metadata.ts";
import { takeRelayState, useAssertion } from "./relay-states.ts";
import { issuerOf, ResponseRefused } from "./response.ts";
import type { ServiceProvider } from "./service-provider.ts";
import { RESPONSE_LIMITS } from "./xml.ts";

const SSO_FLOW = { linking_target_id: null, email_optional: false, invite_token: null };
const EXPIRY_WARNING_MS = 30 * 24 * 60 * 60 * 1_000;

/** A response, and the sign-in it belongs to. */
interface Arrival {
  connection: Connection;
  /** The response's XML. */
  text: string;
  /** The request it must answer; undefined when the identity provider started. */
  requestId: string | undefined;
  redirectTo: string;
  flowId: string | null;
}

/** POST /sso/saml/acs */
export async function consumeAssertion(
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
): Promise<ServiceResponse> {
  try {
    const arrival = await readArrival(auth, provider, await formFields(request));
    if (arrival.connection.disabled) {
      throw notFound("sso_provider_disabled", "SSO Provider assigned for this domain is currently disabled");
    }
    return redirect(302, await complete(auth, provider, request, arrival));
  } catch (error) {
    const known = error instanceof AuthError ? error : failed();
    if (known.status >= 500 && known.status !== 501) {
      auth.context.log.error("Sign-in by SAML failed", { id: request.id, error: String(error) });
    }
    return redirect(303, withQuery(auth.redirects.site, errorMembers(known)));
  }
}

const failed = () => unexpected("Unexpected failure, please check server logs for more information");

/** @throws AuthError saml_relay_state_*, saml_idp_not_found, validation_failed */
async function readArrival(auth: Auth, provider: ServiceProvider, form: URLSearchParams): Promise<Arrival> {
  const relayState = form.get("RelayState") ?? "";
  const reader = readerOf(auth.context.database);
  if (isUuid(relayState)) {
    const state = await takeRelayState(auth, relayState, provider.settings.relayStateMs);
    const connection = await findConnection(reader, state.sso_provider_id);
    if (!connection) throw failed();
    return {
      connection,
      text: responseText(form),
      requestId: state.request_id,
      redirectTo: state.redirect_to ?? "",
      flowId: state.flow_state_id,
    };
  }
  if (relayState !== "" && !isUri(relayState)) {
    throw validationFailed("SAML RelayState is not a valid UUID or URL");
  }
  if (form.get("SAMLart")) {
    throw validationFailed("SAML Artifact response can only be used with SP initiated flow");
  }
  const text = responseText(form);
  const connection = await findByEntityId(reader, issuerOf(parseResponse(text)));
  if (!connection) {
    throw notFound(
      "saml_idp_not_found",
      "A SAML connection has not been established with this Identity Provider",
    );
  }
  return { connection, text, requestId: undefined, redirectTo: relayState, flowId: null };
}

/** An absolute URI or path. */
const isUri = (text: string) => text.startsWith("/") || URL.canParse(text);

function responseText(form: URLSearchParams): string {
  if (form.get("SAMLart")) throw notImplemented("SAML's artifact binding");
  const encoded = form.get("SAMLResponse") ?? "";
  if (encoded === "") throw validationFailed("SAMLResponse is missing");
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(encoded)) {
    throw validationFailed("SAMLResponse is not a valid Base64 string");
  }
  return Buffer.from(encoded, "base64").toString("utf8");
}

function parseResponse(text: string): XmlElement {
  try {
    return parseXml(text, RESPONSE_LIMITS);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw validationFailed("SAMLResponse is not a valid XML SAML assertion");
  }
}

/** Verifies the response and signs its user in. @returns where the browser goes. */
async function complete(
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
  arrival: Arrival,
): Promise<string> {
  const { connection, flowId } = arrival;
  const assertion = await verified(auth, provider, request, arrival);
  const account = accountOf(connection, assertion);
  const target = auth.redirects.allows(arrival.redirectTo) ? arrival.redirectTo : auth.redirects.site;
  return transact(auth, request, async (call) => {
    const assertionId = assertion.attributes.get("ID") ?? "";
    await useAssertion(call, connection.id, assertionId, call.now);
    const user = await signInByAccount(call, SSO_FLOW, account);
    if (flowId !== null) {
      return withQuery(target, { code: await issueSamlCode(call, flowId, user.row.id) });
    }
    return implicitSession(call, user, target, sessionEnd(assertion));
  });
}

/** The signed assertion of a response that is meant for this project. @throws AuthError validation_failed */
async function verified(
  auth: Auth,
  provider: ServiceProvider,
  request: AuthRequest,
  { connection, text, requestId }: Arrival,
): Promise<XmlElement> {
  const now = auth.context.clock.now();
  const identityProvider = await currentMetadata(auth, connection);
  try {
    const { envelope, assertion } = await provider.verify(text, identityProvider, now);
    checkResponse(envelope, assertion, {
      issuer: connection.saml.entity_id,
      acsUrl: provider.acsUrl,
      entityId: provider.entityId,
      requestId,
      now,
    });
    return assertion;
  } catch (error) {
    if (!(error instanceof ResponseRefused) && !(error instanceof XmlError)) throw error;
    auth.context.log.warn("A SAML response was refused", {
      id: request.id,
      sso_provider_id: connection.id,
      reason: error.message,
    });
    throw validationFailed("SAML Assertion is not valid");
  }
}

function sessionEnd(assertion: XmlElement): number | undefined {
  try {
    return sessionEndOf(assertion);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw validationFailed("SAML Assertion is not valid");
  }
}

/**
 * The connection's metadata, fetched again when it is stale. A failure to fetch it is logged, and the stored
 * metadata stays in use.
 */
async function currentMetadata(auth: Auth, connection: Connection): Promise<IdentityProvider> {
  const { saml } = connection;
  const present = parseMetadata(saml.metadata_xml);
  const now = auth.context.clock.now();
  const about = { sso_provider_id: connection.id, saml_entity_id: saml.entity_id };
  if (!saml.metadata_url) {
    if (present.validUntil !== undefined && present.validUntil - now < EXPIRY_WARNING_MS) {
      auth.context.log.warn("SAML metadata expires soon; update its metadata_xml", about);
    }
    return present;
  }
  if (!isStale(present, Date.parse(saml.updated_at), now)) return present;
  try {
    const text = await fetchMetadata(saml.metadata_url);
    const fetched = parseMetadata(text);
    if (fetched.entityId !== saml.entity_id) throw validationFailed("Its EntityID has changed.");
    await read(
      auth.context.database,
      "update saml_providers set metadata_xml = $2, updated_at = $3 where sso_provider_id = $1",
      [connection.id, text, currentTime(auth)],
    );
    return fetched;
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    auth.context.log.warn("SAML metadata could not be fetched again", { ...about, reason: error.message });
    return present;
  }
}

/** The tokens of a new session in the fragment of the target. @param end when the provider ends the session. */
async function implicitSession(
  call: Call,
  user: User,
  target: string,
  end: number | undefined,
): Promise<string> {
  const { auth } = call;
  const granted = await beginSession(call, user, "sso/saml");
  if (end !== undefined) {
    call.enqueue("update sessions set not_after = $2 where id = $1", [
      granted.sessionId,
      new Date(end).toISOString(),
    ]);
  }
  return withSession(auth, target.split("#", 1)[0] ?? "", granted);
}
