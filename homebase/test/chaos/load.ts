/**
 * Owns mixed load on a stack, and the record of acknowledged writes: rows by REST, files by standard,
 * resumable and S3 uploads, sign-ups; also Realtime and a function.
 */
import { createHash, randomBytes } from "node:crypto";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import pg from "pg";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../src/storage/kit/s3-keys.ts";
import type { Project } from "../cli/project.ts";

const BUCKET = "files";
/** Keys that are overwritten repeatedly: the last acknowledged body, or a later one, must be read. */
const OVERWRITTEN = 3;
const REQUEST_PATIENCE_MS = 10_000;

/** Project files that the load needs. */
export const CHAOS_PROJECT: Record<string, string> = {
  "config.toml": `project_id = "chaos"\n[storage.buckets.${BUCKET}]\npublic = true\n[auth.rate_limit]\nsign_in_sign_ups = 100000\n`,
  "migrations/20260101000000_notes.sql": `create table public.notes (id bigint primary key, body text);
alter table public.notes enable row level security;
create policy everyone on public.notes using (true) with check (true);
alter publication supabase_realtime add table public.notes;
`,
  "functions/echo/index.ts": "Deno.serve(async (request) => new Response(await request.text()));\n",
};

const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/** Mixed load on a stack. */
export class Load {
  readonly #project: Project;
  readonly #client: SupabaseClient;
  readonly #s3: S3Client;
  readonly rows: number[] = [];
  /** Hashes by key. */
  readonly files = new Map<string, string>();
  readonly #overwritten = new Map<string, Set<string>>();
  readonly accounts: string[] = [];
  /** Calls of the function that got a response. */
  calls = 0;
  /** Requests without an acknowledgement. */
  refused = 0;
  #count = 0;
  #looked = 0;
  #running: Promise<unknown> | undefined;
  #stopped = false;

