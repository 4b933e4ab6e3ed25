/**
 * Owns: keeping a conversation up to date: pages, catching up, and messages in the outbox. A broadcast only triggers a
 * read: every member of the plan can send one, so its content is never shown.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef } from "react";
import { type Conversation, firstPage, shown, withReaction } from "../messages/domain.ts";
import { react } from "../messages/mutations.ts";
import { chatQueries, readBackTo, readOlder } from "../messages/queries.ts";
import {
  type Emoji,
  type Message,
  type MessageRow,
  messageSchema,
  type WaitingMessage,
} from "../messages/schema.ts";
import { useOutbox } from "../outbox/device.ts";
import type { Entry } from "../outbox/schema.ts";
import { usePlanLive } from "../plans/realtime.tsx";

/** Several changes at once are read in one go. */
const SETTLE_MS = 60;
/** Changes are told from the write-ahead log, where they can be seen a moment before they can be read. */
const TOO_EARLY_MS = [60, 60, 300, 300, 300, 300] as const;
/** What is shown of a conversation that could not be read: only the messages in the outbox. */
const NOTHING_READ: Conversation = firstPage([], 1);
/** More than a burst of messages; what else was said to have come in is not waited for. */
const MOST_ANNOUNCED = 50;

/** @param heard called for each new message of somebody else, as it arrives */
export function useConversation(planId: string, me: string, heard: (row: MessageRow) => void) {
  const queries = useQueryClient();
  const live = usePlanLive();
  const options = chatQueries.conversation(planId, queries);
  const query = useQuery(options);
  const entries = useOutbox(planId);
  const readTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The highest number that was heard of, and how often it was looked for. */
  const heardOf = useRef({ revision: 0, looked: 0 });
  /** The numbers of others' messages that came in and are said once they were read. */
  const coming = useRef(new Set<number>());

  const readNow = useCallback(
    (cancelRefetch: boolean) => {
      readTimer.current = undefined;
      void queries.invalidateQueries({ queryKey: ["messages", planId] }, { cancelRefetch });
    },
    [queries, planId],
  );
  const catchUp = useCallback(
    (after = SETTLE_MS) => {
      clearTimeout(readTimer.current);
      // One that is under way may have asked before the change was there.
      readTimer.current = setTimeout(readNow, after, true);
    },
    [readNow],
  );
  useEffect(
    () => () => {
      clearTimeout(readTimer.current);
      readTimer.current = undefined;
    },
    [],
  );
  const conversation = query.data;
  const readAt = query.dataUpdatedAt;
  useEffect(() => {
    const { revision, looked } = heardOf.current;
    const after = TOO_EARLY_MS[looked];
    // A message that cannot be read does not exist: the broadcast did not come from the database.
    if (!conversation || readAt === 0 || conversation.upTo >= revision || after === undefined) return;
    if (query.isFetching) return;
    heardOf.current = { revision, looked: looked + 1 };
    catchUp(after);
  }, [conversation, readAt, query.isFetching, catchUp]);
  useEffect(() => {
    if (coming.current.size === 0) return;
    for (const row of conversation?.rows ?? []) if (coming.current.delete(row.text_revision)) heard(row);
  }, [conversation, heard]);

  useEffect(
    () =>
      live.listen(
        (event) => {
          if (event.table !== "messages") return;
          const row = messageSchema.safeParse(event.record).data;
          if (row && row.revision > heardOf.current.revision) {
            heardOf.current = { revision: row.revision, looked: 0 };
          }
          const isNews = event.operation === "INSERT" && row && row.author_id !== me;
          if (isNews && coming.current.size < MOST_ANNOUNCED) coming.current.add(row.text_revision);
          // In a lively conversation no reading would come to its end if each change began a new one: what comes
          // meanwhile is part of this one, or is looked for after it.
          readTimer.current ??= setTimeout(readNow, SETTLE_MS, false);
        },
        () => catchUp(),
      ),
    [live.listen, me, catchUp, readNow],
  );

  const messages = useMemo(
    () => shown(query.data ?? NOTHING_READ, waitingMessages(entries), me),
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
  return entries.flatMap(({ id, mutation, madeAt, refused }) =>
    mutation.kind === "message"
      ? [
          {
            client_id: id,
            body: mutation.body,
            reply_to: mutation.reply_to,
            photo_id: mutation.photo_id,
            created_at: new Date(madeAt).toISOString(),
            refused,
          },
        ]
      : [],
  );
}
