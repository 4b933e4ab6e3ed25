/** Owns the calls of the page: from their JSON to their answers. */
import { setTimeout } from "node:timers/promises";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import { jsonResponse, type ServiceResponse } from "../../../src/http/exchange.ts";
import type { About, Cursor } from "./api.ts";
import { CallRefused } from "./call-refused.ts";
import { dataCalls } from "./data/calls.ts";
import { Feed } from "./feed.ts";
import type { Frames } from "./frames.ts";
import { happenedAfter, happenedBy, happenedEntry, happenedRow, questionOf, repeats } from "./happened.ts";
import { MadeTests } from "./made-tests.ts";
import { names } from "./names.ts";
import { entryOf, rowOf } from "./rows.ts";
import { outgoingOf, send } from "./send.ts";
import { sqlCalls } from "./sql/calls.ts";
import { stackCalls } from "./stack/calls.ts";
import { Reasons } from "./why.ts";

type Ask = Readonly<Record<string, unknown>>;

export interface Calls {
  /** @throws CallRefused */
  answer(name: string, ask: Ask, signal: AbortSignal): Promise<ServiceResponse>;
  close(): void;
}

export function createCalls(start: DeveloperStart, frames: Frames): Calls {
  const { backend } = start;
  const { requests, happenings, config, keys } = backend;
  const feed = new Feed(backend, backend.log.named("console"));
  const reasons = new Reasons(start);
  const tests = new MadeTests(start);
  const api = { url: backend.url, publishableKey: keys.publishableKey };
  const about: About = {
    ...api,
    project: config.project_id,
    began: Math.round(performance.timeOrigin),
    ...(start.inbox.url === undefined ? {} : { inbox: start.inbox.url }),
  };

  /** The record as it may be shown, and with its values. */
  const recorded = ({ id }: { id?: unknown }) => {
    const [record, whole] = typeof id === "string" ? [requests.get(id), requests.withValues(id)] : [];
    if (record && whole) return { record, whole };
    throw new CallRefused(404, "The stack no longer keeps this request: it keeps the last 5,000.");
  };

  const calls: Readonly<Record<string, (ask: Ask, signal: AbortSignal) => Promise<ServiceResponse>>> = {
    about: async () => jsonResponse(200, about),
    feed: async ({ after, filter }, signal) => ({
      status: 200,
      headers: { "content-type": "application/x-ndjson" },
      body: feed.open(cursorOf(after), typeof filter === "string" ? filter : "", signal),
    }),
    entry: async (ask) => {
      const happened = happenedBy(happenings, String(ask.id));
      if (happened) return jsonResponse(200, happenedEntry(happened, start.inbox.messages()));
      const { record, whole } = recorded(ask);
      const all = record.service === "functions" ? requests.list({ callers: true }).records : [];
      const caused = [
        ...all.filter(({ parent }) => parent === record.id).map(rowOf),
        ...happenedAfter(happenings, 0)
          .found.filter((one) => "request" in one && one.request === record.id && !repeats(one))
          .map(happenedRow),
      ].sort((one, other) => one.at - other.at);
      return jsonResponse(
        200,
        entryOf(record, whole, { caused, answerKept: requests.failureOf(record.id) !== undefined }),
      );
    },
    answer: async (ask) => jsonResponse(200, { body: requests.failureOf(recorded(ask).record.id) ?? "" }),
    frame: async ({ id, pictures }) => {
      const mail = start.inbox.messages().find((one) => one.id === id);
      if (!mail) throw new CallRefused(404, "The mail is no longer in the inbox.");
      return jsonResponse(200, { ticket: frames.ticket(mail, pictures === true) });
    },
    outgoing: async (ask) => jsonResponse(200, outgoingOf(recorded(ask).whole, config.api.schemas[0])),
    send: async (ask, signal) => {
      const sent = await send(start, ask, (id) => recorded({ id }).whole, signal);
      // The gateway records a request after its response.
      for (let waits = 0; waits < 50 && !requests.get(sent.id); waits += 1) await setTimeout(10);
      return jsonResponse(200, sent);
    },
    names: async () => jsonResponse(200, await names(start)),
    test: async (ask, signal) => jsonResponse(200, await tests.make(recorded(ask).whole, signal)),
    saveTest: async ({ id }) => jsonResponse(200, tests.save(String(id))),
    ...dataCalls(start, reasons),
    ...sqlCalls(start),
    ...stackCalls(start),
    why: async (ask, signal) => {
      const happened = happenedBy(happenings, String(ask.id));
      const question = happened && questionOf(happened);
      if (!happened || !question) return jsonResponse(200, await reasons.of(recorded(ask).whole, signal));
      return jsonResponse(200, await reasons.ofRealtime(question, happenedEntry(happened, []).gates));
    },
  };

  return {
    answer: async (name, ask, signal) => {
      const call = Object.hasOwn(calls, name) ? calls[name] : undefined;
      if (!call) throw new CallRefused(404, "There is no such call.");
      return call(ask, signal);
    },
    close: () => feed.close(),
  };
}

/** The beginning, where it is no cursor. */
function cursorOf(after: unknown): Cursor {
  const [requests, happened] = Array.isArray(after) ? after : [];
  const whole = (one: unknown) => (Number.isSafeInteger(one) && Number(one) > 0 ? Number(one) : 0);
  return [whole(requests), whole(happened)];
}
