/** Owns the scopes that an application may request (OpenID Connect Core 1.0, 5.4). */

const SUPPORTED = new Set(["openid", "profile", "email", "phone"]);

/** The scopes of a request that names none. */
export const DEFAULT_SCOPE = "email";

/** Splits a scope parameter at its spaces. */
export function scopesOf(text: string): string[] {
  return text.split(" ").filter(Boolean);
}

/** Validates a scope parameter. @returns upstream's error message, or undefined. */
export function scopeFault(text: string): string | undefined {
  const scopes = scopesOf(text);
  if (scopes.length === 0) return "scope parameter cannot be empty";
  const unknown = scopes.find((one) => !SUPPORTED.has(one));
  return unknown === undefined ? undefined : `unsupported scope: ${unknown}`;
}
