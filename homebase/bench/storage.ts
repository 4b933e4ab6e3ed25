/**
 * Owns the measurement of Storage: 1 MB and 100 MB up and down beside a plain file server of Node in the
 * same run, memory while 2 GB pass, thumbnails, and a page of a folder in a bucket of 100,000 objects.
 */
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TestBackend } from "../src/testing/index.ts";

export interface TransferMeasurement {
  name: string;
  /** Megabytes a second, of 10^6 bytes. */
  storage: number;
  /** The plain server's. */
  plain: number;
  ratio: number;
}

export interface StorageMeasurement {
  transfers: TransferMeasurement[];
  /** Milliseconds, the median. */
  pages: { name: string; milliseconds: number }[];
  /** Most megabytes that the process grew by while 2 GB went up, and while they came down. */
  memoryGrowth: { up: number; down: number };
  /** Thumbnails of a photograph of 12 megapixels a second: made, and made before. */
  thumbnails: { made: number; kept: number };
}

const SIZES = [
  { name: "1 MB", bytes: 1_000_000, runs: 60 },
  { name: "100 MB", bytes: 100_000_000, runs: 4 },
];
const LARGE_BYTES = 2_000_000_000;
const LARGE_CHUNK = 1_000_000;
const PHOTO = { width: 4000, height: 3000 };
const THUMBNAILS = 24;
const KEPT_RUNS = 200;
const OBJECTS = 100_000;
const PAGE_RUNS = 15;

/** Measures all of it. Makes buckets of its own; they go with the Backend. */
export async function benchStorage(backend: TestBackend): Promise<StorageMeasurement> {
  await backend.sql(
    "insert into storage.buckets (id, name, file_size_limit) values ('bench', 'bench', null)",
  );
  const plain = await PlainServer.open();
  try {
    const transfers: TransferMeasurement[] = [];
    for (const { name, bytes, runs } of SIZES) {
      const body = Buffer.alloc(bytes, "bench ");
      const ours = new Target(`${backend.url}/storage/v1/object/bench/file`, {
        authorization: `Bearer ${backend.serviceRoleKey}`,
        "content-type": "application/octet-stream",
      });
      const theirs = new Target(plain.url, {});
      for (const direction of ["up", "down"] as const) {
        const rates = { ours: 0, theirs: 0 };
        // In turns, so that whatever else the machine does slows both.
        for (let run = 0; run < runs; run += 1) {
          rates.ours += await ours[direction](body);
          rates.theirs += await theirs[direction](body);
        }
        const megabytes = (milliseconds: number) => Math.round((bytes * runs) / 1_000 / milliseconds);
        transfers.push({
          name: `${name} ${direction}`,
          storage: megabytes(rates.ours),
          plain: megabytes(rates.theirs),
          ratio: Math.round((rates.theirs / rates.ours) * 100) / 100,
        });
      }
    }
    const memoryGrowth = await benchLarge(backend);
    const thumbnails = await benchThumbnails(backend);
    return { transfers, pages: await benchPages(backend), memoryGrowth, thumbnails };
  } finally {
    await plain.close();
  }
}

/** Where bodies are sent to and fetched from, over one connection that is kept. */
class Target {
  readonly #url: URL;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = new URL(url);
    this.#headers = headers;
  }

  /** Sends a body. @returns milliseconds. */
  up(body: Buffer): Promise<number> {
    return this.#time("PUT", body);
  }

  /** Fetches what was sent. @returns milliseconds. */
  down(body: Buffer): Promise<number> {
    return this.#time("GET", undefined, body.length);
  }

  #time(method: string, body: Buffer | undefined, expected?: number): Promise<number> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const length = body ? { "content-length": String(body.length) } : {};
      const sent = request(this.#url, { method, headers: { ...this.#headers, ...length } }, (response) => {
        let received = 0;
        response.on("data", (chunk: Buffer) => {
          received += chunk.length;
        });
        response.on("error", reject);
        response.on("end", () => {
          const whole = expected === undefined || received === expected;
          if (response.statusCode !== 200 || !whole)
            reject(new Error(`${method} ${this.#url}: ${response.statusCode}, ${received} bytes`));
          else resolve(performance.now() - started);
        });
      });
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

/** A body that is never in memory as a whole, up and down again. */
async function benchLarge(backend: TestBackend): Promise<StorageMeasurement["memoryGrowth"]> {
  const url = new URL(`${backend.url}/storage/v1/object/bench/large`);
  const authorization = `Bearer ${backend.serviceRoleKey}`;
  const chunk = Buffer.alloc(LARGE_CHUNK, "bench ");
  function* body() {
    for (let sent = 0; sent < LARGE_BYTES; sent += LARGE_CHUNK) yield chunk;
  }
  const exchange = (method: string, length: Record<string, string>, sent?: Readable) =>
    new Promise<number>((resolve, reject) => {
      const outgoing = request(url, { method, headers: { authorization, ...length } }, (response) => {
        let received = 0;
        response.on("data", (part: Buffer) => {
          received += part.length;
        });
        response.on("error", reject);
        response.on("end", () => {
          if (response.statusCode === 200) resolve(received);
          else reject(new Error(`${method}: ${response.statusCode}`));
        });
      });
      outgoing.on("error", reject);
      if (sent) pipeline(sent, outgoing).catch(reject);
      else outgoing.end();
    });
  const upWatch = watchMemory();
  await exchange("PUT", { "content-length": String(LARGE_BYTES) }, Readable.from(body()));
  const up = upWatch.stop();
  const downWatch = watchMemory();
  const received = await exchange("GET", {});
  if (received !== LARGE_BYTES) throw new Error(`${received} bytes came back.`);
  return { up, down: downWatch.stop() };
}

