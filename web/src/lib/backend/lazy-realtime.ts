/**
 * Owns: Realtime, fetched when it is first needed. supabase-js brings its client along in one piece; the
 * build puts this module in the place of `@supabase/realtime-js` (vite.config.ts), so that a first view
 * does not wait for a WebSocket library. Until `ready()` there are no channels.
 */
import type { RealtimeClient as Client } from "@supabase/realtime-js";

type Options = ConstructorParameters<typeof Client>;

export class RealtimeClient {
  readonly #options: Options;
  #client: Client | undefined;
  #loading: Promise<void> | undefined;

  constructor(...options: Options) {
    this.#options = options;
  }

  /** Fetches the client once. Throws what the browser throws when it cannot be had; asking again tries again. */
  ready(): Promise<void> {
    this.#loading ??= this.#fetch().catch((cause: unknown) => {
      this.#loading = undefined;
      throw cause;
    });
    return this.#loading;
  }

  async #fetch(): Promise<void> {
    const { RealtimeClient: Real } = await import("@supabase/realtime-js/dist/module/index.js");
    const client = new Real(...this.#options);
    // A channel joins with the token that the client has by then, so it gets the session's before the first.
    await client.setAuth();
    this.#client = client;
  }

  /** A token given before the client is there needs no keeping: it asks for the newest when it comes. */
  async setAuth(token?: string | null): Promise<void> {
    await this.#client?.setAuth(token);
  }

  channel(...given: Parameters<Client["channel"]>): ReturnType<Client["channel"]> {
    if (!this.#client) throw new Error("Wait for whenRealtime() before making a channel.");
    return this.#client.channel(...given);
  }

  getChannels(): ReturnType<Client["getChannels"]> {
    return this.#client?.getChannels() ?? [];
  }

  async removeChannel(
    ...given: Parameters<Client["removeChannel"]>
  ): Promise<Awaited<ReturnType<Client["removeChannel"]>>> {
    return this.#client ? this.#client.removeChannel(...given) : "ok";
  }

  async removeAllChannels(): Promise<Awaited<ReturnType<Client["removeAllChannels"]>>> {
    return this.#client ? this.#client.removeAllChannels() : [];
  }
}
