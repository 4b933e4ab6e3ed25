/**
 * Owns the account that an assertion describes: the person's id and address, and the claims of the
 * connection's attribute mapping (supabase/auth, internal/api/samlacs.go).
 */

import { badRequest, unexpected } from "../../src/auth/kit/errors.ts";
import type { ProviderAccount } from "../../src/auth/stand-in/provider-accounts.ts";
import type { Metadata } from "../../src/auth/users/user.ts";
import type { XmlElement } from "../../src/core/xml.ts";
import { claimsOf, emailOf, userIdOf } from "./assertion.ts";
import type { Connection } from "./connections.ts";

/** Claims of OpenID Connect, and upstream's older ones, which are texts of the user's data. */
const PROFILE_CLAIMS = new Set([
  "name",
  "family_name",
  "given_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "profile",
  "picture",
  "website",
  "gender",
  "birthdate",
  "zoneinfo",
  "locale",
  "updated_at",
  "phone",
  "full_name",
  "avatar_url",
  "slug",
  "provider_id",
  "user_name",
]);
/** Claims that an assertion sets by itself; a mapping of them has no effect. */
const OWN_CLAIMS = new Set(["iss", "sub", "aud", "iat", "exp", "email", "email_verified", "phone_verified"]);

/** @throws AuthError saml_assertion_no_user_id, saml_assertion_no_email, 500 for a claim of the wrong type. */
export function accountOf({ id, saml }: Connection, assertion: XmlElement): ProviderAccount {
  const sub = userIdOf(assertion);
  if (sub === "") {
    throw badRequest(
      "saml_assertion_no_user_id",
      "SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user",
    );
  }
  const claims = claimsOf(assertion, saml.attribute_mapping ?? {});
  const email = typeof claims.email === "string" && claims.email ? claims.email : emailOf(assertion);
  if (email === "") {
    throw badRequest("saml_assertion_no_email", "SAML Assertion does not contain an email address");
  }
  const custom: [string, unknown][] = [];
  const profile: Metadata = { iss: saml.entity_id };
  for (const [name, value] of Object.entries(claims)) {
    if (OWN_CLAIMS.has(name)) continue;
    if (!PROFILE_CLAIMS.has(name)) {
      custom.push([name, value]);
      continue;
    }
    if (typeof value !== "string") {
      throw unexpected("Mapped claims from provider could not be deserialized from JSON");
    }
    profile[name] = value;
  }
  return {
    provider: `sso:${id}`,
    // Only `iss`, without the provider_id that other providers' data have.
    issuer: "",
    sub,
    email,
    emailVerified: true,
    name: "",
    userName: "",
    avatarUrl: "",
    profile,
    ...(custom.length > 0 ? { customClaims: Object.fromEntries(custom) } : {}),
  };
}
