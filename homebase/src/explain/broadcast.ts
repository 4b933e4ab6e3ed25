/**
 * Owns the explanation of a broadcast that did not come: what the stack has noted of the topic's last broadcast, where the
 * caller was joined at that moment, and what the policies of `realtime.messages` let the caller read and write there
 * (docs/compat/realtime.md 8 to 10 and 16).
 */
import type { BroadcastHappening, JoinHappening, ReadHappening } from "../core/happenings.ts";
import type { Asked } from "./asked-tables.ts";
import { judgeUses } from "./channel-join.ts";
import { ExplainError } from "./database/explanation-transaction.ts";
import type { Rules } from "./rules.ts";

/** The beginning of a topic's address, which no table's has. */
export const TOPIC = /^realtime:/;

type Broadcast = BroadcastHappening & ReadHappening;
type Join = JoinHappening & ReadHappening;

/** What the question names. */
interface Sought {
  topic: string;
  event: string | undefined;
  /** As the address says it. */
  private: boolean | undefined;
}

/** Where the caller stood when something was sent. */
interface Standing {
  /** The channels that were joined, by their numbers. */
  joined: Map<number, Join>;
  /** The last time that a channel was refused, left or ended before it. */
  lost: Join | undefined;
  /** The first join after it. */
  later: Join | undefined;
}

/**
 * Explains broadcasts of `realtime:topic?event=…&private=…`.
 * @param happened joins and broadcasts of the running stack, in order; undefined where it cannot be asked.
 * @throws ExplainError for a topic without a name.
 */
export async function explainBroadcast(
  rules: Rules,
  asked: Asked,
  happened: readonly ReadHappening[] | undefined,
): Promise<void> {
  const sought = soughtOf(asked.path);
  const joins = (happened ?? []).filter((one): one is Join => one.kind === "join");
  const last = (happened ?? []).findLast(
    (one): one is Broadcast => one.kind === "broadcast" && meets(one, sought),
  );
  const isPrivate = sought.private ?? last?.private ?? lastJoin(rules, joins, sought.topic)?.receiver.private;
  if (happened === undefined) {
    rules.say(
      "unknown",
      "What the stack has sent is not known here: it does not run, or the database is another's.",
    );
  } else if (last) sayLast(rules, sought, last, standing(rules, joins, last));
  else sayNone(rules, sought, joins, happened);
  await sayStored(rules, sought, last);
  if (isPrivate === false) {
    rules.say("note", `${sought.topic} is asked about as a public channel: no policy is asked there.`);
    return;
  }
  const uses = await judgeUses(rules, sought.topic, ["broadcast"]);
  const able = uses.filter(({ passed }) => passed).map(({ use }) => use.can);
  if (able.length > 0)
    rules.say(
      "allowed",
      `On private channel ${sought.topic}, ${rules.caller.role} may ${able.join(" and ")}.`,
    );
  rules.sentences.push(...uses.flatMap(({ told }) => told));
  if (uses.some(({ use, passed }) => use.command === "insert" && !passed)) {
    rules.say(
      "refused",
      `So realtime.send and broadcast_changes send nothing either where ${rules.caller.role} calls them, in a trigger of its own write too: send only warns. In a function with security definer they run as its owner.`,
    );
  }
}

/** @throws ExplainError */
function soughtOf(path: string): Sought {
  const [address = "", query = ""] = path.replace(TOPIC, "").split(/\?(?=[^?]*$)/);
  if (address === "") throw new ExplainError("Name the topic: homebase explain EVENT realtime:room:1");
  const given = new URLSearchParams(query);
  const isPrivate = given.get("private");
  return {
    topic: address,
    event: given.get("event") ?? undefined,
    private: isPrivate === null ? undefined : isPrivate === "true",
  };
}

function meets(one: Broadcast, { topic, event, private: isPrivate }: Sought): boolean {
  return (
    one.topic === topic &&
    (event === undefined || one.event === event) &&
    (isPrivate === undefined || one.private === isPrivate)
  );
}

/** Whether a channel is the caller's. */
function isOwn({ caller }: Rules, { receiver }: Join): boolean {
  const sub = typeof caller.claims.sub === "string" ? caller.claims.sub : undefined;
  return receiver.role === caller.role && receiver.user === sub;
}

function lastJoin(rules: Rules, joins: readonly Join[], topic: string): Join | undefined {
  return joins.findLast((one) => one.receiver.topic === topic && isOwn(rules, one));
}

/** The joins stand in the order of their times, so that those before the broadcast are what held then. */
function standing(rules: Rules, joins: readonly Join[], { topic, at }: Broadcast): Standing {
  const found: Standing = { joined: new Map(), lost: undefined, later: undefined };
  for (const join of joins) {
    if (join.receiver.topic !== topic || !isOwn(rules, join)) continue;
    if (join.at > at) {
      if (join.outcome === "joined") found.later ??= join;
    } else if (join.outcome === "joined") found.joined.set(join.receiver.channel, join);
    else {
      found.joined.delete(join.receiver.channel);
      found.lost = join;
    }
  }
  return found;
}

