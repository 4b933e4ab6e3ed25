/**
 * Owns the ring of what happens in a Backend besides requests: mails, jobs, calls of pg_net, Realtime, migrations and log
 * lines. It is in memory only. Nothing is noted for each delivery of Realtime: a change or a broadcast is one entry.
 */
import type { LogEntry, LogLevel } from "./log.ts";
import { follow, Ring, type RingPart } from "./ring.ts";

/** Who a token of Realtime is for. */
export interface TokenOwner {
  role: string;
  /** The claim `sub`. */
  user: string | undefined;
  /** The claim `email`. */
  email: string | undefined;
}

/** A channel of one client, as it was when something happened. */
export interface Receiver extends TokenOwner {
  /** A number of this start. */
  channel: number;
  topic: string;
  private: boolean;
}

/** A mail of Auth. */
export interface MailHappening {
  kind: "mail";
  to: string;
  subject: string;
  /** The id of the request that sent it. */
  request: string;
  /** Its id in the inbox; undefined where a server of config.toml has got it, and for a failure. */
  mail?: string | undefined;
  /** Why it was not sent. */
  failure?: string | undefined;
}

/** A run of a job of pg_cron. */
export interface JobHappening {
  kind: "job";
  /** Its `jobid`. */
  job: string;
  /** Its `jobname`. */
  name: string | undefined;
  run: string | undefined;
  role: string;
  status: "succeeded" | "failed";
  /** As in `cron.job_run_details`: "3 rows", or the error. */
  message: string;
  milliseconds: number;
}

/** A request of pg_net. */
export interface NetHappening {
  kind: "net";
  /** In `net._http_response`. */
  id: string;
  method: string;
  /** Its query has no values. */
  url: string;
  status: number | null;
  failure?: string | undefined;
  milliseconds: number;
}

/** A channel was joined or left, refused, or ended by the stack. */
export interface JoinHappening {
  kind: "join";
  receiver: Receiver;
  outcome: "joined" | "refused" | "left" | "ended";
  /** What the client was told. */
  reason?: string | undefined;
}

/**
 * A committed change of a row of a table to which somebody had subscribed. The counts are of subscriptions, by the gate
 * that they got to.
 */
export interface ChangeHappening {
  kind: "change";
  schema: string;
  table: string;
  action: "INSERT" | "UPDATE" | "DELETE";
  /** Of the new row, or of the old one for DELETE; null where the log has no value. */
  key: (string | null)[];
  subscribed: number;
  /** For another kind of change. */
  otherAction: number;
  /** The filter did not match. */
  filtered: number;
  /** The role may not select the key, or the table has no primary key: these get an event with an error. */
  unauthorized: number;
  /** A policy hides the row. */
  hidden: number;
  sent: number;
  /** Some of those who were filtered, unauthorized or hidden. */
  refused: readonly { receiver: Receiver; gate: "filter" | "grant" | "policy" }[];
}

/** A broadcast. */
export interface BroadcastHappening {
  kind: "broadcast";
  topic: string;
  private: boolean;
  /** Undefined for a message whose payload was not read. */
  event: string | undefined;
  /** A channel's client, a request to the API, or `realtime.send` and `broadcast_changes`. */
  origin: "client" | "http" | "database";
  /** The id of the request. */
  request?: string | undefined;
  /** Of a client with its channel. */
  sender?: (TokenOwner & { channel?: number }) | undefined;
  /** Whether that channel gets its own broadcasts. */
  self?: boolean;
  bytes: number;
  /** Why it was sent to nobody: as an acknowledgement or the response says it. */
  failure?: string | undefined;
  /** Whether the sender is told of a failure: an acknowledgement was asked for, or it is a request. */
  told: boolean;
  /** Channels of this topic, public or private as the broadcast is. */
  joined: number;
  sent: number;
  /** Channels of the same topic that were joined the other way, private or public. */
  otherway: number;
  /** Of the joined, those that may not read broadcasts. */
  hidden: number;
  /** Some of these. */
  refused: readonly Receiver[];
}

/** A channel's client said what others should see of it, said that it is no longer present, or may not say so. */
export interface PresenceHappening {
  kind: "presence";
  receiver: Receiver;
  outcome: "tracked" | "untracked" | "refused";
  /** The name that others see it under; undefined where it has none yet. */
  key: string | undefined;
  /** Why it was refused: hosted tells the client "error" alone. */
  failure?: string | undefined;
  /** Channels of this topic, public or private as this one is, itself among them. */
  joined: number;
  /** Of these, those that may see who is present. */
  sent: number;
}

/** A migration or a seed. */
export interface FileHappening {
  kind: "file";
  /** Of a reset, the folder. */
  file: string;
  outcome: "applied" | "replaced" | "seeded" | "failed" | "reset";
  failure?: string | undefined;
}

/** A log entry of info and above. */
export interface LogHappening {
  kind: "log";
  level: LogLevel;
  service: string;
  message: string;
  /** The id of the request that a function answered when it logged. */
  request?: string | undefined;
}

