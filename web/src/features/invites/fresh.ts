/**
 * Owns: the invite link created together with a plan, while this page is open. Its token is returned only
 * once.
 */
import { createInvite } from "./mutations.ts";

const links = new Map<string, string>();

/** As private.limits in SQL says: two weeks and twenty people at most. */
export const MOST_DAYS = 14;
export const MOST_USES = 20;

/** The link that was made in this page; undefined where none was. */
export function freshInvite(plan: string): string | undefined {
  return links.get(plan);
}

/** Makes a link into a plan, and remembers it. Throws an AppError. */
export async function makeInvite(plan: string): Promise<string> {
  const address = await createInvite({ kind: "plan", id: plan }, MOST_DAYS, MOST_USES);
  links.set(plan, address);
  return address;
}