function sayLast(rules: Rules, sought: Sought, last: Broadcast, { joined, lost, later }: Standing): void {
  const { caller, asker } = rules;
  const you = asker.user === undefined ? caller.role : `${caller.role} ${asker.user}`;
  const kind = last.private ? "private" : "public";
  const from = { client: "a channel's client", http: "a request", database: "the database" }[last.origin];
  const what = `The last broadcast (${last.event ?? "event not read"}, ${clock(last.at)}, ${kind}, from ${from})`;
  if (last.failure !== undefined) {
    rules.say("refused", `${what} was sent to nobody: ${failureText(last)}`);
    return;
  }
  const channels = [...joined.values()].filter(({ receiver }) => receiver.private === last.private);
  const refused = channels.filter(({ receiver }) =>
    last.refused.some(({ channel }) => channel === receiver.channel),
  );
  const only = channels.length === 1 ? channels[0]?.receiver.channel : undefined;
  if (only !== undefined && only === last.sender?.channel && last.self !== true) {
    rules.say(
      "filtered",
      `${what} came from this channel itself, which gets its own broadcasts only with config: { broadcast: { self: true } }.`,
    );
  } else if (refused.length > 0 && refused.length === channels.length) {
    rules.say("hidden", `${what} was not sent to ${you}, who had joined and may not read broadcasts there.`);
  } else if (channels.length > 0) {
    rules.say(
      "allowed",
      `${what} was sent to ${last.sent} of ${last.joined} channels, ${you} among them, who had joined at ${clock(channels[0]?.at ?? "")}. Where it did not show, the listener is for another event: .on("broadcast", { event: "${last.event ?? "*"}" }).`,
    );
  } else if (joined.size > 0) {
    rules.say(
      "filtered",
      `${what} was not sent to ${you}, who had joined ${sought.topic} as ${last.private ? "public" : "private"}: the private and the public channel of a name are two. Join with config: { private: ${last.private} }.`,
    );
  } else if (lost) {
    const how = { refused: "was refused", left: "was left", ended: "was ended", joined: "" }[lost.outcome];
    rules.say(
      "refused",
      `${what} was not sent to ${you}, whose channel ${how} at ${clock(lost.at)}${lost.reason === undefined ? "." : `: ${lost.reason}`}`,
    );
  } else {
    rules.say(
      "absent",
      `${what} was sent to ${last.sent} of ${last.joined} channels, and ${you} had not joined${later ? ` before ${clock(later.at)}: a later join does not get it, but for stored ones that it asks for by replay` : ""}.`,
    );
  }
}

function failureText({ failure = "", origin, private: isPrivate, told, sender }: Broadcast): string {
  const who = sender ? (sender.user ?? sender.role) : "its sender";
  const why =
    failure === "payload_size_exceeded"
      ? "its payload is larger than 3,000 KB and 500 bytes"
      : failure === "unauthorized"
        ? `${who} may not write broadcasts there${isPrivate ? " (policies for insert on realtime.messages)" : ""}`
        : failure;
  if (told) return `${why}. The sender was told so.`;
  const how = origin === "client" ? ": with config: { broadcast: { ack: true } } send() gives the error" : "";
  return `${why}. The sender was not told${how}.`;
}

function sayNone(
  rules: Rules,
  { topic, event }: Sought,
  joins: readonly Join[],
  happened: readonly ReadHappening[],
): void {
  const what = event === undefined ? "No broadcast" : `No broadcast ${event}`;
  const first = happened[0];
  const since = first ? ` since ${clock(first.at)}, as far as the stack remembers` : " since the start";
  rules.say("absent", `${what} has come to the stack on ${topic}${since}.`);
  const others = new Set(
    happened.flatMap((one) => (one.kind === "broadcast" && one.topic === topic ? [one.event] : [])),
  );
  if (event !== undefined && others.size > 0)
    rules.say("note", `There were broadcasts of other events: ${[...others].join(", ")}.`);
  const join = lastJoin(rules, joins, topic);
  if (!join) {
    const elsewhere = new Set(joins.filter((one) => isOwn(rules, one)).map(({ receiver }) => receiver.topic));
    const where = elsewhere.size > 0 ? `, but ${[...elsewhere].slice(0, 5).join(", ")}` : "";
    rules.say("absent", `Nor has ${rules.caller.role} joined ${topic}${where}.`);
  } else if (join.outcome !== "joined") {
    rules.say(
      "refused",
      `The channel was ${join.outcome} at ${clock(join.at)}${join.reason === undefined ? "" : `: ${join.reason}`}.`,
    );
  }
}

/** What the database has sent is stored for three days, whether the log was read or not. */
async function sayStored(rules: Rules, { topic, event }: Sought, last: Broadcast | undefined) {
  const [row] = await rules.session.rows<{ event: string; private: boolean; at: string; present: boolean }>(
    `select event, private, pg_catalog.to_json(inserted_at at time zone 'UTC')::text as at
     from realtime.messages where topic = $1 and extension = 'broadcast' and ($2::text is null or event = $2)
     order by inserted_at desc limit 1`,
    [topic, event ?? null],
  );
  if (!row || last?.origin === "database") return;
  rules.say(
    "note",
    `The database has stored a broadcast there (${row.event}, ${row.private ? "private" : "public"}, ${row.at.replaceAll('"', "")} UTC): it is sent to who has joined when it is committed.`,
  );
}

/** The time of day, UTC. */
function clock(at: string): string {
  return at.slice(11, 23);
}
