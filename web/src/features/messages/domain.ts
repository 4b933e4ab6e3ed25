/**
 * Owns: how a conversation is put together from pages that were read, changes that arrive, and what is on its
 * way. Pure. The server numbers every change of a plan's messages without gaps and in the order in which they
 * became true (`revision`), so a client knows what it has missed: all that is above the number it has read.
 */
import type { Emoji, Message, MessageRow, StoredMessage, WaitingMessage } from "./schema.ts";

/** The sort position of a message: the server's clock, with a fixed order for equal times. */
export interface Position {
  created_at: string;
  id: string;
}

export interface Conversation {
  /** All known messages, in order. Those before `from` are present when another query loaded them; not displayed. */
  rows: readonly StoredMessage[];
  /** The first message that belongs to the unbroken run up to the newest; null when that run has it all. */
  from: Position | null;
  /** Every change up to this revision is in `rows`, as far as it is not before `from`. */
  upTo: number;
}

/** What a first look at a conversation gave: its newest messages, newest first, at most `asked`. */
export function firstPage(newest: readonly StoredMessage[], asked: number): Conversation {
  const rows = newest.toSorted(byPosition);
  return {
    rows,
    from: newest.length < asked ? null : positionOf(rows[0]),
    upTo: Math.max(0, ...rows.map((row) => row.revision)),
  };
}

/** With what was read of the changes above `upTo`. */
export function withChanges(before: Conversation, changed: readonly StoredMessage[]): Conversation {
  const upTo = Math.max(before.upTo, ...changed.map((row) => row.revision));
  return { ...before, rows: merge(before.rows, changed), upTo };
}

/** With a page of older messages, newest first, at most `asked`. */
export function withOlder(
  before: Conversation,
  older: readonly StoredMessage[],
  asked: number,
): Conversation {
  const last = older.toSorted(byPosition)[0];
  return {
    ...before,
    rows: merge(before.rows, older),
    from: older.length < asked ? null : positionOf(last),
  };
}

/**
 * With a row as the server stored it. `complete` says whether nothing is missing then: a new message with the very
 * next number is all there is to know. Any other change may hide another one, or reactions, which such a row does
 * not carry: those are read.
 */
export function withStored(
  before: Conversation,
  row: MessageRow,
): { after: Conversation; complete: boolean } {
  const known = before.rows.find((each) => each.id === row.id);
  if (row.revision <= before.upTo) return { after: before, complete: true };
  const complete =
    known === undefined && row.revision === before.upTo + 1 && row.text_revision === row.revision;
  const newer = known === undefined || row.revision > known.revision;
  return {
    after: {
      ...before,
      rows: newer ? merge(before.rows, [{ ...row, reactions: known?.reactions ?? [] }]) : before.rows,
      upTo: complete ? row.revision : before.upTo,
    },
    complete,
  };
}

/** Applies the person's own reaction, or its removal, until the server's state is read. */
export function withReaction(
  before: Conversation,
  message: string,
  person: string,
  emoji: Emoji,
  on: boolean,
): Conversation {
  const rows = before.rows.map((row) => {
    if (row.id !== message) return row;
    const others = row.reactions.filter((each) => each.user_id !== person || each.emoji !== emoji);
    return { ...row, reactions: on ? [...others, { user_id: person, emoji }] : others };
  });
  return { ...before, rows };
}

/** What the screen shows: the unbroken run, and after it what is not stored yet. Nothing is there twice. */
export function shown(conversation: Conversation, waiting: readonly WaitingMessage[], me: string): Message[] {
  const { rows, from } = conversation;
  const stored = rows.slice(from === null ? 0 : firstFrom(rows, from)).map(sent);
  if (waiting.length === 0) return stored;
  const mine = new Set(rows.filter((row) => row.author_id === me).map((row) => row.client_id));
  const unsent = waiting
    .filter((message) => !mine.has(message.client_id))
    .map(
      (message): Message => ({
        ...message,
        id: message.client_id,
        author_id: me,
        delivery: message.refused ? "failed" : "pending",
      }),
    );
  return [...stored, ...unsent];
}

/** An unchanged row keeps its message object, so that React does not render it again. */
const drawn = new WeakMap<StoredMessage, Message>();
function sent(row: StoredMessage): Message {
  let message = drawn.get(row);
  if (!message) {
    message = { ...row, delivery: "sent" };
    drawn.set(row, message);
  }
  return message;
}

