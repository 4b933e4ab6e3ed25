/** Owns: reading which mails one wants, and whether a calendar follows. */
import { queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import { uuid } from "../../lib/search.ts";

const settingsSchema = z.object({ mail_invites: z.boolean(), mail_reminders: z.boolean() });
export type MailSettings = z.infer<typeof settingsSchema>;

const choiceSchema = z.object({ address: z.string(), invites: z.boolean(), reminders: z.boolean() });
export type MailChoice = z.infer<typeof choiceSchema>;

export const readMailSettings = (id: string, signal: AbortSignal) =>
  parsed(
    settingsSchema,
    supabase
      .from("private_profiles")
      .select("mail_invites, mail_reminders")
      .eq("id", id)
      .abortSignal(signal)
      .single(),
  );

/** What the address of a mail wants; the token is in the mail. */
export async function readMailChoice(token: string, signal: AbortSignal): Promise<MailChoice> {
  // The database rejects a malformed token with an error; for the person it is just a wrong link.
  if (uuid(token) === undefined) throw toAppError({ code: "PT404", details: "mail_link_gone" });
  const rows = orThrow(await supabase.rpc("mail_choice", { token }).abortSignal(signal));
  return choiceSchema.parse(rows[0]);
}

export const readHasFeed = (signal: AbortSignal) =>
  parsed(z.boolean(), supabase.rpc("has_calendar_feed").abortSignal(signal));

const leftSchema = z.array(z.object({ address: z.string(), confirmed: z.boolean() }));
export type LeftAddress = z.infer<typeof leftSchema>[number];

/** The address that a guest has left at a plan, most of it covered; null if there is none. */
const readLeftAddress = async (plan: string, signal: AbortSignal): Promise<LeftAddress | null> =>
  (await parsed(leftSchema, supabase.rpc("my_left_address", { plan }).abortSignal(signal)))[0] ?? null;

export const mailQueries = {
  left: (plan: string) =>
    queryOptions({
      queryKey: ["left-address", plan],
      queryFn: ({ signal }) => readLeftAddress(plan, signal),
    }),
  settings: (id: string) =>
    queryOptions({ queryKey: ["mail-settings", id], queryFn: ({ signal }) => readMailSettings(id, signal) }),
  choice: (token: string) =>
    queryOptions({
      queryKey: ["mail-choice", token],
      queryFn: ({ signal }) => readMailChoice(token, signal),
    }),
  hasFeed: () => queryOptions({ queryKey: ["calendar-feed"], queryFn: ({ signal }) => readHasFeed(signal) }),
};
