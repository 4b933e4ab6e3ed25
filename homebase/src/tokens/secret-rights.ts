/**
 * Owns recognising tokens whose rights row level security does not limit. Signatures are not verified here:
 * the target service rejects a forged token.
 */

/** `service_role`, and the roles that own the database or administer a service. */
const SECRET_ROLE = /^(?:service_role|postgres|authenticator|dashboard_user|supabase_.*|pg_.*)$/;
const MOST_REMEMBERED = 1_000;
const known = new Map<string, boolean>();

/** Whether a token's claims name a role with secret rights. False for a text that is not a token. */
export function hasSecretRights(token: string): boolean {
  const before = known.get(token);
  if (before !== undefined) return before;
  const answer = SECRET_ROLE.test(roleOf(token));
  if (known.size >= MOST_REMEMBERED) known.clear();
  known.set(token, answer);
  return answer;
}

function roleOf(token: string): string {
  const payload = token.split(".")[1];
  if (!payload) return "";
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const { role } = (claims ?? {}) as { role?: unknown };
    return typeof role === "string" ? role : "";
  } catch {
    return "";
  }
}