  constructor(project: Project) {
    this.#project = project;
    this.#client = createClient(project.url, project.secret, { auth: { persistSession: false } });
    this.#s3 = new S3Client({
      endpoint: `${project.url}/storage/v1/s3`,
      region: S3_REGION,
      forcePathStyle: true,
      credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_ACCESS_KEY_SECRET },
      maxAttempts: 1,
    });
  }

  /** Starts; each lane runs one request after the other until `stop`, whatever fails. */
  start(): void {
    this.#stopped = false;
    const lanes = [
      () => this.#row(),
      () => this.#row(),
      () => this.#upload(),
      () => this.#resumable(),
      () => this.#s3Put(),
      () => this.#overwrite(),
      () => this.#signUp(),
      () => this.#call(),
    ];
    const channel = this.#client
      .channel("chaos")
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "notes" }, () => {})
      .subscribe();
    this.#running = Promise.all(
      lanes.map(async (lane) => {
        while (!this.#stopped) {
          // Rejected and aborted requests are not acknowledged; pause briefly while nothing responds.
          await lane().catch(() => {
            this.refused += 1;
            return new Promise((resolve) => setTimeout(resolve, 10));
          });
        }
      }),
    ).finally(() => this.#client.removeChannel(channel));
  }

  /** Stops; resolves when no request is in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  get acknowledged(): number {
    return this.rows.length + this.files.size + this.#overwritten.size + this.accounts.length;
  }

  /**
   * Reads acknowledged writes back: all rows and accounts, the files since the last check.
   * @returns what is missing or damaged.
   */
  async missing(): Promise<string[]> {
    const client = new pg.Client({ connectionString: this.#project.database });
    await client.connect();
    const found = async (text: string) =>
      new Set((await client.query<{ it: string }>(text)).rows.map(({ it }) => it));
    const rows = await found("select id::text as it from public.notes");
    const accounts = await found("select email as it from auth.users");
    await client.end();
    const missing = [
      ...this.rows.filter((id) => !rows.has(String(id))).map((id) => `row ${id}`),
      ...this.accounts.filter((email) => !accounts.has(email)).map((email) => `account ${email}`),
    ];
    const files = [...this.files];
    for (const [key, hash] of files.slice(this.#looked)) {
      if ((await this.#read(key)) !== hash) missing.push(`file ${key}`);
    }
    this.#looked = files.length;
    for (const [key, allowed] of this.#overwritten) {
      const hash = await this.#read(key);
      if (!allowed.has(hash ?? "absent")) missing.push(`overwritten file ${key}`);
    }
    return missing;
  }

  /** Whether a new subscriber receives a row's change. */
  async hearsChanges(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), REQUEST_PATIENCE_MS);
    const id = this.#next();
    const channel = this.#client
      .channel(`after-${id}`)
      .on("postgres_changes", { event: "INSERT", schema: "public", table: "notes" }, () => resolve(true))
      // "SUBSCRIBED" precedes the subscription to changes; "system" confirms it.
      .on("system", {}, () => void this.#client.from("notes").insert({ id, body: "heard" }).then())
      .subscribe();
    const heard = await promise;
    clearTimeout(timer);
    await this.#client.removeChannel(channel);
    return heard;
  }

  /** Closes what is open. */
  async close(): Promise<void> {
    this.#s3.destroy();
    await this.#client.removeAllChannels();
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }

  async #row(): Promise<void> {
    const id = this.#next();
    await this.#send("POST", "/rest/v1/notes", JSON.stringify({ id, body: "acknowledged" }), {
      "content-type": "application/json",
    });
    this.rows.push(id);
  }

  async #upload(): Promise<void> {
    const [key, body] = [`standard-${this.#next()}`, randomBytes(30_000)];
    await this.#send("POST", `/storage/v1/object/${BUCKET}/${key}`, body);
    this.files.set(key, md5(body));
  }

  async #resumable(): Promise<void> {
    const [key, body] = [`resumable-${this.#next()}`, randomBytes(60_000)];
    const tus = { "tus-resumable": "1.0.0" };
    const created = await this.#send("POST", "/storage/v1/upload/resumable", undefined, {
      ...tus,
      "upload-length": String(body.length),
      "upload-metadata": `bucketName ${btoa(BUCKET)},objectName ${btoa(key)}`,
    });
    const { pathname } = new URL(created.headers.get("location") ?? "");
    for (const [from, to] of [
      [0, 30_000],
      [30_000, 60_000],
    ] as const) {
      await this.#send("PATCH", pathname, body.subarray(from, to), {
        ...tus,
        "upload-offset": String(from),
        "content-type": "application/offset+octet-stream",
      });
    }
    this.files.set(key, md5(body));
  }

  async #s3Put(): Promise<void> {
    const [Key, Body] = [`s3-${this.#next()}`, randomBytes(30_000)];
    const abortSignal = AbortSignal.timeout(REQUEST_PATIENCE_MS);
    await this.#s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body }), { abortSignal });
    this.files.set(Key, md5(Body));
  }

  async #overwrite(): Promise<void> {
    const key = `again-${this.#next() % OVERWRITTEN}`;
    const body = randomBytes(20_000);
    const allowed = this.#overwritten.get(key) ?? new Set(["absent"]);
    this.#overwritten.set(key, allowed.add(md5(body)));
    await this.#send("POST", `/storage/v1/object/${BUCKET}/${key}`, body, { "x-upsert": "true" });
    this.#overwritten.set(key, new Set([md5(body)]));
  }

  async #signUp(): Promise<void> {
    const email = `person-${this.#next()}@example.com`;
    await this.#send(
      "POST",
      "/auth/v1/signup",
      JSON.stringify({ email, password: "correct horse battery" }),
      {
        "content-type": "application/json",
      },
    );
    this.accounts.push(email);
  }

  async #call(): Promise<void> {
    const text = String(this.#next());
    const answer = await this.#send("POST", "/functions/v1/echo", text);
    if ((await answer.text()) === text) this.calls += 1;
  }

  async #read(key: string): Promise<string | undefined> {
    const answer = await fetch(`${this.#project.url}/storage/v1/object/public/${BUCKET}/${key}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return answer.ok ? md5(bytes) : undefined;
  }

  async #send(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const answer = await fetch(`${this.#project.url}${path}`, {
      method,
      headers: { apikey: this.#project.secret, ...headers },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(REQUEST_PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    if (!path.startsWith("/functions")) await answer.arrayBuffer();
    return answer;
  }
}