async function benchThumbnails(backend: TestBackend): Promise<StorageMeasurement["thumbnails"]> {
  const { default: sharp } = await import("sharp");
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const photo = await sharp({ create: { ...PHOTO, channels: 3, background: "#336699", noise } })
    .jpeg()
    .toBuffer();
  const headers = { authorization: `Bearer ${backend.serviceRoleKey}` };
  const stored = await fetch(`${backend.url}/storage/v1/object/bench/photo`, {
    method: "PUT",
    headers: { ...headers, "content-type": "image/jpeg" },
    body: photo,
  });
  if (!stored.ok) throw new Error(await stored.text());
  const thumbnail = async (width: number) => {
    const path = `/storage/v1/render/image/authenticated/bench/photo?width=${width}&height=${width}`;
    const response = await fetch(`${backend.url}${path}`, { headers });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const widths = Array.from({ length: THUMBNAILS }, (_, index) => 200 + index);
  const rate = async (runs: number, width: (run: number) => number) => {
    const started = performance.now();
    for (let run = 0; run < runs; run += 2)
      await Promise.all([thumbnail(width(run)), thumbnail(width(run + 1))]);
    return Math.round((runs * 1000) / (performance.now() - started));
  };
  const at = (run: number) => widths[run % THUMBNAILS] ?? 200;
  return { made: await rate(THUMBNAILS, at), kept: await rate(KEPT_RUNS, at) };
}

/** What Node alone does: a request piped to a file, a file piped to an answer. */
class PlainServer {
  readonly #server: Server;
  readonly #folder: string;

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
  }

  static async open(): Promise<PlainServer> {
    const folder = await mkdtemp(join(tmpdir(), "homebase-bench-"));
    const file = join(folder, "file");
    const server = createServer((incoming, outgoing) => {
      const passing =
        incoming.method === "PUT"
          ? pipeline(incoming, createWriteStream(file, { flush: true })).then(() => outgoing.end())
          : pipeline(createReadStream(file), outgoing);
      passing.catch(() => outgoing.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new PlainServer(server, folder);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Samples the resident memory; `stop` gives the most that it grew by, in megabytes. */
function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  return {
    stop: () => {
      clearInterval(timer);
      return Math.round((most - before) / 1_000_000);
    },
  };
}

async function benchPages(backend: TestBackend): Promise<StorageMeasurement["pages"]> {
  await backend.sql(
    `insert into storage.objects (bucket_id, name, version, metadata)
     select 'bench', case when n % 2 = 0 then 'flat/' || n else 'users/' || n % 5000 || '/photos/' || n end,
       gen_random_uuid()::text, '{"size":1}' from generate_series(1, $1::int) n`,
    [OBJECTS],
  );
  await backend.sql("create policy bench on storage.objects for select to anon using (bucket_id = 'bench')");
  await backend.database.query("supabase_storage_admin", "analyze storage.objects");
  const pages = [
    {
      name: "v1, 100 files, by service role",
      path: "list",
      json: { prefix: "flat" },
      token: backend.serviceRoleKey,
    },
    { name: "v1, 100 files, under a policy", path: "list", json: { prefix: "flat" }, token: backend.anonKey },
    {
      name: "v1, 100 folders, under a policy",
      path: "list",
      json: { prefix: "users" },
      token: backend.anonKey,
    },
    {
      name: "v1, newest of 20 files among 100,000, under a policy",
      path: "list",
      json: { prefix: "users/7/photos", sortBy: { column: "created_at", order: "desc" } },
      token: backend.anonKey,
    },
    {
      name: "v1, newest of 50,000 files, under a policy",
      path: "list",
      json: { prefix: "flat", sortBy: { column: "created_at", order: "desc" } },
      token: backend.anonKey,
    },
    {
      name: "v2, newest of 20 files among 100,000, under a policy",
      path: "list-v2",
      json: { prefix: "users/7/photos/", sortBy: { column: "created_at", order: "desc" }, limit: 100 },
      token: backend.anonKey,
    },
    {
      name: "v2, 100 folders, under a policy",
      path: "list-v2",
      json: { prefix: "users/", with_delimiter: true, limit: 100 },
      token: backend.anonKey,
    },
  ];
  const results: StorageMeasurement["pages"] = [];
  for (const { name, path, json, token } of pages) {
    const times: number[] = [];
    for (let run = 0; run < PAGE_RUNS; run += 1) {
      const started = performance.now();
      const response = await fetch(`${backend.url}/storage/v1/object/${path}/bench`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(json),
      });
      if (!response.ok) throw new Error(await response.text());
      await response.json();
      times.push(performance.now() - started);
    }
    times.sort((left, right) => left - right);
    results.push({ name, milliseconds: Math.round((times[PAGE_RUNS >> 1] ?? 0) * 10) / 10 });
  }
  return results;
}
