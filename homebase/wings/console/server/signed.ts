/** Owns tokens that the console makes for a request: the page never has one. */
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";

/** A token is for one request, and ends soon after the longest one. */
const TOKEN_SECONDS = 300;

export function signed(
  { keys, clock }: Pick<DeveloperStart["backend"], "keys" | "clock">,
  claims: Record<string, unknown> | undefined,
): Promise<string> {
  const now = Math.floor(clock.now() / 1_000);
  return keys.sign({ ...claims, iat: now, exp: now + TOKEN_SECONDS });
}
