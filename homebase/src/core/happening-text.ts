/** Owns an entry of what happened as one line. */
import type {
  BroadcastHappening,
  ChangeHappening,
  JoinHappening,
  ReadHappening,
  Receiver,
  TokenOwner,
} from "./happenings.ts";

/** Without its time and kind. */
export function happeningText(happening: ReadHappening): string {
  const text = textOf(happening);
  return happening.times > 1 ? `${text} (and ${happening.times - 1} alike in this second)` : text;
}

function textOf(happening: ReadHappening): string {
  switch (happening.kind) {
    case "mail": {
      const { to, subject, failure } = happening;
      return `to ${to}: ${subject}${failure === undefined ? "" : `, not sent: ${failure}`}`;
    }
    case "job": {
      const { job, name, role, status, message, milliseconds } = happening;
      return `${job}${name === undefined ? "" : ` (${name})`} of ${role} ${status} after ${milliseconds} ms: ${message.trim()}`;
    }
    case "net": {
      const { id, method, url, status, failure, milliseconds } = happening;
      return `${id} ${method} ${url} ${status ?? failure} after ${milliseconds} ms`;
    }
    case "join": {
      const { receiver, outcome, reason } = happening;
      return `${topicOf(receiver)} ${JOINS[outcome]} ${who(receiver)}${reason === undefined ? "" : `: ${reason}`}`;
    }
    case "change":
      return changeText(happening);
    case "broadcast":
      return broadcastText(happening);
    case "presence": {
      const { receiver, outcome, key, failure, sent, joined } = happening;
      const named = key === undefined ? "" : ` as ${key}`;
      const told = failure === undefined ? ` to ${sent} of ${joined}` : `: ${failure}`;
      return `${topicOf(receiver)} ${outcome}${named} by ${who(receiver)}${told}`;
    }
    case "file": {
      const { file, outcome, failure } = happening;
      return `${file} ${outcome}${failure === undefined ? "" : `: ${failure}`}`;
    }
    case "log":
      return `${happening.level} ${happening.service}: ${happening.message}`;
  }
}

const JOINS: Readonly<Record<JoinHappening["outcome"], string>> = {
  joined: "joined by",
  refused: "refused to",
  left: "left by",
  ended: "ended for",
};

function changeText(change: ChangeHappening): string {
  const { schema, table, action, key, subscribed, sent, otherAction, filtered, unauthorized, hidden } =
    change;
  const gates = listed([
    [otherAction, "for another kind of change"],
    [filtered, "by filter"],
    [unauthorized, "not granted"],
    [hidden, "by policy"],
  ]);
  return `${action} ${schema}.${table} (${key.join(", ")}) to ${sent} of ${subscribed}${gates}`;
}

function broadcastText(broadcast: BroadcastHappening): string {
  const { topic, event, origin, sender, failure, joined, sent, hidden, otherway } = broadcast;
  const place = topicOf({ topic, private: broadcast.private });
  const by = sender ? who(sender) : "the database";
  const from = origin === "http" ? `a request of ${by}` : by;
  const what = `${event ?? "(event not read)"} on ${place} from ${from}`;
  if (failure !== undefined) return `${what} refused: ${failure}`;
  const other = broadcast.private ? "public" : "private";
  const gates = listed([
    [hidden, "may not read"],
    [otherway, `joined it as ${other}`],
  ]);
  return `${what} to ${sent} of ${joined}${gates}`;
}

function topicOf({ topic, private: isPrivate }: Pick<Receiver, "topic" | "private">): string {
  return `${topic} (${isPrivate ? "private" : "public"})`;
}

function who({ role, user, email }: TokenOwner): string {
  return user === undefined ? role : `${role} ${email ?? user}`;
}

function listed(counts: readonly [number, string][]): string {
  const some = counts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  return some.length === 0 ? "" : `; ${some.join(", ")}`;
}
