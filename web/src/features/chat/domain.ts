/** Owns: how a conversation is put together from what was read, what arrives, and what is on its way. Pure. */
import type { Message, MessageRow } from "./schema.ts";

/**
 * The list with the row in it. A row replaces the pending message it confirms (same author, same client id)
 * and any older version of itself; the order is that of the server's clock, pending ones last.
 */
export function withMessage(list: readonly Message[], row: MessageRow): Message[] {
  const others = list.filter((message) => message.id !== row.id && !confirms(row, message));
  return inOrder([...others, { ...row, delivery: "sent" }]);
}

export function withPending(list: readonly Message[], message: Message): Message[] {
  return inOrder([...list.filter((other) => other.client_id !== message.client_id), message]);
}

export function withFailure(list: readonly Message[], clientId: string): Message[] {
  return list.map((message) =>
    message.client_id === clientId && message.delivery === "pending"
      ? { ...message, delivery: "failed" }
      : message,
  );
}

/** What was read anew, with the messages that are still on their way kept at its end. */
export function withRead(rows: readonly MessageRow[], before: readonly Message[] = []): Message[] {
  const waiting = before.filter(
    (message) => message.delivery !== "sent" && !rows.some((row) => confirms(row, message)),
  );
  return inOrder([...rows.map((row): Message => ({ ...row, delivery: "sent" })), ...waiting]);
}

function confirms(row: MessageRow, message: Message): boolean {
  return row.client_id === message.client_id && row.author_id === message.author_id;
}

function inOrder(list: Message[]): Message[] {
  return list.toSorted(
    (a, b) =>
      Number(a.delivery !== "sent") - Number(b.delivery !== "sent") ||
      Date.parse(a.created_at) - Date.parse(b.created_at) ||
      (a.id < b.id ? -1 : 1),
  );
}

/** Whether a message stands directly under the one before it, by the same person within five minutes. */
export function continues(message: Message, before: Message | undefined): boolean {
  return (
    before !== undefined &&
    before.author_id === message.author_id &&
    Date.parse(message.created_at) - Date.parse(before.created_at) < 5 * 60_000
  );
}
