/**
 * Owns: Realtime, loaded on first use. supabase-js bundles its client; the build replaces
 * `@supabase/realtime-js` by this module (vite.config.ts), so that a first view does not wait for a WebSocket
 * library. Until `ready()` there are no channels.
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

  /** Loads the library once. Throws the browser's error if it cannot be loaded; a later call tries again. */
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
    // A channel joins with the client's token, so the session's token is set before the first channel.
    await client.setAuth();
    this.#client = client;
  }

  /** A token that is set before the library is loaded is ignored: the library reads the newest one when it loads. */
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
