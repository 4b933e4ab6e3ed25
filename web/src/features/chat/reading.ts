/** Owns: the read position in a conversation, and reporting it to the server. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { isOnline } from "../../lib/device/online.ts";
import { firstUnread, keyOf } from "../messages/domain.ts";
import { markRead } from "../messages/mutations.ts";
import { chatQueries } from "../messages/queries.ts";
import type { Message } from "../messages/schema.ts";

/** Scrolling past the end quickly does not count as reading. */
const LOOK_MS = 700;

/**
 * The position of the unread line: the key of the first message that arrived after the last visit. It does not
 * move while the conversation is open.
 * @param joinedAt earlier messages count as read: the person was not a member yet
 */
export function useUnreadLine(
  planId: string,
  me: string,
  joinedAt: string,
  messages: readonly Message[],
): { ready: boolean; key: string | null } {
  const read = useQuery(chatQueries.readUpTo(planId, me));
  return useMemo(() => {
    if (read.isPending) return { ready: !isOnline(), key: null };
    const first = firstUnread(messages, read.data ?? joinedAt, me);
    return { ready: true, key: first ? keyOf(first) : null };
  }, [read.isPending, read.data, joinedAt, messages, me]);
}

/** Marks messages as read while `looking`: the end of the list and the page are visible. */
export function useMarkRead(planId: string, messages: readonly Message[], looking: boolean): void {
  const queries = useQueryClient();
  const newest = messages.findLast((message) => message.delivery === "sent")?.created_at;
  useEffect(() => {
    if (!newest || !looking) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState !== "visible") return;
      timer = setTimeout(() => {
        // A lost report does no harm: the next message or visit repeats it.
        void markRead(planId, newest).then(
          () =>
            Promise.all(
              // The cards say that there is something to read.
              [["unread"], ["plans"]].map((queryKey) => queries.invalidateQueries({ queryKey })),
            ),
          () => undefined,
        );
      }, LOOK_MS);
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [planId, newest, looking, queries]);
}
