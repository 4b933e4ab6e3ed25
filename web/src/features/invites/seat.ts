/** Owns: taking the seat that a link offers, with or without an account. Fetches what that needs when it is done. */

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
