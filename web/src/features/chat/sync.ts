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

/** Changes within this time are read together. */
const SETTLE_MS = 60;
/** Changes are reported from the write-ahead log, slightly before other sessions can read them. */
const TOO_EARLY_MS = [60, 60, 300, 300, 300, 300] as const;
/** Shown if the conversation could not be read: only the messages in the outbox. */
const NOTHING_READ: Conversation = firstPage([], 1);
/** More than a burst of messages; further announced numbers are not waited for. */
const MOST_ANNOUNCED = 50;

/** @param heard called for each new message of somebody else when it arrives */
export function useConversation(planId: string, me: string, heard: (row: MessageRow) => void) {
  const queries = useQueryClient();
  const live = usePlanLive();
  const options = chatQueries.conversation(planId, queries);
  const query = useQuery(options);
  const entries = useOutbox(planId);
  const readTimer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The highest announced revision, and how often a read for it was tried. */
  const heardOf = useRef({ revision: 0, looked: 0 });
  /** The revisions of others' new messages, which are announced once they have been read. */
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
      // A running read may have been sent before the change was committed.
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
          // In a lively conversation no read would finish if each change started a new one: changes that arrive
          // meanwhile are part of this read or of the next one.
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
        // Reads the result in any case, even if the response was lost.
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
