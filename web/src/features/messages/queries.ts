/** Owns: reading a conversation: its newest page, what changed since, and older pages. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { byPosition, type Conversation, firstPage, type Position, withChanges, withOlder } from "./domain.ts";
import { readMessageSchema } from "./schema.ts";

/** Messages a page: a few screens. */
export const PAGE = 60;
/** Changes a page while catching up, and older messages a page while jumping far back. */
const CHANGES = 500;
/** With more missed pages than this, reading starts over from the newest page; older ones are read on scrolling. */
const MOST_PAGES = 4;

const columns =
  "id, plan_id, author_id, client_id, body, reply_to, photo_id, edited_at, deleted_at, created_at, revision, text_revision, reactions(user_id, emoji)" as const;
const rows = z.array(readMessageSchema);

const ofPlan = (plan: string) => supabase.from("messages").select(columns).eq("plan_id", plan);

const newestFirst = (plan: string, count: number) =>
  ofPlan(plan).order("created_at", { ascending: false }).order("id", { ascending: false }).limit(count);

const readChanges = (plan: string, above: number, signal: AbortSignal) =>
  parsed(rows, ofPlan(plan).gt("revision", above).order("revision").limit(CHANGES).abortSignal(signal));

const readBefore = (plan: string, { created_at, id }: Position, count: number) =>
  parsed(
    rows,
    newestFirst(plan, count).or(
      `created_at.lt."${created_at}",and(created_at.eq."${created_at}",id.lt.${id})`,
    ),
  );

const keyOf = (plan: string) => ["messages", plan] as const;

/** The newest page where nothing is known, else all that has changed since, page by page. */
async function read(plan: string, client: QueryClient, signal: AbortSignal): Promise<Conversation> {
  const known = () => client.getQueryData<Conversation>(keyOf(plan));
  let before = known();
  for (let page = 0; before && page < MOST_PAGES; page += 1) {
    const changed = await readChanges(plan, before.upTo, signal);
    // Messages that were sent during this read are in the cache by now, and stay.
    before = withChanges(known() ?? before, changed);
    if (changed.length < CHANGES) return before;
    client.setQueryData(keyOf(plan), before);
  }
  return firstPage(await parsed(rows, newestFirst(plan, PAGE).abortSignal(signal)), PAGE);
}

export const chatQueries = {
  /** Reading it again is catching up. */
  conversation: (plan: string, client: QueryClient) =>
    queryOptions({
      queryKey: keyOf(plan),
      queryFn: ({ signal }) => read(plan, client, signal),
      // Rows that did not change are the same objects already; comparing ten thousand of them would take longer.
      structuralSharing: false,
      staleTime: 30_000,
    }),
  /** The last message that was read before the screen was opened; null if the chat was never open. */
  readUpTo: (plan: string, me: string) =>
    queryOptions({
      queryKey: ["message-read", plan],
      queryFn: async ({ signal }) => {
        const { data, error } = await supabase
          .from("message_reads")
          .select("read_at")
          .match({ plan_id: plan, user_id: me })
          .abortSignal(signal)
          .maybeSingle();
        if (error) throw toAppError(error);
        return data?.read_at ?? null;
      },
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 0,
    }),
  /** A message that is not on the screen, for the line that says what was answered. */
  one: (id: string) =>
    reading(
      ["message", id],
      async (signal) => {
        const { data, error } = await supabase
          .from("messages")
          .select(columns)
          .eq("id", id)
          .abortSignal(signal)
          .maybeSingle();
        if (error) throw toAppError(error);
        return data === null ? null : readMessageSchema.parse(data);
      },
      60_000,
    ),
};

/** Adds one older page before the known messages. Pages grow as the reader scrolls back. Throws an AppError. */
export async function readOlder(plan: string, client: QueryClient): Promise<void> {
  const now = client.getQueryData<Conversation>(keyOf(plan));
  const from = now?.from;
  if (!from) return;
  const count = Math.min(CHANGES, Math.max(PAGE, now.rows.length));
  const older = await readBefore(plan, from, count);
  client.setQueryData<Conversation>(keyOf(plan), (now) =>
    // Another read of the same page was faster, or all messages were read again: this page no longer joins on.
    now?.from?.id === from.id ? withOlder(now, older, count) : now,
  );
}

/** Reads back until the message is part of what is shown. False when it is not there any more. */
export async function readBackTo(plan: string, client: QueryClient, message: string): Promise<boolean> {
  for (;;) {
    const now = client.getQueryData<Conversation>(keyOf(plan));
    const row = now?.rows.find((each) => each.id === message);
    const shownAlready = row && (!now?.from || byPosition(row, now.from) >= 0);
    if (shownAlready) return true;
    if (!now?.from) return false;
    await readOlder(plan, client);
  }
}
