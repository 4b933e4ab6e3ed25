/** Owns: taking the seat that a link offers, or asking for one, with or without an account. Fetches what that needs when it is done. */
import type { Link } from "./preview.ts";

/**
 * Says where the seat is. Throws an AppError.
 * @param guestName the name of somebody who is not signed in; null for who is
 */
export async function takeSeat(
  token: string,
  guestName: string | null,
): Promise<{ kind: "plan" | "circle"; target: string }> {
  const { acceptInvite } = await signedInAs(guestName);
  return acceptInvite(token);
}

/** Asks for a seat at a plan, or takes it where the hosts have opened the plan's link. Throws an AppError. */
export async function askForSeat(
  plan: string,
  guestName: string | null,
): Promise<"joined" | "asked" | "refused"> {
  const { askToJoin } = await signedInAs(guestName);
  return askToJoin(plan);
}

/** Asks for the seat of the guest who has the name; answers the plan's id. Throws an AppError. */
export async function askForOwnSeat(link: Link, guestName: string | null): Promise<string> {
  const mutations = await signedInAs(guestName);
  return mutations.askForOwnSeat(link);
}

/** Signs in a guest, and fetches the mutations of invites. */
async function signedInAs(guestName: string | null) {
  const [{ signInAsGuest }, mutations] = await Promise.all([
    import("../session/mutations.ts"),
    import("./mutations.ts"),
  ]);
  if (guestName !== null) await signInAsGuest(guestName);
  return mutations;
}
