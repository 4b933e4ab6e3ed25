/** Owns: taking the seat that a link offers, or asking for one, with or without an account. Fetches what that needs when it is done. */

/**
 * Says where the seat is. Throws an AppError.
 * @param guestName the name of somebody who is not signed in; null for who is
 */
export async function takeSeat(
  token: string,
  guestName: string | null,
): Promise<{ kind: "plan" | "circle"; target: string }> {
  const [{ signInAsGuest }, { acceptInvite }] = await Promise.all([
    import("../session/mutations.ts"),
    import("./mutations.ts"),
  ]);
  if (guestName !== null) await signInAsGuest(guestName);
  return acceptInvite(token);
}

/** Asks for a seat at a plan, or takes it where the hosts have opened the plan's link. Throws an AppError. */
export async function askForSeat(
  plan: string,
  guestName: string | null,
): Promise<"joined" | "asked" | "refused"> {
  const [{ signInAsGuest }, { askToJoin }] = await Promise.all([
    import("../session/mutations.ts"),
    import("./mutations.ts"),
  ]);
  if (guestName !== null) await signInAsGuest(guestName);
  return askToJoin(plan);
}
