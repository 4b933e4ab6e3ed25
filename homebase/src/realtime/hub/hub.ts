/** Owns the state shared by all sockets of a Backend's realtime service. */
import { errorBoundary } from "../../core/error-boundary.ts";
import type { BroadcastHappening } from "../../core/happenings.ts";
import type { ServiceContext } from "../../service-context.ts";
import { ChangeFeed } from "../changes/feed.ts";
import { deleteAllSubscriptions } from "../changes/subscriptions.ts";
import { Authorization } from "../kit/authorization.ts";
import { ENCODING_BINARY, ENCODING_JSON } from "../kit/frames.ts";
import type { Limits } from "../kit/limits.ts";
import { Rate } from "../kit/rate.ts";
import { Turns } from "../kit/turns.ts";
import { type Delivery, NOBODY, Rooms } from "./rooms.ts";

const DAY_MS = 86_400_000;

/** The hub's interface of a joined channel: it is notified about the log reader and its token's time. */
export interface JoinedChannel {
  checkExpiry(): void;
  readonly changes: {
    tellSubscribed(): void;
    onTablesChanged(names: ReadonlySet<string>): void;
  };
}

/** The state shared by all sockets of a Backend. */
export class Hub {
  readonly context: ServiceContext;
  readonly limits: Limits;
  readonly rooms = new Rooms();
  readonly authorization: Authorization;
  readonly feed: ChangeFeed;
  /** Rate of messages sent and delivered. */
  readonly messages: Rate;
  /** In which clients' messages are handled. */
  readonly turns: Turns;
  /** Rate of presence messages. */
  readonly presence: Rate;
  /** Sockets that have joined a channel. */
  readonly joined = new Set<object>();
  /** Tables that are not published, and were named in the log because a client subscribed to them. */
  readonly unpublished = new Set<string>();
  /** Joined channels on all sockets. */
  readonly channels = new Set<JoinedChannel>();
  /** Resolves when today's partition exists: without it no private channel could be authorized. */
  readonly ready: Promise<void>;
  /** For the timers of all channels. */
  readonly checkExpiry: (channel: JoinedChannel) => void;
  #joins = { second: 0, count: 0 };
  #lastChannel = 0;
  #saidNotStored = false;
  readonly #daily: NodeJS.Timeout;

  constructor(context: ServiceContext, limits: Limits) {
    this.context = context;
    this.limits = limits;
    this.checkExpiry = errorBoundary(context.log, "the check of a token's expiry", (channel: JoinedChannel) =>
      channel.checkExpiry(),
    );
    this.turns = new Turns((turn) => setImmediate(errorBoundary(context.log, "clients' messages", turn)));
    this.messages = new Rate(limits.messagesPerSecond);
    this.presence = new Rate(limits.presencePerSecond);
    this.authorization = new Authorization(context.database, context.log);
    this.feed = new ChangeFeed({
      database: context.database,
      log: context.log,
      changeBytes: limits.changeBytes,
      idleMilliseconds: limits.logMilliseconds,
      onStoredMessage: ({ id, topic, event, isPrivate, payload, binary }) => {
        const message = {
          event,
          payload,
          encoding: binary ? ENCODING_BINARY : ENCODING_JSON,
          meta: JSON.stringify({ id }),
          storedId: id,
        } as const;
        const delivery = this.rooms
          .find(topic, isPrivate)
          ?.broadcastUser(`realtime:${topic}`, message, undefined);
        const bytes = payload.length;
        this.broadcasted(
          { topic, private: isPrivate, event, origin: "database", bytes, told: false },
          delivery,
        );
      },
      happened: context.happened,
      onReopened: () => {
        for (const channel of this.channels) channel.changes.tellSubscribed();
      },
      onTablesChanged: (names) => {
        for (const channel of this.channels) channel.changes.onTablesChanged(names);
      },
    });
    // One after the other, in one session.
    this.ready = this.maintainPartitions().then(() => this.#removeSubscriptions());
    this.#daily = setInterval(
      errorBoundary(context.log, "the timer of partitions", () => this.maintainPartitions()),
      DAY_MS / 4,
    );
    this.#daily.unref();
  }

  /** Creates the next days' partitions of `realtime.messages`, and drops expired ones. */
  async maintainPartitions(): Promise<void> {
    const today = new Date(this.context.clock.now()).toISOString().slice(0, 10);
    const { database } = this.context;
    await database
      .transaction("postgres", async (client) => {
        await client.query("set local role supabase_realtime_admin");
        await client.query("select realtime.maintain_messages_partitions($1::date)", [today]);
      })
      .catch((error: unknown) => {
        this.context.log.error("Partitions of realtime.messages could not be made.", {
          error: String(error),
        });
      });
  }

  /** Removes the rows of an earlier run's channels, whose sockets no longer exist. */
  async #removeSubscriptions(): Promise<void> {
    await deleteAllSubscriptions(this.context.database).catch((error: unknown) => {
      this.context.log.error("Subscriptions of an earlier run could not be removed.", {
        error: String(error),
      });
    });
  }

  /** Says once that a broadcast which asks for it is not stored, as on hosted without the feature. */
  noteNotStored(): void {
    if (this.#saidNotStored) return;
    this.#saidNotStored = true;
    this.context.log.warn(
      "A broadcast with `persist` was delivered and not stored: hosted stores it only with the feature flag broadcast_persistence.",
    );
  }

  /** The number of a new channel. */
  numberChannel(): number {
    this.#lastChannel += 1;
    return this.#lastChannel;
  }

  /** Notes a broadcast. @param delivery undefined where it was sent to nobody. */
  broadcasted(
    about: Omit<BroadcastHappening, "kind" | "otherway" | keyof Delivery>,
    delivery: Delivery = NOBODY,
  ): void {
    const otherway = this.rooms.find(about.topic, !about.private)?.members.size ?? 0;
    this.context.happened({ kind: "broadcast", ...about, ...delivery, otherway });
  }

  /** Counts a join; false when there are too many in this second. */
  admitJoin(): boolean {
    const second = Math.floor(this.context.clock.now() / 1000);
    if (this.#joins.second !== second) this.#joins = { second, count: 0 };
    this.#joins.count += 1;
    return this.#joins.count <= this.limits.joinsPerSecond;
  }

  async close(): Promise<void> {
    clearInterval(this.#daily);
    await this.ready;
    await this.feed.close();
  }
}
