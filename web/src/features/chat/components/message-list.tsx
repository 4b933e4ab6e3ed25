/** Owns: the list of messages. However long it is, only blocks near the viewport are rendered. */
import { useMutation } from "@tanstack/react-query";
import { memo, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dateOf, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { ArrowIcon, LoaderIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { blocksOf, continues, keyOf, newerThan } from "../../messages/domain.ts";
import type { Message } from "../../messages/schema.ts";
import type { Photo } from "../../photos/queries.ts";
import type { People } from "../people.ts";
import { chatWords } from "../words.ts";
import { MessageRow, type RowActions } from "./message-row.tsx";
import { useScrolling } from "./scrolling.ts";

export interface ListProps {
  messages: readonly Message[];
  hasOlder: boolean;
  older: () => Promise<void>;
  /** The first unread message. */
  unreadKey: string | null;
  /** A message to scroll to; a new object repeats the request. */
  target: { id: string } | null;
  photos: ReadonlyMap<string, Photo>;
  people: People;
  me: string;
  zone: string;
  online: boolean;
  actions: RowActions;
  /** Whether the end of the list is in view. */
  onEnd: (atEnd: boolean) => void;
}

/** How long a message stays highlighted after a jump to it. */
const FOUND_MS = 2000;

export function MessageList(props: ListProps) {
  const { messages, hasOlder, unreadKey, target, onEnd } = props;
  const words = chatWords();
  const begun = useRef<ReadonlySet<string>>(new Set());
  const blocks = useMemo(() => {
    const cut = blocksOf(messages, begun.current);
    return cut.map((block) => ({ key: block[0] ? keyOf(block[0]) : "", block }));
  }, [messages]);
  useEffect(() => {
    begun.current = new Set(blocks.map(({ key }) => key));
  }, [blocks]);
  const keys = useMemo(() => blocks.map(({ key }) => key), [blocks]);
  const older = useOlder(props);
  const scroll = useScrolling(keys, { atTop: older.ask });
  const { list, show, atEnd } = scroll;

  const [found, setFound] = useState<string | null>(null);
  const [wanted, setWanted] = useState<{ id: string; where: "start" | "center"; mark: boolean } | null>(null);
  useEffect(() => {
    if (target) setWanted({ id: target.id, where: "center", mark: true });
  }, [target]);
  // When the conversation opens, scrolls once to the first unread message.
  const opened = useRef(false);
  const firstUnread = unreadKey && messages.find((message) => keyOf(message) === unreadKey);
  useEffect(() => {
    if (opened.current) return;
    opened.current = true;
    if (firstUnread) setWanted({ id: firstUnread.id, where: "start", mark: false });
  }, [firstUnread]);
  useEffect(() => {
    if (!wanted) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-message="${wanted.id}"]`);
    if (!row) return; // its block is rendered next
    show(row, wanted.where);
    if (wanted.mark) {
      row.querySelector<HTMLElement>("[data-menu]")?.focus({ preventScroll: true });
      setFound(wanted.id);
    }
    setWanted(null);
  }, [wanted, show, list]);
  useEffect(() => {
    if (!found) return;
    const timer = setTimeout(() => setFound(null), FOUND_MS);
    return () => clearTimeout(timer);
  }, [found]);

  useEffect(() => onEnd(atEnd), [atEnd, onEnd]);
  const newer = useNewer(messages, props.me, atEnd);
  const newest = messages.at(-1);
  // Unsent and deleted messages have no actions.
  const stop = messages.findLast((message) => message.delivery === "sent" && message.deleted_at === null);
  const mineIsNewest = newest?.delivery === "pending" ? keyOf(newest) : null;
  const { toEnd } = scroll;
  useEffect(() => {
    // After sending, the list scrolls to the person's own message.
    if (mineIsNewest) toEnd();
  }, [mineIsNewest, toEnd]);

  const byId = useMemo(() => new Map(messages.map((message) => [message.id, message])), [messages]);
  const last = blocks.length - 1;
  return (
    <div className="relative min-h-0 flex-1">
      {/* biome-ignore lint/a11y/useSemanticElements: blocks stand between the list and its items, which <ol> does not allow */}
      <div
        ref={list}
        role="list"
        aria-label={words.messages}
        onScroll={scroll.look}
        onKeyDown={walk}
        className="absolute inset-0 overflow-y-auto overscroll-contain px-4 py-3 [overflow-anchor:none]"
      >
        <div role="presentation">{older.notice}</div>
        {!hasOlder && messages.length > 20 ? (
          <p role="presentation" className="pb-2 text-center text-xs text-ink-soft">
            {words.beginning}
          </p>
        ) : null}
        {blocks.map(({ key, block }, index) => {
          const draw =
            index >= last - 1 || scroll.isNear(key) || block.some((message) => message.id === wanted?.id);
          return (
            <BlockBox
              key={key}
              name={key}
              measure={scroll.measure}
              height={draw ? null : scroll.heightOf(key, block.length)}
            >
              {draw ? (
                <Block
                  block={block}
                  before={blocks[index - 1]?.block.at(-1)}
                  byId={byId}
                  unreadKey={unreadKey}
                  found={found}
                  stop={stop && block.includes(stop) ? keyOf(stop) : null}
                  {...rowProps(props)}
                />
              ) : null}
            </BlockBox>
          );
        })}
      </div>
      {atEnd ? null : (
        <Button
          onPress={toEnd}
          aria-label={newer > 0 ? undefined : words.toNewest}
          className="pop absolute right-4 bottom-3 shadow-lift"
          round={newer === 0}
          look={newer > 0 ? "action" : "quiet"}
        >
          {newer > 0 ? words.newMessages(newer) : null}
          <ArrowIcon aria-hidden className="size-5 rotate-90" />
        </Button>
      )}
    </div>
  );
}

function rowProps({ photos, people, me, zone, online, actions }: ListProps) {
  return { photos, people, me, zone, online, actions };
}

/** A block of the list: its rows, or a placeholder of their last measured height. */
function BlockBox({
  name,
  measure,
  height,
  children,
}: {
  name: string;
  measure: (key: string, element: HTMLElement | null) => void;
  height: number | null;
  children: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    measure(name, box.current);
    return () => measure(name, null);
  }, [name, measure]);
  return (
    <div ref={box} data-block={name} role="presentation" style={height === null ? undefined : { height }}>
      {children}
    </div>
  );
}

interface BlockProps extends ReturnType<typeof rowProps> {
  block: readonly Message[];
  before: Message | undefined;
  byId: ReadonlyMap<string, Message>;
  unreadKey: string | null;
  found: string | null;
  /** The message that Tab focuses, if it is in this block. */
  stop: string | null;
}

const Block = memo(
  function Block({ block, before, byId, unreadKey, found, stop, photos, ...row }: BlockProps) {
    return block.map((message, index) => {
      const above = index === 0 ? before : block[index - 1];
      const day = newDay(message, above, row.zone);
      return (
        <MessageRow
          key={keyOf(message)}
          message={message}
          close={day === null && keyOf(message) !== unreadKey && continues(message, above)}
          day={day}
          unread={keyOf(message) === unreadKey}
          found={message.id === found}
          tabStop={keyOf(message) === stop}
          answered={message.reply_to ? byId.get(message.reply_to) : undefined}
          photo={message.photo_id ? photos.get(message.photo_id) : undefined}
          {...row}
        />
      );
    });
  },
  (a, b) =>
    a.before === b.before &&
    a.unreadKey === b.unreadKey &&
    a.found === b.found &&
    a.stop === b.stop &&
    a.photos === b.photos &&
    a.people === b.people &&
    a.online === b.online &&
    a.zone === b.zone &&
    a.actions === b.actions &&
    a.block.length === b.block.length &&
    a.block.every((message, index) => message === b.block[index]),
);

/** The name of the day that starts with this message, or null within a day. */
function newDay(message: Message, above: Message | undefined, zone: string): string | null {
  const date = dateOf(message.created_at, zone);
  if (above && dateOf(above.created_at, zone) === date) return null;
  const words = chatWords();
  const now = Date.now();
  if (date === dateOf(now, zone)) return words.today;
  if (date === dateOf(now - 86_400_000, zone)) return words.yesterday;
  return dayOf(message.created_at, zone);
}

/** Loads one older page at a time, and reports a failure. */
function useOlder({ hasOlder, older }: ListProps): { ask: () => void; notice: ReactNode } {
  const { mutate, isPending, error } = useMutation({ mutationFn: older });
  return {
    ask: () => {
      if (hasOlder && !isPending && !error) mutate();
    },
    notice: error ? (
      <ErrorNotice error={error} retry={() => mutate()} />
    ) : isPending ? (
      <LoaderIcon aria-label={chatWords().older} className="spinning mx-auto mb-2 size-5 text-ink-soft" />
    ) : null,
  };
}

/** How many messages arrived below since the reader scrolled away from the end. */
function useNewer(messages: readonly Message[], me: string, atEnd: boolean): number {
  const seen = useRef<string | null>(null);
  const newest = messages.at(-1);
  useEffect(() => {
    if (atEnd) seen.current = newest ? keyOf(newest) : null;
  }, [atEnd, newest]);
  if (atEnd || seen.current === null) return 0;
  return newerThan(messages, seen.current, me);
}

/** Arrow keys move between messages; Tab enters the list once, at the newest. */
function walk(event: React.KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
  if (!(event.target instanceof HTMLElement) || event.target.dataset.menu === undefined) return;
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-menu]")];
  const next = all[all.indexOf(event.target) + (event.key === "ArrowUp" ? -1 : 1)];
  if (!next) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.closest("[data-message]")?.scrollIntoView({ block: "nearest" });
}
