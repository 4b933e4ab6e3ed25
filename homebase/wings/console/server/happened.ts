/** Owns what happened besides requests as lines of the feed, and whole: mails, jobs, Realtime, files and log lines. */
import { happeningText } from "../../../src/core/happening-text.ts";
import type { Happenings, ReadHappening, TokenOwner } from "../../../src/core/happenings.ts";
import { EVENT, JOIN } from "../../../src/explain/index.ts";
import { codeOf, linksOf } from "../../../src/mail/extracted-text.ts";
import type { Message } from "../../../src/mail/message.ts";
import type { Entry, Row } from "./api.ts";
import { stripOf } from "./gates.ts";
import {
  broadcastSaid,
  changeSaid,
  gate,
  joinSaid,
  presenceSaid,
  type Said,
  whoOf,
} from "./realtime-lines.ts";
import { shortWho } from "./request-lines.ts";
import type { Told } from "./told.ts";

/** An entry with its name: its place in the ring, and the start that it is of. Its text has what it calls itself. */
export type Named = ReadHappening & { id: string; text: string };

/** The ids of one start differ from those of the next, whose rows may stand in the same page. */
const START = Math.round(performance.timeOrigin).toString(36);

const REFUSED = /^[A-Z]+ \/\S* was refused/;
/** Log lines that say what an entry of its own says as well. */
const REPEATS: Readonly<Record<string, RegExp>> = {
  mail: /^Mail to /,
  background: /^Job \S+ failed/,
  rest: REFUSED,
  storage: REFUSED,
};

export function repeats(happening: Named): boolean {
  return (
    happening.kind === "log" &&
    Object.hasOwn(REPEATS, happening.service) &&
    REPEATS[happening.service]?.test(happening.message) === true
  );
}

/** The entries behind a cursor. */
export function happenedAfter(happenings: Happenings, after: number, limit?: number) {
  const { happenings: found, cursor, lost } = happenings.list({ after, limit });
  const first = cursor - found.length;
  return {
    found: found.map(
      (one, at): Named => ({ ...one, id: `${START}.${first + at}`, text: happeningText(one) }),
    ),
    cursor,
    lost,
  };
}

/** One entry; undefined for one that the stack no longer keeps. */
export function happenedBy(happenings: Happenings, id: string): Named | undefined {
  const [start, place = ""] = id.split(".");
  if (start !== START || !/^\d+$/.test(place)) return undefined;
  const [found] = happenedAfter(happenings, Number(place)).found;
  return found?.id === id ? found : undefined;
}

export function happenedRow(happening: Named): Row {
  const { gates, who, ...said } = saidOf(happening);
  const parent = "request" in happening ? happening.request : undefined;
  return {
    id: happening.id,
    kind: happening.kind,
    parent,
    at: Date.parse(happening.at),
    service: serviceOf(happening),
    who,
    ...said,
    gates: stripOf(gates),
  };
}

export function happenedTold(happening: Named): Told {
  const { name, mark, who, ms, status } = saidOf(happening);
  const { kind, id, at } = happening;
  return {
    kind,
    id,
    at: Date.parse(at),
    text: `${kind} ${happening.text}`,
    service: serviceOf(happening),
    table: kind === "change" ? happening.table : undefined,
    job: kind === "job" ? happening.job : undefined,
    channel: kind === "broadcast" || kind === "join" || kind === "presence" ? name : undefined,
    who: [...(who === undefined ? [] : [who]), ...namesOf(happening)],
    ms,
    status,
    failed: mark === "shut",
    empty: false,
  };
}

