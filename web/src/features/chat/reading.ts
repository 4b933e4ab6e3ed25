/** Owns: the read position in a conversation, and reporting it to the server. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { isOnline } from "../../lib/device/online.ts";
import { firstUnread, keyOf } from "../messages/domain.ts";
import { markRead } from "../messages/mutations.ts";
import { chatQueries } from "../messages/queries.ts";
import type { Message } from "../messages/schema.ts";

/** Long enough that scrolling past the end is not reading it. */
const LOOK_MS = 700;

/**
 * Where the line of the unread stands: the key of the first message that came after one last looked. It stays
 * where it was when the conversation was opened.
 * @param joinedAt before that nothing is new: one was not there
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

/** Marks as read what is on the screen, while `looking`: the end of the list is seen, and the page is too. */
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
        // Missing it once is no harm: the next message, or the next visit, says it again.
        void markRead(planId, newest).then(
          () => queries.invalidateQueries({ queryKey: ["unread"] }),
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