/** The part to persist: the newest messages only, as if nothing older had been read. */
export function newest(conversation: Conversation, count: number): Conversation {
  if (conversation.rows.length <= count) return conversation;
  const rows = conversation.rows.slice(-count);
  const from = positionOf(rows[0]);
  const started = conversation.from;
  return { ...conversation, rows, from: started && from && byPosition(started, from) > 0 ? started : from };
}

/**
 * Of two states of one message the later one holds; of equal ones, the row that was read and not the broadcast.
 * `known` is in order, and stays so without being sorted again: there may be ten thousand.
 */
function merge(known: readonly StoredMessage[], changed: readonly StoredMessage[]): readonly StoredMessage[] {
  if (changed.length === 0) return known;
  const places = new Map(known.map((row, place) => [row.id, place]));
  const rows = [...known];
  const added = new Map<string, StoredMessage>();
  for (const row of changed) {
    const place = places.get(row.id);
    const old = place === undefined ? added.get(row.id) : rows[place];
    if (old && old.revision > row.revision) continue;
    if (place === undefined) added.set(row.id, row);
    else rows[place] = row;
  }
  for (const row of [...added.values()].sort(byPosition)) rows.splice(firstFrom(rows, row), 0, row);
  return rows;
}

/** The place of the first row that is not before the position. */
function firstFrom(rows: readonly Position[], position: Position): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && byPosition(row, position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function byPosition(a: Position, b: Position): number {
  return microsOf(a.created_at) - microsOf(b.created_at) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function positionOf(row: Position | undefined): Position | null {
  return row ? { created_at: row.created_at, id: row.id } : null;
}

/** Microseconds since 1970: the server's clock is finer than a Date, and two messages may share a millisecond. */
function microsOf(instant: string): number {
  const fraction = /\.(\d+)/.exec(instant)?.[1] ?? "";
  return Date.parse(instant.replace(/\.\d+/, "")) * 1000 + Number(fraction.slice(0, 6).padEnd(6, "0"));
}

/** Whether a message directly follows one by the same person within five minutes. */
export function continues(message: Message, before: Message | undefined): boolean {
  return (
    before !== undefined &&
    before.author_id === message.author_id &&
    message.reply_to === null &&
    Date.parse(message.created_at) - Date.parse(before.created_at) < 5 * 60_000
  );
}

/**
 * The first message of others after the last read time (an instant), where the line of the unread is shown.
 */
export function firstUnread(messages: readonly Message[], readAt: string, me: string): Message | undefined {
  const seen = microsOf(readAt);
  return messages.find(
    (message) =>
      message.delivery === "sent" &&
      message.author_id !== me &&
      message.deleted_at === null &&
      microsOf(message.created_at) > seen,
  );
}

/** How many messages of others come after the one with this key. */
export function newerThan(messages: readonly Message[], key: string, me: string): number {
  const at = messages.findLastIndex((message) => keyOf(message) === key);
  // A message that was never sent can be discarded.
  return at < 0 ? 0 : messages.slice(at + 1).filter((message) => message.author_id !== me).length;
}

/** The number of messages in one block of the list: a screen or two. */
export const BLOCK = 40;

/**
 * Cuts the list into blocks, each named by its first message. Blocks keep their beginnings when messages come
 * in above or below them, so that what was measured of them stays true.
 * @param begun the ids at which blocks began before
 */
export function blocksOf(messages: readonly Message[], begun: ReadonlySet<string>): Message[][] {
  const blocks: Message[][] = [];
  const first = messages.findIndex((message) => begun.has(keyOf(message)));
  // Messages above the first known block are cut into blocks from their end upwards: only the topmost block is short.
  const above = first > 0 ? messages.slice(0, first) : [];
  for (let end = above.length; end > 0; end -= BLOCK)
    blocks.unshift(above.slice(Math.max(0, end - BLOCK), end));
  let open: Message[] | undefined;
  for (const message of first > 0 ? messages.slice(first) : messages) {
    if (open === undefined || open.length >= BLOCK || begun.has(keyOf(message))) {
      open = [];
      blocks.push(open);
    }
    open.push(message);
  }
  return blocks;
}

/** The id that the sender gave a message; it stays the same when the message is stored. */
export function keyOf(message: Message): string {
  return `${message.author_id}/${message.client_id}`;
}