export type Happening =
  | MailHappening
  | JobHappening
  | NetHappening
  | JoinHappening
  | ChangeHappening
  | BroadcastHappening
  | PresenceHappening
  | FileHappening
  | LogHappening;
export type HappeningKind = Happening["kind"];
export const HAPPENING_KINDS = [
  "mail",
  "job",
  "net",
  "join",
  "change",
  "broadcast",
  "presence",
  "file",
  "log",
] as const satisfies readonly HappeningKind[];

/** An entry as it is read. */
export type ReadHappening = Happening & {
  /** ISO 8601. */
  at: string;
  /** How many alike this entry stands for; it may still grow within the entry's second. */
  times: number;
};

/** A part of the ring. */
export interface HappeningList extends RingPart {
  happenings: ReadHappening[];
}

/** Which entries, and from where on. */
export interface HappeningFilter {
  /** The `cursor` of an earlier answer: only later entries. */
  after?: number | undefined;
  /** The last so many. */
  limit?: number | undefined;
  kinds?: readonly HappeningKind[] | undefined;
  /** Only what this request caused, by its id. */
  request?: string | undefined;
}

/** Notes what happened; the entry is kept as it is, and not changed afterwards. */
export type Happened = (happening: Happening) => void;

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 2 * 1024 ** 2;
const OWN_BYTES = 200;
const RECEIVER_BYTES = 40;
/** At most so many entries a second of one table or topic; further ones are counted in the last. */
const MOST_A_SECOND = 20;
/** Longer texts are cut. */
const MAX_TEXT = 2_000;
/** Receivers that an entry names. */
export const MOST_RECEIVERS = 20;

interface Kept {
  readonly happening: Happening;
  readonly at: number;
  readonly held: number;
  times: number;
}

/** The last happenings of one Backend. */
export class Happenings {
  readonly #ring = new Ring<Kept>(MAX_ENTRIES, MAX_BYTES);
  /** The entries of this second, by what they are about. */
  #second = 0;
  #ofSecond = new Map<string, { count: number; last: Kept }>();

  readonly happened: Happened = (happening) => {
    const at = Date.now();
    const about = aboutOf(happening);
    if (about === undefined) return void this.#keep(happening, at);
    const second = Math.floor(at / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#ofSecond = new Map();
    }
    const before = this.#ofSecond.get(about);
    if (before && before.count >= MOST_A_SECOND) before.last.times += 1;
    else this.#ofSecond.set(about, { count: (before?.count ?? 0) + 1, last: this.#keep(happening, at) });
  };

  /** A sink of the log. */
  readonly logged = ({ level, service, message, fields }: LogEntry): void => {
    if (level === "debug") return;
    const request = typeof fields?.request === "string" ? fields.request : undefined;
    this.happened({ kind: "log", level, service, message, request });
  };

  /** In the order in which they happened. */
  list({ after, limit, kinds, request }: HappeningFilter = {}): HappeningList {
    const matches = ({ happening }: Kept) =>
      (kinds === undefined || kinds.includes(happening.kind)) &&
      (request === undefined || ("request" in happening && happening.request === request));
    const { entries, cursor, lost } = this.#ring.list(matches, after, limit);
    const happenings = entries.map(({ happening, at, times }) => ({
      ...happening,
      at: new Date(at).toISOString(),
      times,
    }));
    return { happenings, cursor, lost };
  }

  /** Later entries in batches, until the signal. */
  follow(filter: HappeningFilter, signal: AbortSignal): AsyncGenerator<HappeningList> {
    return follow(
      (after) => this.list({ ...filter, after }),
      filter.after ?? this.#ring.cursor,
      ({ happenings }) => happenings.length === 0,
      signal,
    );
  }

  #keep(happening: Happening, at: number): Kept {
    const short = shortened(happening);
    const kept = { happening: short, at, held: heldBy(short), times: 1 };
    this.#ring.add(kept);
    return kept;
  }
}

/** The subject of entries that may come in floods: one statement may change a million rows. */
function aboutOf(happening: Happening): string | undefined {
  if (happening.kind === "change") {
    const { schema, table, action, sent } = happening;
    return `${action} ${schema}.${table} ${sent > 0}`;
  }
  if (happening.kind === "broadcast") {
    const { topic, event, origin, failure } = happening;
    return `${origin} ${failure} ${topic} ${event}`;
  }
  if (happening.kind === "join" || happening.kind === "presence")
    return `${happening.kind} ${happening.outcome} ${happening.receiver.topic}`;
  return undefined;
}

function shortened(happening: Happening): Happening {
  const long = Object.entries(happening).filter(
    ([, value]) => typeof value === "string" && value.length > MAX_TEXT,
  );
  if (long.length === 0) return happening;
  return {
    ...happening,
    ...Object.fromEntries(long.map(([name, value]) => [name, `${String(value).slice(0, MAX_TEXT)}…`])),
  };
}

function heldBy(happening: Happening): number {
  let held = OWN_BYTES;
  for (const value of Object.values(happening)) {
    if (typeof value === "string") held += 2 * value.length;
    else if (Array.isArray(value))
      for (const one of value) held += typeof one === "string" ? 2 * one.length : RECEIVER_BYTES;
  }
  return held;
}
