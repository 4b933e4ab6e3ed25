/** Owns: reading which mails one wants, and whether a calendar follows. */
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { uuid } from "../../lib/search.ts";

const settingsSchema = z.object({ mail_invites: z.boolean(), mail_reminders: z.boolean() });
export type MailSettings = z.infer<typeof settingsSchema>;

const choiceSchema = z.object({ address: z.string(), invites: z.boolean(), reminders: z.boolean() });
export type MailChoice = z.infer<typeof choiceSchema>;

/** What the address of a mail wants; the token is in the mail. */
async function readMailChoice(token: string, signal: AbortSignal): Promise<MailChoice> {
  // The database rejects a malformed token with an error; for the person it is just a wrong link.
  if (uuid(token) === undefined) throw toAppError({ code: "PT404", details: "mail_link_gone" });
  const rows = orThrow(await supabase.rpc("mail_choice", { token }).abortSignal(signal));
  return choiceSchema.parse(rows[0]);
}

const leftSchema = z.array(z.object({ address: z.string(), confirmed: z.boolean() }));

export const mailQueries = {
  /** The address that a guest has left at a plan, most of it covered; null if there is none. */
  left: (plan: string) =>
    reading(["left-address", plan], async (signal) => {
      const left = supabase.rpc("my_left_address", { plan }).abortSignal(signal);
      return (await parsed(leftSchema, left))[0] ?? null;
    }),
  settings: (id: string) =>
    reading(["mail-settings", id], (signal) => {
      const mine = supabase.from("private_profiles").select("mail_invites, mail_reminders").eq("id", id);
      return parsed(settingsSchema, mine.abortSignal(signal).single());
    }),
  choice: (token: string) => reading(["mail-choice", token], (signal) => readMailChoice(token, signal)),
  hasFeed: () =>
    reading(["calendar-feed"], (signal) =>
      parsed(z.boolean(), supabase.rpc("has_calendar_feed").abortSignal(signal)),
    ),
};
