/** Owns: waiting for the mails and messages of a decision that can still be undone. */
import { dataOf, type serviceClient } from "./http.ts";

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
  await new Promise((resolve) => setTimeout(resolve, Math.max(wait, 0)));
  return true;
}
