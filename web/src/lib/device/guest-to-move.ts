/**
 * Owns: which guest of this device is to move into an account, from the refused address until the move. It is kept for
 * the tab alone: whoever has the token can act as the guest.
 */
import * as z from "zod/mini";

const KEY = "nosh.guest-to-move";

const schema = z.object({
  /** Of the guest's personal link. */
  token: z.string(),
  guest: z.uuid(),
  /** The address of the account that the person wants. */
  email: z.string(),
});
export type GuestToMove = z.infer<typeof schema>;

/** The same without storage: a browser that allows none moves the guest as long as the page is open. */
let memory: GuestToMove | null = null;

export function guestToMove(): GuestToMove | null {
  try {
    const kept = sessionStorage.getItem(KEY);
    return kept === null ? memory : (schema.safeParse(JSON.parse(kept)).data ?? null);
  } catch {
    return memory;
  }
}

export function keepGuestToMove(guest: GuestToMove | null): void {
  memory = guest;
  try {
    if (guest) sessionStorage.setItem(KEY, JSON.stringify(guest));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage it lasts as long as the page.
  }
}
