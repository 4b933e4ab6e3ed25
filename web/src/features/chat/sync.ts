/** Owns: a conversation that stays true: pages, broadcasts, catching up, and what waits in the outbox. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { useOutbox } from "../outbox/device.ts";
import type { Entry } from "../outbox/schema.ts";
import { usePlanLive } from "../plans/realtime.tsx";
import { type Conversation, shown, withBroadcast, withReaction } from "./domain.ts";
import { react } from "./mutations.ts";
import { chatQueries, readBackTo, readOlder } from "./queries.ts";
import { type Emoji, type Message, type MessageRow, messageSchema, type WaitingMessage } from "./schema.ts";

/** Several changes at once are read in one go. */
const SETTLE_MS = 60;
/** Long enough for a commit to be readable everywhere. */
const TOO_EARLY_MS = 300;

/** @param heard called for each new message of somebody else, as it arrives */
export function useConversation(planId: string, me: string, heard: (row: MessageRow) => void) {
  const queries = useQueryClient();
  const live = usePlanLive();
  const options = chatQueries.conversation(planId, queries);
  const query = useQuery(options);
  const entries = useOutbox(planId);
  const settle = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The highest number that was heard of. */
  const heardOf = useRef(0);

  const catchUp = useCallback(
    (after = SETTLE_MS) => {
      clearTimeout(settle.current);
      settle.current = setTimeout(
        // One that is under way may have asked before the change was there.
        () => void queries.invalidateQueries({ queryKey: ["messages", planId] }, { cancelRefetch: true }),
        after,
      );
    },
    [queries, planId],
  );
  useEffect(() => () => clearTimeout(settle.current), []);
  const upTo = query.data?.upTo ?? 0;
  const readAt = query.dataUpdatedAt;
  useEffect(() => {
    // Changes are told from the write-ahead log, where they can be seen a moment before they can be read.
    if (readAt > 0 && upTo < heardOf.current && !query.isFetching) catchUp(TOO_EARLY_MS);
  }, [upTo, readAt, query.isFetching, catchUp]);

  useEffect(
    () =>
      live.listen(
        (event) => {
          if (event.table !== "messages") return;
          const row = messageSchema.safeParse(event.record);
          const before = queries.getQueryData<Conversation>(["messages", planId]);
          if (!row.success || !before) return catchUp();
          heardOf.current = Math.max(heardOf.current, row.data.revision);
          const { after, complete } = withBroadcast(before, row.data);
          queries.setQueryData(["messages", planId], after);
          if (!complete) catchUp();
          if (event.operation === "INSERT" && row.data.author_id !== me) heard(row.data);
        },
        () => catchUp(),
      ),
    [live.listen, queries, planId, me, heard, catchUp],
  );

  const messages = useMemo(
    () => (query.data ? shown(query.data, waitingMessages(entries), me) : []),
    [query.data, entries, me],
  );
  const older = useCallback(() => readOlder(planId, queries), [planId, queries]);
  const backTo = useCallback((message: string) => readBackTo(planId, queries, message), [planId, queries]);
  const setReaction = useCallback(
    async (message: Message, emoji: Emoji, on: boolean) => {
      const show = (shownOn: boolean) =>
        queries.setQueryData<Conversation>(
          ["messages", planId],
          (now) => now && withReaction(now, message.id, me, emoji, shownOn),
        );
      show(on);
      try {
        await react({ id: message.id, plan_id: planId }, me, emoji, on);
      } catch (error) {
        show(!on);
        throw error;
      } finally {
        // Whatever became of it, even where the answer was lost, is read.
        catchUp();
      }
    },
    [queries, planId, me, catchUp],
  );
  return { query, messages, hasOlder: query.data?.from != null, older, backTo, setReaction, catchUp };
}

function waitingMessages(entries: readonly Entry[]): WaitingMessage[] {
  return entries.flatMap(({ id, deed, madeAt, refused }) =>
    deed.kind === "message"
      ? [
          {
            client_id: id,
            body: deed.body,
            reply_to: deed.reply_to,
            photo_id: deed.photo_id,
            created_at: new Date(madeAt).toISOString(),
            refused,
          },
        ]
      : [],
  );
}
