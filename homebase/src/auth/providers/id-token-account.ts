/**
 * Owns reading an account from an ID token: claims differ slightly between providers (docs/compat/auth.md 2,
 * "OAuth").
 */

import type { ProviderAccount } from "../stand-in/provider-accounts.ts";
import type { Metadata } from "../users/user.ts";
import type { IdTokenClaims } from "./oidc.ts";

/** Standard claims that are read for providers without special rules (OpenID Connect Core 5.1). */
const PASSED_ON = [
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
  "full_name",
  "avatar_url",
  "slug",
  "user_name",
] as const;

/**
 * The account of a verified token.
 * @param kept claims of a provider of the administrator's that become `custom_claims`, as they are.
 * @throws when a provider that must supply an address does not.
 */
export function accountOfToken(
  provider: string,
  { iss, sub, all }: IdTokenClaims,
  emailOptional = false,
  kept: readonly string[] = [],
): ProviderAccount {
  const text = (name: string) => (typeof all[name] === "string" ? all[name] : "");
  const email = text("email").toLowerCase();
  const account = {
    provider,
    issuer: iss,
    sub,
    email,
    emailVerified: isTrue(all.email_verified),
    name: "",
    userName: "",
    avatarUrl: "",
  };
  switch (provider) {
    case "google":
      return {
        ...account,
        emailVerified: isTrue(all.email_verified) || isTrue(all.verified_email),
        name: text("name"),
        avatarUrl: text("picture"),
        ...customClaims(all, ["hd"]),
      };
    case "apple":
      // Apple supplies only verified addresses, and no names.
      return { ...account, emailVerified: true, ...customClaims(all, ["is_private_email", "auth_time"]) };
    case "kakao":
      return {
        ...account,
        emailVerified: true,
        profile: {
          name: text("nickname"),
          preferred_username: text("nickname"),
          picture: text("picture"),
        },
      };
    case "azure":
      // A separate claim says whether the domain's owner has verified the address.
      return {
        ...account,
        emailVerified: isTrue(all.xms_edov),
        profile: { name: text("name"), preferred_username: text("preferred_username") },
        ...customClaims(all, ["oid", "tid", "acct", "upn"]),
      };
    default: {
      if (email === "" && !emailOptional) throw new Error(`The ID token of ${iss} tells no address.`);
      const profile: Metadata = {};
      for (const name of PASSED_ON) if (all[name] !== undefined) profile[name] = all[name];
      return { ...account, profile, ...customClaims(all, kept) };
    }
  }
}

/** Of these claims those that there are. */
export function customClaims(all: Metadata, names: readonly string[]): { customClaims?: Metadata } {
  const present = names.filter((name) => all[name] !== undefined);
  return present.length === 0
    ? {}
    : { customClaims: Object.fromEntries(present.map((name) => [name, all[name]])) };
}

/** Some providers send booleans as text or numbers. */
function isTrue(value: unknown): boolean {
  return value === true || value === "true" || value === 1 || value === "1";
}
