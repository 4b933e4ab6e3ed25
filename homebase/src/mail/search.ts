/** Owns Mailpit's search language (docs/compat/platform.md 4): all terms must hold, "-" or "!" negates one. */
import { type Message, source } from "./message.ts";

const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi;

type Test = (message: Message, wanted: string) => boolean;

const has = (text: string, wanted: string) => text.toLowerCase().includes(wanted);
const sender: Test = ({ from }, wanted) => has(`${from.Name} ${from.Address}`, wanted);
const receiver: Test = ({ to }, wanted) => to.some((one) => has(`${one.Name} ${one.Address}`, wanted));
const never: Test = () => false;

const FIELDS: Record<string, Test> = {
  to: receiver,
  from: sender,
  addressed: (message, wanted) => sender(message, wanted) || receiver(message, wanted),
  cc: never,
  bcc: never,
  "reply-to": never,
  tag: never,
  subject: ({ subject }, wanted) => has(subject, wanted),
  "message-id": ({ messageId }, wanted) => has(messageId, wanted),
  is: ({ read }, wanted) => (wanted === "read" ? read : wanted === "unread" ? !read : false),
  has: never,
  before: ({ created }, wanted) => Date.parse(created) < Date.parse(wanted),
  after: ({ created }, wanted) => Date.parse(created) > Date.parse(wanted),
  larger: ({ size }, wanted) => size > bytes(wanted),
  smaller: ({ size }, wanted) => size < bytes(wanted),
};

const anywhere: Test = (message, wanted) =>
  has(message.subject, wanted) ||
  has(message.text, wanted) ||
  sender(message, wanted) ||
  receiver(message, wanted) ||
  (message.text === "" && has(source(message), wanted));

/** The mails that match a query, in their order. */
export function search(messages: readonly Message[], query: string): Message[] {
  const tests: ((message: Message) => boolean)[] = [];
  for (const [, negation, field, phrase, word] of query.matchAll(TERM)) {
    const wanted = (phrase ?? word ?? "").toLowerCase();
    const name = field?.toLowerCase() ?? "";
    const known = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    // A colon inside a word without a known field belongs to the word.
    const test = known ?? anywhere;
    const text = known || field === undefined ? wanted : `${field}:${wanted}`.toLowerCase();
    tests.push((message) => test(message, text) === (negation === ""));
  }
  return messages.filter((message) => tests.every((test) => test(message)));
}

function bytes(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([km]?)b?$/.exec(text);
  return match ? Number(match[1]) * 1024 ** ["", "k", "m"].indexOf(match[2] ?? "") : Number.NaN;
}
