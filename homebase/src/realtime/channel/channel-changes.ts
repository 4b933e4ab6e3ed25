/**
 * Owns the row changes of one channel: its subscriptions, and their system messages (docs/compat/realtime.md
 * 13).
 */

import { errorBoundary, inBackground } from "../../core/error-boundary.ts";
import type { Receiver } from "../../core/happenings.ts";
import { quote } from "../../postgres/quoting.ts";
import type { Action, Listener, Subscription } from "../changes/subscription.ts";
import { SubscriptionFault, Unpublished } from "../changes/subscription-filter.ts";
import { parseSubscription, subscriptionId } from "../changes/subscriptions.ts";
import { encodeFrame, RawJson, writeText } from "../kit/frames.ts";
import type { ChannelContext } from "./channel-context.ts";

/** Retry delay for failures that the parameters did not cause. */
const RETRY_MS = 5_000;

/** Subscribing to row changes exceeded the join's timeout. */
export class ChangesTimeout extends Error {
  constructor(milliseconds: number) {
    super(`Timed out after ${milliseconds}ms waiting for the postgres_changes subscription`);
  }
}

/** Clients choose the names. */
const MOST_TOLD = 50;

const DONE = Promise.resolve();

/** The row changes of one channel. */
export class ChannelChanges implements Listener {
  readonly #channel: ChannelContext;
  #wire: string | undefined;
  #subscriptions: Subscription[] = [];
  #subscribed = false;
  #retry: NodeJS.Timeout | undefined;
  /** Subscribing is serialised. */
  #before = DONE;

  constructor(channel: ChannelContext) {
    this.#channel = channel;
  }

  get wire(): string {
    const { serializer, request, topic } = this.#channel;
    this.#wire ??= `${serializer} ${request.isOldApi} ${topic}`;
    return this.#wire;
  }

  get receiver(): Receiver {
    return this.#channel.receiver;
  }

  /** The subscriptions in the join's reply: each element as sent, with its id. */
  get reply(): unknown[] {
    return this.#channel.request.postgresChanges.map((change) =>
      typeof change === "object" ? { ...change, id: subscriptionId(change) } : change,
    );
  }

  changeFrame(ids: readonly number[], action: Action, data: string): Buffer {
    const { serializer, topic, request } = this.#channel;
    const [event, body] = request.isOldApi
      ? [action, data]
      : ["postgres_changes", `{"ids":${JSON.stringify(ids)},"data":${data}}`];
    return encodeFrame(writeText(serializer, null, null, topic, event, new RawJson(body)));
  }

  onChange(frame: Buffer): void {
    this.#channel.sendChange(frame);
  }

  /** The feed is live (again): every later commit is delivered. */
  tellSubscribed(): void {
    if (this.#subscribed) this.#channel.system("postgres_changes", "ok", "Subscribed to PostgreSQL");
  }

  /** The publication's tables changed: subscriptions to these tables are renewed. */
  onTablesChanged(names: ReadonlySet<string>): void {
    const { postgresChanges } = this.#channel.request;
    if (postgresChanges.length === 0) return;
    const concerned = this.#subscriptions.some(({ matches }) =>
      [...names].some((name) => {
        const dot = name.indexOf(".");
        return matches(name.slice(0, dot), name.slice(dot + 1));
      }),
    );
    if (concerned) this.#start(() => this.subscribe());
  }

  /**
   * Subscribes before the join is answered.
   * @throws SubscriptionFault, ChangesTimeout
   */
  async subscribeWithin(milliseconds: number): Promise<void> {
    if (this.#channel.request.postgresChanges.length === 0) return;
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new ChangesTimeout(milliseconds)), milliseconds);
    try {
      await Promise.race([this.#establish(), late]);
      this.#subscribed = true;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Completes the join: subscribes, or only reports that it is done. */
  begin(): void {
    if (this.#subscribed) this.tellSubscribed();
    else if (this.#channel.request.postgresChanges.length > 0) this.#start(() => this.subscribe());
  }

  /** Subscribes, or renews with the channel's current token, and sends the result. */
  subscribe(): Promise<void> {
    this.#before = this.#before
      .then(() => this.#subscribe())
      .catch((error: unknown) => {
        this.#channel.hub.context.log.error("A subscription failed.", { error: String(error) });
      });
    return this.#before;
  }

  #start(work: () => Promise<unknown>): void {
    inBackground(this.#channel.hub.context.log, "a subscription to changes", work);
  }

  close(): void {
    clearTimeout(this.#retry);
    const { feed } = this.#channel.hub;
    this.#start(() => this.#before.then(() => feed.unsubscribe(this.#subscriptions)));
  }

  /** Stores the subscriptions with the channel's current token. */
  async #establish(): Promise<void> {
    const { token, request, hub } = this.#channel;
    if (this.#subscriptions.length === 0) {
      this.#subscriptions = request.postgresChanges.map((change) => parseSubscription(change, this, token));
    }
    for (const subscription of this.#subscriptions) {
      subscription.role = token.role;
      subscription.claims = JSON.stringify(token.claims);
    }
    try {
      await hub.feed.subscribe(this.#subscriptions);
    } catch (error) {
      if (error instanceof Unpublished) this.#tellUnpublished(error);
      throw error;
    }
  }

  /** Hosted tells the client alone, whose own message is easily missed; here the log says it too, once for a table. */
  #tellUnpublished({ schema, table }: Unpublished): void {
    const { hub } = this.#channel;
    const name = `${readable(schema)}.${readable(table)}`;
    if (hub.unpublished.has(name) || hub.unpublished.size === MOST_TOLD) return;
    hub.unpublished.add(name);
    hub.context.log.warn(
      table === "*"
        ? `A client subscribes to row changes of schema ${schema} and gets none: no table of it is in the publication supabase_realtime.`
        : `A client subscribes to row changes of ${name} and gets none: it is not in the publication supabase_realtime. To publish it: alter publication supabase_realtime add table ${name};`,
    );
  }

  async #subscribe(): Promise<void> {
    const channel = this.#channel;
    const { feed } = channel.hub;
    if (channel.request.postgresChanges.length === 0 || channel.isClosed) return;
    clearTimeout(this.#retry);
    try {
      await this.#establish();
      if (channel.isClosed) return;
      this.#subscribed = true;
      this.tellSubscribed();
    } catch (error) {
      this.#subscribed = false;
      await feed.unsubscribe(this.#subscriptions);
      if (channel.isClosed) return;
      channel.system("postgres_changes", "error", error instanceof Error ? error.message : String(error));
      if (error instanceof SubscriptionFault) return feed.awaitTables();
      // Any other error means that the database was temporarily unavailable.
      this.#retry = setTimeout(
        errorBoundary(channel.hub.context.log, "the retry of a subscription", () => this.subscribe()),
        RETRY_MS,
      );
      this.#retry.unref();
    }
  }
}

function readable(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : quote(name.replaceAll(/\p{Cc}/gu, "?"));
}
