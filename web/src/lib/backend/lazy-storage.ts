/**
 * Owns: Storage, fetched when a file is first asked for. The build puts this module in the place of
 * `@supabase/storage-js` (lean-client.ts): a first view shows faces by their public addresses, which need no
 * library, and everything else waits for an answer anyway.
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

  /** A bucket whose methods fetch the library first. `getPublicUrl` answers at once, as the library's does. */
  from(bucket: string): Pick<Bucket, "list" | "remove" | "upload" | "createSignedUrls" | "getPublicUrl"> {
    return {
      list: async (...given) => (await this.#real()).from(bucket).list(...given),
      remove: async (...given) => (await this.#real()).from(bucket).remove(...given),
      upload: async (...given) => (await this.#real()).from(bucket).upload(...given),
      createSignedUrls: async (...given) => (await this.#real()).from(bucket).createSignedUrls(...given),
      getPublicUrl: (path) => ({
        data: { publicUrl: encodeURI(`${this.#options[0]}/object/public/${bucket}/${path}`) },
      }),
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
