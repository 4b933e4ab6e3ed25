/** Owns: moving a guest of this device into an account, with the guest's personal link as the proof of identity. */
import { removePictures } from "../../lib/backend/avatars.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { passDrafts } from "../../lib/device/drafts.ts";
import { type GuestToMove, keepGuestToMove } from "../../lib/device/guest-to-move.ts";
import { toAppError } from "../../lib/errors.ts";
import { outbox } from "../outbox/device.ts";
import { createPersonalLink } from "./mutations.ts";

/** Errors after which the link never works again. */
const FINAL = ["personal_link_gone", "no_longer_guest"];

/** Stores in this tab that the guest moves into the account with this address once that account signs in. */
export async function prepareMove(guest: string, email: string): Promise<void> {
  const { token } = await createPersonalLink();
  keepGuestToMove({ token, guest, email });
}

/**
 * Makes everything of the guest the signed-in account's, including changes that this device has not sent yet.
 * @returns how many plans moved
 * @throws AppError; the guest can be moved again unless the link is used up
 */
export async function moveGuest({ token, guest }: GuestToMove, account: string): Promise<number> {
  const { data, error } = await supabase.rpc("take_over_guest", { token });
  if (error) {
    const known = toAppError(error);
    if (FINAL.includes(known.code)) keepGuestToMove(null);
    throw known;
  }
  keepGuestToMove(null);
  passDrafts(guest, account);
  await outbox.reassign(guest, account);
  // The picture does not move. If it cannot be removed now, no profile shows it.
  await removePictures(guest).catch(() => undefined);
  return data;
}
