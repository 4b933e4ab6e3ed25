/**
 * Runs inside a function's own Deno process: the few calls of the S3 protocol that its mounted buckets need, signed with
 * Signature Version 4 (Amazon S3's documentation, "Authenticating Requests").
 */
import { createHash, createHmac } from "node:crypto";

/** From the secrets `S3FS_…` (Supabase's guide "File Storage"). */
export interface S3Settings {
  /** Without a slash at its end, e.g. `http://127.0.0.1:54321/storage/v1/s3`. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** One page of a listing. */
export interface S3Page {
  /** Keys, with their sizes in bytes. */
  objects: { key: string; size: number }[];
  /** Prefixes up to the delimiter, which they end with. */
  prefixes: string[];
  next: string | undefined;
}

/** A response that is no success; the status decides which error of Deno's it becomes. */
export class S3Failed extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The function may replace the global. */
const send = globalThis.fetch.bind(globalThis);

/** Calls one endpoint, with paths of the form `/bucket/key`. */
export class S3Client {
  readonly #settings: S3Settings;

  constructor(settings: S3Settings) {
    this.#settings = settings;
  }

  /** @throws S3Failed */
  async get(bucket: string, key: string): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.#call("GET", [bucket, key])).arrayBuffer());
  }

  /** The size and time of an object; undefined where there is none. @throws S3Failed */
  async head(bucket: string, key: string): Promise<{ size: number; modified: Date | null } | undefined> {
    try {
      const { headers } = await this.#call("HEAD", key === "" ? [bucket] : [bucket, key]);
      const modified = headers.get("last-modified");
      return {
        size: Number(headers.get("content-length") ?? 0),
        modified: modified === null ? null : new Date(modified),
      };
    } catch (error) {
      if (error instanceof S3Failed && error.status === 404) return undefined;
      throw error;
    }
  }

  /** @throws S3Failed */
  async put(bucket: string, key: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
    await (await this.#call("PUT", [bucket, key], {}, body)).body?.cancel();
  }

  /** @throws S3Failed */
  async delete(bucket: string, key: string): Promise<void> {
    await (await this.#call("DELETE", [bucket, key])).body?.cancel();
  }

  /** @param delimiter "/" lists one folder, "" all that is below the prefix. @throws S3Failed */
  async list(
    bucket: string,
    prefix: string,
    delimiter: "/" | "",
    { token, most = 1000 }: { token?: string | undefined; most?: number } = {},
  ): Promise<S3Page> {
    const response = await this.#call("GET", [bucket], {
      "list-type": "2",
      "max-keys": String(most),
      prefix,
      ...(delimiter ? { delimiter } : {}),
      ...(token === undefined ? {} : { "continuation-token": token }),
    });
    const xml = await response.text();
    return {
      objects: elements(xml, "Contents").map((item) => ({
        key: elements(item, "Key")[0] ?? "",
        size: Number(elements(item, "Size")[0] ?? 0),
      })),
      prefixes: elements(xml, "CommonPrefixes").map((item) => elements(item, "Prefix")[0] ?? ""),
      next: elements(xml, "NextContinuationToken")[0],
    };
  }

  async #call(
    method: string,
    path: string[],
    query: Record<string, string> = {},
    body: Uint8Array<ArrayBuffer> = new Uint8Array(),
  ): Promise<Response> {
    const url = new URL(this.#settings.endpoint);
    const address = `${url.pathname.replace(/\/$/, "")}/${path.map(encodedPath).join("/")}`;
    const search = Object.entries(query)
      .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
      .sort()
      .join("&");
    const headers = this.#signed(method, url.host, address, search, sha256(body));
    const response = await send(`${url.origin}${address}${search ? `?${search}` : ""}`, {
      method,
      headers,
      ...(method === "PUT" ? { body } : {}),
    });
    if (response.ok) return response;
    const text = method === "HEAD" ? "" : await response.text();
    throw new S3Failed(response.status, elements(text, "Message")[0] ?? `S3 responded ${response.status}`);
  }

  #signed(
    method: string,
    host: string,
    path: string,
    search: string,
    bodyHash: string,
  ): Record<string, string> {
    const { region, accessKeyId, secretAccessKey } = this.#settings;
    const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const scope = `${time.slice(0, 8)}/${region}/s3/aws4_request`;
    const names = "host;x-amz-content-sha256;x-amz-date";
    const request = [
      method,
      path,
      search,
      `host:${host}\nx-amz-content-sha256:${bodyHash}\nx-amz-date:${time}\n`,
      names,
      bodyHash,
    ].join("\n");
    const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(request)].join("\n");
    const key = scope.split("/").reduce<string | Buffer>(mac, `AWS4${secretAccessKey}`);
    const signature = mac(key, toSign).toString("hex");
    return {
      "x-amz-content-sha256": bodyHash,
      "x-amz-date": time,
      authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    };
  }
}

function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

function mac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** As Signature Version 4 encodes: all but unreserved characters. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function encodedPath(key: string): string {
  return key.split("/").map(encoded).join("/");
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** The contents of the elements of a name; text is unescaped, elements inside stay as they are. */
function elements(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g"))].map(([, content = ""]) =>
    content.includes("<") ? content : unescaped(content),
  );
}

function unescaped(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return ENTITIES[name] ?? whole;
  });
}
