/**
 * Owns: Storage, loaded on first use. The build replaces `@supabase/storage-js` by this module
 * (lean-client.ts): a first view shows avatars by their public URLs, which need no library, and everything
 * else is asynchronous anyway.
 */
import type { StorageClient as Client } from "@supabase/storage-js";

type Options = ConstructorParameters<typeof Client>;
type Bucket = ReturnType<Client["from"]>;

/** supabase-js exports this class, so the module must have it. */
export class StorageApiError extends Error {}

export class StorageClient {
  readonly #options: Options;
  #client: Promise<Client> | undefined;

  constructor(...options: Options) {
    this.#options = options;
  }

  /** A bucket whose methods load the library first. */
  from(bucket: string): Pick<Bucket, "list" | "remove" | "upload" | "createSignedUrls"> {
    return {
      list: async (...given) => (await this.#real()).from(bucket).list(...given),
      remove: async (...given) => (await this.#real()).from(bucket).remove(...given),
      upload: async (...given) => (await this.#real()).from(bucket).upload(...given),
      createSignedUrls: async (...given) => (await this.#real()).from(bucket).createSignedUrls(...given),
    };
  }

  #real(): Promise<Client> {
    this.#client ??= import("@supabase/storage-js/dist/index.mjs").then(
      ({ StorageClient: Real }) => new Real(...this.#options),
      (cause: unknown) => {
        this.#client = undefined;
        throw cause;
      },
    );
    return this.#client;
  }
}
