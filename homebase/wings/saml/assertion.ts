/**
 * Owns reading a verified assertion: whether it is for this project and this request, whom it is about, and
 * what it says about them (SAML 2.0 Core 2, Profiles 4.1.4; supabase/auth, internal/api/samlassertion.go).
 */

import type { Metadata } from "../../src/auth/users/user.ts";
import type { XmlElement } from "../../src/core/xml.ts";
import { type Envelope, ResponseRefused } from "./response.ts";
import { ASSERTION, childOf, childrenOf, instantOf } from "./xml.ts";

const BEARER = "urn:oasis:names:tc:SAML:2.0:cm:bearer";
const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
const EMAIL_ADDRESS = "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress";
const TRANSIENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:transient";
const SUBJECT_ID = "urn:oasis:names:tc:SAML:attribute:subject-id";
/** The attributes that hold an address, by the habits of identity providers. */
const EMAIL_ATTRIBUTES = [
  "urn:oid:0.9.2342.19200300.100.1.3",
  "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
  "http://schemas.xmlsoap.org/claims/EmailAddress",
  "mail",
  "Mail",
  "email",
];
/** How old an assertion may be on arrival, and how far the clocks may differ; upstream's values. */
const MAX_AGE_MS = 90_000;
const SKEW_MS = 180_000;

/** What a response must be for. */
export interface Expectation {
  /** The identity provider. */
  issuer: string;
  acsUrl: string;
  entityId: string;
  /** The request it answers; undefined when the identity provider started the sign-in. */
  requestId: string | undefined;
  /** Milliseconds. */
  now: number;
}

/** A mapping of attributes to claims, as administrators write it. */
export interface AttributeMapping {
  keys?: Record<string, AttributeRule>;
}
export interface AttributeRule {
  name?: string;
  names?: string[];
  default?: unknown;
  array?: boolean;
}

/** @throws ResponseRefused when the response is too old, or for another place or request. */
export function checkResponse(envelope: Envelope, assertion: XmlElement, expected: Expectation): void {
  const { issuer, acsUrl, now } = expected;
  if (envelope.status !== SUCCESS) throw new ResponseRefused(`The provider's status is ${envelope.status}.`);
  if (envelope.issuer !== undefined && envelope.issuer !== issuer) {
    throw new ResponseRefused("The response is another provider's.");
  }
  if ((envelope.signed || envelope.destination !== undefined) && envelope.destination !== acsUrl) {
    throw new ResponseRefused(`The response's destination is ${envelope.destination}.`);
  }
  checkRequest(envelope.inResponseTo, expected);
  checkAge(envelope.issuedAt, now);
  if (assertion.namespace !== ASSERTION || assertion.name !== "Assertion") {
    throw new ResponseRefused("Not an assertion.");
  }
  if (!assertion.attributes.get("ID")) throw new ResponseRefused("The assertion has no id.");
  if (childOf(assertion, ASSERTION, "Issuer")?.text.trim() !== issuer) {
    throw new ResponseRefused("The assertion is another provider's.");
  }
  checkAge(instantOf(assertion.attributes.get("IssueInstant") ?? ""), now);
  checkConditions(assertion, expected);
  checkConfirmations(assertion, expected);
}

/** The answer to a request names it; an answer to no request must not name one (Profiles 4.1.5). */
function checkRequest(inResponseTo: string | undefined, { requestId }: Expectation): void {
  if (inResponseTo === requestId) return;
  throw new ResponseRefused(
    requestId === undefined
      ? "The response answers a request, but arrived without that request's RelayState."
      : "The response answers another request.",
  );
}

function checkAge(issuedAt: number, now: number): void {
  if (issuedAt + MAX_AGE_MS < now) throw new ResponseRefused("The response was issued too long ago.");
  if (issuedAt - SKEW_MS > now) throw new ResponseRefused("The response was issued in the future.");
}

function checkConditions(assertion: XmlElement, { entityId, now }: Expectation): void {
  const [conditions, ...more] = childrenOf(assertion, ASSERTION, "Conditions");
  if (!conditions || more.length > 0)
    throw new ResponseRefused("The assertion has not one set of conditions.");
  checkPeriod(conditions, now, "The conditions");
  const restrictions = childrenOf(conditions, ASSERTION, "AudienceRestriction");
  const meant = restrictions.every((restriction) =>
    childrenOf(restriction, ASSERTION, "Audience").some(({ text }) => text.trim() === entityId),
  );
  if (restrictions.length === 0 || !meant)
    throw new ResponseRefused("The assertion is for another audience.");
}

