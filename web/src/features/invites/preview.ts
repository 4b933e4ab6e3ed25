/** Owns: what a link, or a plan's address, tells before one has joined. Signed out, it is read without the client. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callAnonymously } from "../../lib/backend/anonymous-rpc.ts";
import { loadClient } from "../../lib/backend/load-client.ts";

export interface Preview {
  kind: "plan" | "circle";
  title: string;
  host_name: string | null;
  people: number;
  plan_state: "polling" | "confirmed" | "done" | "cancelled" | null;
  joined: boolean;
  target: string | null;
  /** Start of the decided meal and the plan's zone. */
  starts_at: string | null;
  time_zone: string | null;
  /** Of a vote: the times to come, and the places' names, null for someone's home. */
  times: string[];
  places: (string | null)[];
}

/** @param me who is signed in; null asks as nobody */
export const readPreview = (token: string, me: string | null, signal: AbortSignal) =>
  readRow<Preview>("preview_invite", { token }, me, signal);

/** What a plan's own address tells. */
export interface AddressPreview {
  title: string;
  host_name: string | null;
  people: number;
  plan_state: Preview["plan_state"];
  joined: boolean;
  /** Whether a name is enough to join. */
  opens: boolean;
  /** This person's own request. A declined person may ask again, a refused one may not. `moved`: their seat is another device's now. */
  request: "asked" | "declined" | "refused" | "removed" | "moved" | null;
}

/** @param me who is signed in; null asks as nobody */
const readAddress = (plan: string, me: string | null, signal: AbortSignal) =>
  readRow<AddressPreview>("preview_plan", { plan }, me, signal);

/** An invite's token, or a plan of which the address is open. */
export type Link = { token: string } | { plan: string };

/** Who at the table has a name: a guest, an account, or several people; and how it is written there. */
export interface Namesake {
  kind: "guest" | "account" | "several";
  called: string;
}

/** The person at the table of a link who has that name. */
export async function readNamesake(link: Link, name: string): Promise<Namesake | undefined> {
  const rows = (await callAnonymously("namesake", { ...link, name })) as Namesake[];
  return rows[0];
}

/** The one row of a function of the database, which refuses what there is nothing to tell of. */
async function readRow<Row>(
  call: "preview_invite" | "preview_plan",
  args: Link,
  me: string | null,
  signal: AbortSignal,
): Promise<Row> {
  const rows = await (me === null ? callAnonymously(call, args, signal) : readAs(call, args, signal));
  const [row] = rows as Row[];
  if (!row) throw new Error(`${call} gave no row`);
  return row;
}

async function readAs(call: string, args: object, signal: AbortSignal): Promise<unknown> {
  const [supabase, { orThrow }] = await Promise.all([loadClient(), import("../../lib/errors.ts")]);
  return orThrow(await supabase.rpc(call as "preview_plan", args as { plan: string }).abortSignal(signal));
}

/** `me` is part of the key: the answer says whether this person has joined already. */
export const previewQuery = (token: string, me: string | null) =>
  queryOptions({
    queryKey: ["invite", token, me],
    queryFn: ({ signal }) => readPreview(token, me, signal),
    retry: false,
    // Joining changes who is signed in; the preview that is on the screen stays.
    placeholderData: keepPreviousData,
    // Other people may join while the preview is open.
    refetchInterval: 10_000,
  });

/** Polled like an invitation: the host's answer arrives while the page is open. */
export const addressQuery = (plan: string, me: string | null) =>
  queryOptions({
    queryKey: ["plan-address", plan, me],
    queryFn: ({ signal }) => readAddress(plan, me, signal),
    retry: false,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
