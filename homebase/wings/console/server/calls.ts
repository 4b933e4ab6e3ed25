/** Owns the calls of the page, by their names. */
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { ReadRecord } from "../../../src/http/records.ts";
import type { About, ConsoleApi, Cursor, Entry, Row } from "./api.ts";
import { type Ask, type Call, type CallContext, checked } from "./call.ts";
import { CallRefused } from "./call-refused.ts";
import { DATA_CALLS } from "./data/calls.ts";
import { happenedAfter, happenedBy, happenedEntry, happenedRow, questionOf, repeats } from "./happened.ts";
import { names } from "./names.ts";
import { entryOf, rowOf } from "./request-lines.ts";
import { callsOf, limited, runningEntry } from "./running.ts";
import { outgoingOf, send } from "./send.ts";
import { SQL_CALLS } from "./sql/calls.ts";
import { STACK_CALLS } from "./stack/calls.ts";

/** Checked to be whole: what the page may ask is answered, and nothing else. */
export const CALLS: Readonly<Record<string, Call>> = {
  about: aboutOf,
  feed: ({ feed }, { after, filter }, signal) =>
    feed.open(cursorOf(after), typeof filter === "string" ? filter : "", signal),
  entry,
  answer: (context, ask) => ({
    body: context.start.backend.requests.failureOf(recorded(context, ask).id) ?? "",
  }),
  frame: ({ start, frames }, { id, pictures }) => {
    const mail = start.inbox.messages().find((one) => one.id === id);
    if (!mail) throw new CallRefused(404, "The mail is no longer in the inbox.");
    return { ticket: frames.ticket(mail, pictures === true) };
  },
  outgoing: (context, ask) => outgoingOf(recorded(context, ask), context.start.backend.config.api.schemas[0]),
  send: async (context, ask, signal) => {
    const sent = await send(context.start, ask, (id) => recorded(context, { id }), signal);
    // The gateway records a request after its response.
    const { requests } = context.start.backend;
    for (let waits = 0; waits < 50 && !requests.get(sent.id); waits += 1) await setTimeout(10);
    return sent;
  },
  names: ({ start }) => names(start),
  test: (context, ask, signal) => context.tests.make(recorded(context, ask), signal),
  saveTest: ({ tests }, { id }) => tests.save(String(id)),
  why: (context, ask, signal) => {
    const { reasons, start } = context;
    const happened = happenedBy(start.backend.happenings, String(ask.id));
    const question = happened && questionOf(happened);
    return happened && question
      ? reasons.ofRealtime(question, happenedEntry(happened, []).gates)
      : reasons.of(recorded(context, ask), signal);
  },
  ...DATA_CALLS,
  ...SQL_CALLS,
  ...STACK_CALLS,
} satisfies Readonly<Record<keyof ConsoleApi, Call>>;

export function aboutOf({ start }: Pick<CallContext, "start">): About {
  const { url, keys, config } = start.backend;
  const { publishableKey } = keys;
  const began = Math.round(performance.timeOrigin);
  const snapshots = start.snapshots !== undefined;
  return { url, publishableKey, project: config.project_id, began, inbox: start.inbox.url, snapshots };
}

/** The record with its values. @throws CallRefused */
function recorded({ start }: CallContext, { id }: Ask): ReadRecord {
  const whole = typeof id === "string" ? start.backend.requests.withValues(id) : undefined;
  if (whole) return whole;
  throw new CallRefused(404, "The stack no longer keeps this request: it keeps the last 5,000.");
}

function entry(context: CallContext, ask: Ask): Entry {
  const { backend, inbox } = context.start;
  const { requests, happenings } = backend;
  const happened = happenedBy(happenings, String(ask.id));
  if (happened) return happenedEntry(happened, inbox.messages());
  const call = callsOf(context.start).find(({ record }) => record.id === ask.id);
  if (call) return runningEntry(call, causedBy(context, call.record));
  const whole = recorded(context, ask);
  // As it may be shown.
  const record = requests.get(whole.id) ?? whole;
  const answer = requests.failureOf(whole.id);
  const caused = causedBy(context, whole);
  const kept = happenedAfter(happenings, 0).found.some(({ at }) => at < record.at);
  const unsent = kept && RECOVERY.test(record.path) && record.status === 200 && caused.length === 0;
  const note = unsent ? NO_MAIL : undefined;
  return { ...entryOf(limited(record, answer), whole, { caused, answerKept: answer !== undefined }), note };
}

/** Auth's answer is the same whether there is somebody to write to or not. */
const RECOVERY = /^\/auth\/v1\/(recover|resend)$/;
const NO_MAIL =
  "It sent no mail: no user to whom Auth would send one has this address. Auth answers 200 all the same, so that nobody learns who has an account.";

function causedBy({ start }: CallContext, { id, service }: Pick<ReadRecord, "id" | "service">): Row[] {
  const { requests, happenings } = start.backend;
  const all = service === "functions" ? requests.list({ callers: true }).records : [];
  return [
    ...all.filter(({ parent }) => parent === id).map(rowOf),
    ...happenedAfter(happenings, 0)
      .found.filter((one) => "request" in one && one.request === id && !repeats(one))
      .map(happenedRow),
  ].sort((one, other) => one.at - other.at);
}

const place = z.int().positive().catch(0);
const cursor = z.tuple([place, place]).catch([0, 0]);

/** The beginning, where it is no cursor. */
function cursorOf(after: unknown): Cursor {
  return checked(cursor, after);
}