export function happenedEntry(happening: Named, mails: readonly Message[]): Entry {
  const { gates } = saidOf(happening);
  const mail =
    happening.kind === "mail" && happening.mail !== undefined
      ? mails.find(({ id }) => id === happening.mail)
      : undefined;
  return {
    row: happenedRow(happening),
    gates,
    path: happening.kind === "log" ? happening.message : happening.text,
    caused: [],
    answerKept: false,
    explained: questionOf(happening) !== undefined,
    sendable: false,
    testable: false,
    mail: mail && {
      ...{ id: mail.id, text: mail.text, code: codeOf(mail) },
      loadsPictures: /<img\b[^>]*\bsrc\s*=\s*["']?https?:|url\(["']?https?:/i.test(mail.html),
      links: linksOf(mail).filter((link) => /^https?:\/\//i.test(link)),
    },
    missed: missedOf(happening),
  };
}

const SERVICES: Readonly<Partial<Record<Named["kind"], string>>> = {
  mail: "auth",
  job: "cron",
  net: "net",
  file: "migrations",
};

function serviceOf(happening: Named): string {
  return happening.kind === "log" ? happening.service : (SERVICES[happening.kind] ?? "realtime");
}

function saidOf(happening: Named): Said {
  switch (happening.kind) {
    case "mail": {
      const { subject, to, failure } = happening;
      const sent = failure === undefined;
      return {
        verb: "mail",
        name: subject,
        who: shortWho(to),
        outcome: sent ? (happening.mail === undefined ? "sent" : "inbox") : "not sent",
        mark: sent ? "open" : "shut",
        gates: [
          gate("Template", "open", "was filled in"),
          gate("Sent", sent ? "open" : "shut", failure ?? "sent"),
        ],
      };
    }
    case "job": {
      const { job, name, role, status, message, milliseconds } = happening;
      const ran = status === "succeeded";
      return {
        verb: "job",
        name: name ?? job,
        rest: ` ${message.trim()}`,
        who: role,
        outcome: ran ? "" : "failed",
        mark: ran ? "open" : "shut",
        gates: [gate("Due", "open", "was due"), gate("Ran", ran ? "open" : "shut", message.trim())],
        ms: milliseconds,
      };
    }
    case "net": {
      const { method, url, status, failure, milliseconds } = happening;
      const answered = status !== null;
      return {
        verb: method,
        name: url,
        who: "pg_net",
        outcome: answered ? "" : "no answer",
        mark: !answered ? "shut" : status >= 400 ? "part" : "open",
        gates: [
          gate("Sent", "open", "sent"),
          gate("Answer", answered ? "open" : "shut", failure ?? `answered ${status}`),
        ],
        ...(answered ? { status } : {}),
        ms: milliseconds,
      };
    }
    case "file": {
      const { file, outcome, failure } = happening;
      return {
        verb: "file",
        name: file.replace(/^.*\//, ""),
        outcome,
        mark: failure === undefined ? "open" : "shut",
        gates: [gate("Statements", failure === undefined ? "open" : "shut", failure ?? outcome)],
      };
    }
    case "log": {
      const { level, message, service, request } = happening;
      return {
        verb: "log",
        name: message,
        // A function's line stands beneath its call.
        who: request === undefined ? service : undefined,
        outcome: level === "info" ? "" : level,
        mark: level === "error" ? "shut" : level === "warn" ? "part" : "open",
        gates: [],
      };
    }
    case "join":
      return joinSaid(happening);
    case "change":
      return changeSaid(happening);
    case "broadcast":
      return broadcastSaid(happening);
    case "presence":
      return presenceSaid(happening);
  }
}

/** Some of those who did not get an event, with the gate that kept it from them. */
function missedOf(happening: Named): { who: string; gate: string }[] {
  if (happening.kind === "change")
    return happening.refused.map(({ receiver, gate }) => ({ who: whoOf(receiver), gate }));
  if (happening.kind === "broadcast")
    return happening.refused.map((receiver) => ({ who: whoOf(receiver), gate: "policy" }));
  return [];
}

/** The question for `explain` about an entry of Realtime: why the first refused receiver did not get it. */
export interface RealtimeQuestion {
  method: typeof EVENT | typeof JOIN;
  path: string;
  receiver: TokenOwner;
  row?: string;
}

/** Undefined where nobody was refused, or no policy is asked. */
export function questionOf(happening: Named): RealtimeQuestion | undefined {
  switch (happening.kind) {
    case "join":
    case "presence": {
      const { receiver } = happening;
      return receiver.private ? { method: JOIN, path: receiver.topic, receiver } : undefined;
    }
    case "change": {
      const { schema, table, key, refused } = happening;
      const { receiver } = refused.find(({ gate }) => gate !== "filter") ?? {};
      // A value with a comma would be two in the text of a key.
      const named = key.length > 0 && key.every((one) => one !== null && /^[^,"\\]+$/.test(one));
      return (
        receiver && {
          method: EVENT,
          path: `${schema}.${table}`,
          receiver,
          ...(named ? { row: key.join(",") } : {}),
        }
      );
    }
    case "broadcast": {
      const { topic, event, refused, sender, failure } = happening;
      const receiver = refused[0] ?? (failure === undefined ? undefined : sender);
      const query = new URLSearchParams({
        ...(event === undefined ? {} : { event }),
        private: `${happening.private}`,
      });
      return receiver && { method: EVENT, path: `realtime:${topic}?${query}`, receiver };
    }
    default:
      return undefined;
  }
}

/** Email, id and role, as the filter finds a request by them. */
function namesOf(happening: Named): string[] {
  const receiver =
    happening.kind === "join" || happening.kind === "presence"
      ? happening.receiver
      : happening.kind === "broadcast"
        ? happening.sender
        : undefined;
  if (happening.kind === "mail") return [happening.to];
  return [receiver?.email, receiver?.user, receiver?.role].filter((name) => name !== undefined);
}
