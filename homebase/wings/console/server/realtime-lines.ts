/** Owns what a line says of Realtime: joins of channels, changes, broadcasts and presence, with the gates that each passed. */
import type {
  BroadcastHappening,
  ChangeHappening,
  JoinHappening,
  PresenceHappening,
  TokenOwner,
} from "../../../src/core/happenings.ts";
import type { Gate, Mark } from "./api.ts";
import { shortWho } from "./request-lines.ts";

/** What a line says of an entry. */
export interface Said {
  verb: string;
  name: string;
  rest?: string;
  who?: string | undefined;
  outcome: string;
  mark: Mark;
  gates: Gate[];
  status?: number;
  ms?: number;
}

/** @param hidden how many of so many did not pass it */
export function gate(name: string, mark: Mark, text: string, [hidden, of] = [0, 0]): Gate {
  return { name, mark, text, ...(hidden > 0 ? { hidden, of } : {}) };
}

function sentTo(sent: number, of: number): Gate {
  return gate("Sent", sent > 0 ? "open" : "unknown", `${sent} of ${of}`);
}

export function whoOf({ user, email, role }: TokenOwner): string {
  return user === undefined ? role : shortWho(email ?? user);
}

/** The texts with which Realtime refuses a join (docs/compat/realtime.md). */
const BY_POLICY = /permission|unauthorized/i;
const BY_TOKEN = /token|jwt|expired/i;

export function joinSaid({ receiver, outcome, reason = "" }: JoinHappening): Said {
  const refused = outcome === "refused";
  const shut = BY_POLICY.test(reason) ? "Policy" : BY_TOKEN.test(reason) ? "Token" : "Channel";
  const names = ["Key", "Token", "Channel", "Policy"];
  const stop = refused ? names.indexOf(shut) : names.length;
  return {
    verb: "join",
    name: receiver.topic,
    who: whoOf(receiver),
    outcome: refused ? `refused by ${shut.toLowerCase()}` : outcome,
    mark: refused ? "shut" : "open",
    gates:
      outcome === "left" || outcome === "ended"
        ? []
        : names.map((name, at) => {
            if (at === stop) return gate(name, "shut", reason);
            // The policies of a public channel are not asked.
            if (at > stop || (name === "Policy" && !receiver.private)) return gate(name, "unknown", "");
            return gate(name, "open", name === "Token" ? receiver.role : "let it through");
          }),
  };
}

function part(some: number, all: number): Mark {
  return some === 0 ? "open" : some < all ? "part" : "shut";
}

export function changeSaid(change: ChangeHappening): Said {
  const { schema, table, action, key, subscribed, otherAction, filtered, unauthorized, hidden, sent } =
    change;
  const asked = subscribed - otherAction;
  const refused = hidden + unauthorized;
  const judged = asked - filtered;
  return {
    verb: action.toLowerCase(),
    name: schema === "public" ? table : `${schema}.${table}`,
    rest: ` (${key.map((one) => one ?? "null").join(", ")})`,
    outcome: `to ${sent} of ${asked}`,
    mark: refused > 0 ? (sent === 0 ? "shut" : "part") : "open",
    gates: [
      gate("Publication", "open", "in supabase_realtime"),
      gate("Filter", part(filtered, asked), `${judged} of ${asked} match`, [filtered, asked]),
      gate("Policy", judged === 0 ? "unknown" : part(refused, judged), policyText(unauthorized, hidden), [
        refused,
        judged,
      ]),
      sentTo(sent, asked),
    ],
  };
}

export function broadcastSaid(broadcast: BroadcastHappening): Said {
  const { topic, event, origin, sender, failure, joined, sent, hidden, otherway } = broadcast;
  const other = broadcast.private ? "public" : "private";
  const reaches = failure === undefined;
  const missed = hidden > 0 || (sent === 0 && otherway > 0);
  return {
    verb: "send",
    name: topic,
    rest: ` ${event ?? "(event not read)"}`,
    who: sender ? whoOf(sender) : origin,
    outcome: reaches ? `to ${sent} of ${joined}` : "refused",
    mark: !reaches || (missed && sent === 0) ? "shut" : missed ? "part" : "open",
    gates: [
      otherway > 0
        ? gate("Channel", "part", `${otherway} joined it as ${other}`)
        : gate("Channel", "open", topic),
      reaches && !broadcast.private
        ? gate("Policy", "unknown", "")
        : gate("Policy", reaches ? part(hidden, joined) : "shut", failure ?? policyText(0, hidden), [
            hidden,
            joined,
          ]),
      sentTo(sent, joined),
    ],
  };
}

export function presenceSaid({ receiver, outcome, key, failure, joined, sent }: PresenceHappening): Said {
  const byPayload = failure?.includes("payload") === true;
  const byPolicy = failure !== undefined && !byPayload;
  const hidden = failure === undefined ? joined - sent : 0;
  const asked: Mark = receiver.private ? part(hidden, joined) : "unknown";
  return {
    verb: outcome === "untracked" ? "untrack" : "track",
    name: receiver.topic,
    rest: key === undefined ? "" : ` ${key}`,
    who: whoOf(receiver),
    outcome: failure === undefined ? `to ${sent} of ${joined}` : "refused",
    mark: failure !== undefined ? "shut" : hidden > 0 ? "part" : "open",
    gates: [
      byPolicy
        ? gate("Policy", "shut", failure)
        : gate("Policy", asked, policyText(0, hidden), [hidden, joined]),
      byPolicy
        ? gate("Payload", "unknown", "")
        : gate("Payload", byPayload ? "shut" : "open", byPayload ? failure : "let it through"),
      sentTo(sent, joined),
    ],
  };
}

function policyText(unauthorized: number, hidden: number): string {
  const parts = [
    ...(unauthorized > 0 ? [`${unauthorized} may not select its key`] : []),
    ...(hidden > 0 ? [`${hidden} may not read it`] : []),
  ];
  return parts.length === 0 ? "let it through" : parts.join(", ");
}
