/** Owns: choosing mails, and the address that a calendar follows. Each throws an AppError. */
import * as z from "zod/mini";
import { env } from "../../lib/backend/env.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow } from "../../lib/errors.ts";
import type { MailSettings } from "./queries.ts";

export async function saveMailSettings(id: string, change: Partial<MailSettings>): Promise<void> {
  orThrow(await supabase.from("private_profiles").update(change).eq("id", id));
}

/** Asks by mail whether a guest may be told about the plan at this address. */
export const leaveAddress = async (plan: string, address: string) =>
  z.enum(["asked", "confirmed", "not_sent"]).parse(await rpc("leave_address", { plan, address }));

export const removeLeftAddress = (plan: string) => rpc("remove_left_address", { plan });

/** What the link of that mail does; returns the plan. */
export const confirmAddress = (token: string) => rpc("confirm_address", { token });

export const saveMailChoice = (token: string, choice: { invites: boolean; reminders: boolean }) =>
  rpc("choose_mail", { token, ...choice });

/** Makes a new address, which replaces the earlier one. It cannot be read again later. */
export async function makeFeed(): Promise<string> {
  const token = await rpc("create_calendar_feed");
  return `${env.VITE_SUPABASE_URL}/functions/v1/plan-calendar?token=${token}`;
}

export const endFeed = () => rpc("revoke_calendar_feed");
