/**
 * Owns: the guest of this device who is to move into an account, stored until the move. It is stored for this tab only,
 * because whoever has the token can act as the guest.
 */
import * as z from "zod/mini";

const KEY = "nosh.guest-to-move";

const schema = z.object({
  /** The token of the guest's personal link. */
  token: z.string(),
  guest: z.uuid(),
  /** The address of the account that the person wants. */
  email: z.string(),
});
export type GuestToMove = z.infer<typeof schema>;

/** The fallback for a browser that denies storage: it lasts as long as the page. */
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
    // The browser denies storage.
  }
}
