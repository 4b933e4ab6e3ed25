/** Owns the scopes that an application may ask for (OpenID Connect Core 1.0, 5.4). */

const SUPPORTED = new Set(["openid", "profile", "email", "phone"]);

/** What an application asks for when it names no scope. */
export const DEFAULT_SCOPE = "email";

/** The scopes of a text, which separates them by spaces. */
export function scopesOf(text: string): string[] {
  return text.split(" ").filter(Boolean);
}

/** What is wrong with a scope parameter, in upstream's words; undefined for a good one. */
export function scopeFault(text: string): string | undefined {
  const scopes = scopesOf(text);
  if (scopes.length === 0) return "scope parameter cannot be empty";
  const unknown = scopes.find((one) => !SUPPORTED.has(one));
  return unknown === undefined ? undefined : `unsupported scope: ${unknown}`;
}
