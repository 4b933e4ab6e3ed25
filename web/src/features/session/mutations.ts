/** Owns: signing in and out. Each throws an AppError. */

import { removePictures } from "../../lib/backend/avatars.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { removeDrafts } from "../../lib/device/drafts.ts";
import { keepGuestToMove } from "../../lib/device/guest-to-move.ts";
import { orThrow } from "../../lib/errors.ts";
import { browserZone } from "../../lib/time.ts";
import type { Provider } from "./queries.ts";

export async function signInWithPassword(email: string, password: string): Promise<void> {
  orThrow(await supabase.auth.signInWithPassword({ email, password }));
}

/** Creates an account. `needsConfirmation` when the address must be confirmed by mail first. */
export async function signUp(
  email: string,
  password: string,
  name: string,
): Promise<{ needsConfirmation: boolean }> {
  const data = orThrow(
    await supabase.auth.signUp({
      email,
      password,
      options: {
        data: { display_name: name, time_zone: browserZone() },
        emailRedirectTo: callbackAddress("/home"),
      },
    }),
  );
  return { needsConfirmation: data.session === null };
}

/** Sends a mail with a six-digit code and a link that lead to the same place. */
export async function sendCode(email: string, next: string): Promise<void> {
  orThrow(
    await supabase.auth.signInWithOtp({
      email,
      options: { emailRedirectTo: callbackAddress(next), data: { time_zone: browserZone() } },
    }),
  );
}

export async function verifyCode(email: string, token: string): Promise<void> {
  orThrow(await supabase.auth.verifyOtp({ email, token, type: "email" }));
}

/** Signs in anonymously, with a name only. An address can be added later; the user stays the same. */
export async function signInAsGuest(name: string): Promise<void> {
  orThrow(
    await supabase.auth.signInAnonymously({
      options: { data: { display_name: name, time_zone: browserZone() } },
    }),
  );
}

/** Starts turning the guest into an account: sends a mail to the address, changes nothing else. */
export async function addEmail(email: string): Promise<void> {
  orThrow(await supabase.auth.updateUser({ email }, { emailRedirectTo: callbackAddress("/me") }));
}

/** Confirms the address with the six digits of its mail. The user stays the same. */
export async function confirmEmail(email: string, token: string): Promise<void> {
  orThrow(await supabase.auth.verifyOtp({ email, token, type: "email_change" }));
}

/** Redirects to another service, which redirects back to `/auth/callback`. */
export async function signInWithProvider(provider: Provider, next: string): Promise<void> {
  orThrow(await supabase.auth.signInWithOAuth({ provider, options: { redirectTo: callbackAddress(next) } }));
}

/** Sends a mail with a code and a link to reset the password. Does not reveal whether there is an account. */
export async function sendRecovery(email: string): Promise<void> {
  orThrow(
    await supabase.auth.resetPasswordForEmail(email, {
      redirectTo: callbackAddress("/reset-password"),
    }),
  );
}

export async function verifyRecovery(email: string, token: string): Promise<void> {
  orThrow(await supabase.auth.verifyOtp({ email, token, type: "recovery" }));
}

/** Sets the password, and ends all other sessions. */
export async function savePassword(password: string): Promise<void> {
  orThrow(await supabase.auth.updateUser({ password }));
  await signOutElsewhere();
}

/** Ends every other session of this person. */
export async function signOutElsewhere(): Promise<void> {
  orThrow(await supabase.auth.signOut({ scope: "others" }));
}

/** All data about this person, as text for a file. */
export async function exportMyData(): Promise<string> {
  return JSON.stringify(await rpc("export_my_data"), null, 2);
}

/** Deletes this person's own pictures, then the account. Cannot be undone. */
export async function deleteAccount(id: string): Promise<void> {
  await removePictures(id);
  await rpc("delete_my_account");
  // The server no longer has this session; clear the device's data all the same.
  await supabase.auth.signOut({ scope: "local" });
  removeDrafts();
  keepGuestToMove(null);
}

export async function signOut(): Promise<void> {
  const { data } = await supabase.auth.getSession();
  orThrow(await supabase.auth.signOut({ scope: "local" }));
  removeDrafts();
  // Signing a guest out also ends their move. A person who signs out of an account may still want to move the guest.
  if (data.session?.user.is_anonymous) keepGuestToMove(null);
}

function callbackAddress(next: string): string {
  const address = new URL("/auth/callback", window.location.origin);
  address.searchParams.set("next", next);
  return address.toString();
}
