/** Owns: choosing mails, and the address that a calendar follows. Each throws an AppError. */
import { env } from "../../lib/backend/env.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import type { MailSettings } from "./queries.ts";

export async function saveMailSettings(id: string, change: Partial<MailSettings>): Promise<void> {
  const { error } = await supabase.from("private_profiles").update(change).eq("id", id);
  if (error) throw toAppError(error);
}

export async function saveMailChoice(
  token: string,
  choice: { invites: boolean; reminders: boolean },
): Promise<void> {
  const { error } = await supabase.rpc("choose_mail", { token, ...choice });
  if (error) throw toAppError(error);
}

/** Makes a new address, which replaces the earlier one. It cannot be read again later. */
export async function makeFeed(): Promise<string> {
  const token = orThrow(await supabase.rpc("create_calendar_feed"));
  return `${env.VITE_SUPABASE_URL}/functions/v1/plan-calendar?token=${token}`;
}

export async function endFeed(): Promise<void> {
  const { error } = await supabase.rpc("revoke_calendar_feed");
  if (error) throw toAppError(error);
}