function checkConfirmations(assertion: XmlElement, expected: Expectation): void {
  const subject = childOf(assertion, ASSERTION, "Subject");
  const confirmations = (subject ? childrenOf(subject, ASSERTION, "SubjectConfirmation") : []).filter(
    (confirmation) => confirmation.attributes.get("Method") === BEARER,
  );
  if (confirmations.length === 0) throw new ResponseRefused("The assertion has no bearer confirmation.");
  for (const confirmation of confirmations) {
    const data = childOf(confirmation, ASSERTION, "SubjectConfirmationData");
    if (!data) throw new ResponseRefused("The confirmation has no data.");
    if (data.attributes.get("Recipient") !== expected.acsUrl) {
      throw new ResponseRefused("The confirmation is for another recipient.");
    }
    checkRequest(data.attributes.get("InResponseTo") || undefined, expected);
    checkPeriod(data, expected.now, "The confirmation's data");
  }
}

/** NotOnOrAfter is required, as SAML requires it of a bearer's assertion. */
function checkPeriod({ attributes }: XmlElement, now: number, what: string): void {
  const notBefore = attributes.get("NotBefore");
  const notOnOrAfter = attributes.get("NotOnOrAfter");
  if (notBefore && instantOf(notBefore) - SKEW_MS > now)
    throw new ResponseRefused(`${what} are not valid yet.`);
  if (!notOnOrAfter) throw new ResponseRefused(`${what} have no end.`);
  if (instantOf(notOnOrAfter) + SKEW_MS <= now) throw new ResponseRefused(`${what} are expired.`);
}

/** The values of an attribute, by its name or its friendly name. */
function valuesOf(assertion: XmlElement, name: string): string[] {
  return childrenOf(assertion, ASSERTION, "AttributeStatement")
    .flatMap((statement) => childrenOf(statement, ASSERTION, "Attribute"))
    .filter(({ attributes }) => attributes.get("Name") === name || attributes.get("FriendlyName") === name)
    .flatMap((attribute) => childrenOf(attribute, ASSERTION, "AttributeValue"))
    .map(({ text }) => text);
}

const nameIdOf = (assertion: XmlElement) =>
  childOf(childOf(assertion, ASSERTION, "Subject"), ASSERTION, "NameID");

/** The user's lasting id at the provider: the attribute subject-id, else the NameID; "" without either. */
export function userIdOf(assertion: XmlElement): string {
  const [subjectId] = valuesOf(assertion, SUBJECT_ID);
  if (subjectId !== undefined) return subjectId;
  const nameId = nameIdOf(assertion);
  const format = nameId?.attributes.get("Format");
  if (!nameId || format === TRANSIENT) return "";
  return format === EMAIL_ADDRESS ? nameId.text.trim().toLowerCase() : nameId.text;
}

/** The user's address: an attribute that usually holds it, else a NameID that is one; "" without either. */
export function emailOf(assertion: XmlElement): string {
  for (const name of EMAIL_ATTRIBUTES) {
    const found = valuesOf(assertion, name).find((value) => value !== "");
    if (found !== undefined) return found;
  }
  const nameId = nameIdOf(assertion);
  return nameId?.attributes.get("Format") === EMAIL_ADDRESS ? nameId.text.trim() : "";
}

/** The claims that a mapping makes of the attributes. */
export function claimsOf(assertion: XmlElement, mapping: AttributeMapping): Metadata {
  const claims: [string, unknown][] = [];
  for (const [key, rule] of Object.entries(mapping.keys ?? {})) {
    const values = [rule.name ?? "", ...(rule.names ?? [])]
      .filter(Boolean)
      .map((name) => valuesOf(assertion, name).filter((value) => value !== ""))
      .find((found) => found.length > 0);
    if (values) claims.push([key, rule.array ? values : values[0]]);
    else if (rule.default !== undefined && rule.default !== null) claims.push([key, rule.default]);
  }
  return Object.fromEntries(claims);
}

/** When the provider ends the session, in milliseconds; undefined when it does not say. */
export function sessionEndOf(assertion: XmlElement): number | undefined {
  for (const statement of childrenOf(assertion, ASSERTION, "AuthnStatement")) {
    const end = statement.attributes.get("SessionNotOnOrAfter");
    if (end) return instantOf(end);
  }
  return undefined;
}
