/** Owns: waiting for the mails and messages of a decision that can still be undone. */
import { dataOf, type serviceClient } from "./http.ts";

const LEAST_WAIT_MS = 100;

/**
 * Waits until the next one may go out, so that it does whatever becomes of the page that decided.
 * @param until no wait ends later (ms since 1970)
 * @returns false where none waits, or only longer
 */
export async function waitForDelivery(
  client: ReturnType<typeof serviceClient>,
  what: "mail" | "push",
  until: number,
): Promise<boolean> {
  const wait = dataOf(await client.rpc("delivery_due_in", { what })) as number | null;
  if (wait === null || Date.now() + wait > until) return false;
  // Another delivery may hold what is due: not asked for again at once.
  await new Promise((resolve) => setTimeout(resolve, Math.max(wait, LEAST_WAIT_MS)));
  return true;
}
