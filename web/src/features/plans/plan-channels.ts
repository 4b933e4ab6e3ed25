/**
 * Owns: the private channels of one plan at one epoch: the plan's own, on which only the database sends, and
 * one for each member, on which only that member sends. The sender is identified by the topic, never by the
 * message.
 */
import type { RealtimeChannel, SupabaseClient } from "@supabase/supabase-js";

export interface PlanChannelEvents {
  /** The database reports a change. */
  changed(payload: unknown): void;
  /** A member broadcasts. */
  broadcast(event: string, payload: unknown, sender: string): void;
  /** The people who have the page open. */
  present(people: ReadonlySet<string>): void;
  /** Whether changes arrive in real time. */
  connected(connected: boolean): void;
  /** A channel was refused: the epoch is over, or there is no connection. */
  refused(): void;
}

type Channels = Pick<SupabaseClient, "channel" | "removeChannel">;

export class PlanChannels {
  readonly #client: Channels;
  readonly #topic: string;
  readonly #me: string;
  readonly #events: PlanChannelEvents;
  readonly #plan: RealtimeChannel;
  readonly #people = new Map<string, RealtimeChannel>();
  /** The topics that must join before the plan counts as connected. People added later are not waited for. */
  readonly #awaited = new Set<string>();
  readonly #joined = new Set<string>();
  #closed = false;

  /** Joins the channels of the plan and of its members, including `me`. */
  constructor(
    client: Channels,
    plan: { id: string; epoch: number; people: readonly string[] },
    me: string,
    events: PlanChannelEvents,
  ) {
    this.#client = client;
    this.#topic = `plan:${plan.id}:${plan.epoch}`;
    this.#me = me;
    this.#events = events;
    this.#awaited.add("plan");
    for (const person of plan.people) this.#awaited.add(person);
    this.#plan = client
      .channel(this.#topic, { config: { private: true } })
      .on("broadcast", { event: "*" }, ({ payload }) => events.changed(payload))
      .subscribe((status) => this.#statusChanged("plan", status));
    this.seat(plan.people);
  }

  /** This person's topic. */
  get ownTopic(): string {
    return `${this.#topic}:${this.#me}`;
  }

  /** Joins the channels of new members. When a member leaves, the epoch ends, and with it these channels. */
  seat(people: readonly string[]): void {
    for (const person of people) {
      if (!this.#people.has(person)) this.#people.set(person, this.#join(person));
    }
  }

  /**
   * False, and nothing is sent, while there is no connection: the client would send it by HTTP, and log a
   * warning.
   */
  send(event: string, payload: Record<string, unknown>): boolean {
    const own = this.#people.get(this.#me);
    if (!own || !this.#joined.has(this.#me)) return false;
    void own.send({ type: "broadcast", event, payload });
    return true;
  }

  close(): void {
    this.#closed = true;
    void this.#client.removeChannel(this.#plan);
    for (const channel of this.#people.values()) void this.#client.removeChannel(channel);
  }

  #join(person: string): RealtimeChannel {
    // One key for each connection and one `track`: the client library (2.109) loses the reference of a
    // presence that is tracked again or shares its key, and would then show it after it has left.
    const channel = this.#client.channel(`${this.#topic}:${person}`, {
      config: { private: true, presence: { key: crypto.randomUUID() } },
    });
    return channel
      .on("broadcast", { event: "*" }, ({ event, payload }) => {
        if (!this.#closed) this.#events.broadcast(event, payload, person);
      })
      .on("presence", { event: "sync" }, () => this.#sawPresence())
      .subscribe((status) => {
        if (status === "SUBSCRIBED" && person === this.#me) void channel.track({});
        this.#statusChanged(person, status);
      });
  }

  #sawPresence(): void {
    if (this.#closed) return;
    const here = [...this.#people].filter(([, channel]) => Object.keys(channel.presenceState()).length > 0);
    this.#events.present(new Set(here.map(([person]) => person)));
  }

  #statusChanged(name: string, status: string): void {
    if (this.#closed) return;
    if (status === "SUBSCRIBED") this.#joined.add(name);
    else this.#joined.delete(name);
    if (name !== "plan" && name !== this.#me) this.#awaited.delete(name);
    if (status === "CHANNEL_ERROR") this.#events.refused();
    const others = [...this.#awaited].some((one) => one !== "plan" && one !== this.#me);
    this.#events.connected(this.#joined.has("plan") && this.#joined.has(this.#me) && !others);
  }
}
