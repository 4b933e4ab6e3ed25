/**
 * Owns receiving NOTIFY: one connection a database for all listeners, opened by the first one and reopened
 * whenever it is lost (PostgreSQL documentation, "LISTEN").
 */
import pg from "pg";
import { errorBoundary } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";
import { type AddressSource, currentAddress } from "./address.ts";
import { type Login, logIn, unref } from "./connected.ts";

/** A listener on a channel. */
export interface Listener {
  notified(payload: string): void;
  /**
   * Called when the connection is ready: the first time, or again after a loss, during which notifications
   * were missed. `query` runs on it and must be quick.
   * @param place host and port, or the socket's folder and port.
   */
  listening?(query: (text: string) => Promise<pg.QueryResult>, again: boolean, place: string): void;
  /**
   * Called when the connection is lost or cannot be opened: notifications are missed until `listening`.
   * @param retryMs the time until the next attempt.
   */
  lost?(reason: string, retryMs: number): void;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 32_000;

/** Notifications of one database. */
export class Notifications {
  readonly #address: AddressSource;
  readonly #log: Log;
  readonly #listeners = new Map<string, Set<Listener>>();
  #client: pg.Client | undefined;
  #connecting = false;
  #again = false;
  #retry: NodeJS.Timeout | undefined;
  #retryDelay = FIRST_RETRY_MS;
  #closed = false;

  /** @param log receives the errors of listeners. */
  constructor(address: AddressSource, log: Log) {
    this.#address = address;
    this.#log = log;
  }

  /** Listens to a channel. @returns a function that stops listening. */
  subscribe(channel: string, listener: Listener): () => void {
    const others = this.#listeners.get(channel);
    if (others) others.add(listener);
    else this.#listeners.set(channel, new Set([listener]));
    if (this.#client) void this.#listen(this.#client, channel, [listener], false);
    else void this.#connect();
    return () => this.#listeners.get(channel)?.delete(listener);
  }

  /**
   * Waits until every notification sent before this call has been delivered: Postgres delivers pending
   * notifications before it answers the next query of the same connection. @returns false without a
   * connection, when notifications may have been missed.
   */
  async caughtUp(): Promise<boolean> {
    const client = this.#client;
    if (!client) return false;
    try {
      await client.query("select");
      return this.#client === client;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    if (this.#closed || this.#connecting) return;
    this.#connecting = true;
    let client: pg.Client;
    try {
      // Several channels are listened to at once after a reconnect.
      const options = { application_name: "homebase listener", pipeline: true };
      client = await logIn({ ...options, ...(await currentAddress(this.#address)) } as Login);
    } catch (error) {
      this.#connecting = false;
      this.#lost(error);
      return;
    }
    // It waits for ever, and must not keep the process alive.
    unref(client);
    let ended = false;
    const lost = (error?: unknown) => {
      if (ended) return;
      ended = true;
      if (this.#client === client) this.#client = undefined;
      client.end().catch(() => {});
      this.#lost(error);
    };
    const ending = errorBoundary(this.#log, "the end of the listening connection", lost);
    client.on("error", ending);
    client.on("end", ending);
    client.on(
      "notification",
      errorBoundary(this.#log, "a notification", ({ channel, payload = "" }: pg.Notification) => {
        for (const listener of this.#listeners.get(channel) ?? [])
          this.#call(() => listener.notified(payload));
      }),
    );
    const again = this.#again;
    this.#connecting = false;
    this.#client = client;
    this.#again = true;
    this.#retryDelay = FIRST_RETRY_MS;
    for (const [channel, listeners] of this.#listeners)
      void this.#listen(client, channel, [...listeners], again);
    if (this.#closed) await client.end();
  }

  async #listen(client: pg.Client, channel: string, listeners: Listener[], again: boolean): Promise<void> {
    try {
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    } catch {
      // The notification is lost; listeners are called when the connection is back.
      return;
    }
    for (const listener of listeners)
      this.#call(() =>
        listener.listening?.((text) => client.query(text), again, `${client.host}:${client.port}`),
      );
  }

  #lost(error: unknown): void {
    const reason = error instanceof Error ? error.message : "The connection was closed.";
    for (const listeners of this.#listeners.values())
      for (const listener of listeners) this.#call(() => listener.lost?.(reason, this.#retryDelay));
    this.#reconnect();
  }

  /** An error in a listener reaches neither the others nor the connection. */
  #call(work: () => void): void {
    errorBoundary(this.#log, "a listener to notifications", work)();
  }

  #reconnect(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(
      errorBoundary(this.#log, "the timer of the listening connection", () => this.#connect()),
      this.#retryDelay,
    );
    this.#retry.unref();
    this.#retryDelay = Math.min(this.#retryDelay * 2, LONGEST_RETRY_MS);
  }
}
