/**
 * Owns buckets and files as a lens gets them: by Storage's own endpoints, with a token of the lens that is made here. They are
 * called without the gateway, so that looking at files is in no record.
 */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import type { ServiceRequest, ServiceResponse } from "../../../../src/http/exchange.ts";
import { NOTHING_SENT } from "../../../../src/rest/execute/as.ts";
import type { Bucket, FileAct, FilePlace, FilesAsk, Lens, NewBucket, StoredFile, UploadAsk } from "../api.ts";
import { CallRefused } from "../call-refused.ts";
import type { Source } from "../owner-connections.ts";
import { signed } from "../signed.ts";
import type { Reasons } from "../why.ts";
import { callerOf } from "./lens.ts";
import { readOnly } from "./rows.ts";

const PAGE = 100;
const SERVICE: Lens = { kind: "postgres" };

/** The request to Storage, beside the lens. */
type Asked = Pick<ServiceRequest, "method" | "path"> &
  Partial<Pick<ServiceRequest, "headers" | "body" | "query" | "signal">>;

/** What Storage says where it refuses. */
class StorageRefused extends CallRefused {
  /** Whether policies may be the reason. */
  readonly byPolicy: boolean;
  constructor(body: { message?: string; error?: string }) {
    super(422, body.message ?? "Storage refuses it, and does not say why.");
    this.byPolicy = body.error === "Unauthorized" || body.error === "not_found";
  }
}

/** @throws CallRefused with what Storage says */
async function answered(source: Source, as: Lens, asked: Asked): Promise<ServiceResponse> {
  const { backend } = source;
  const storage = backend.service("storage");
  if (!storage) throw new CallRefused(503, "Storage does not run.");
  const { claims } = (await callerOf(source, as)) ?? { claims: { role: "service_role" } };
  const authorization = `Bearer ${await signed(backend, claims)}`;
  const request = {
    ...NOTHING_SENT,
    ...{ id: randomUUID(), body: Readable.from([]), authorization },
    ...(source.signal ? { signal: source.signal } : {}),
    ...asked,
  };
  const response = await storage.handle(request);
  if (response.status < 400) return response;
  throw new StorageRefused(jsonOf(response));
}

function jsonOf<Json>({ body }: ServiceResponse): Json {
  return JSON.parse(String(body)) as Json;
}

function jsonBody(value: unknown): Pick<ServiceRequest, "headers" | "body"> {
  return {
    headers: { "content-type": "application/json" },
    body: Readable.from([Buffer.from(JSON.stringify(value))]),
  };
}

/** The path of an object at Storage. */
function addressOf({ bucket, path }: Pick<FilePlace, "bucket" | "path">): string {
  return [bucket, ...path.split("/")].map(encodeURIComponent).join("/");
}

/** Names that the lens gets by a question; none where Storage refuses it. */
async function gotBy(names: Promise<string[]>): Promise<{ got: ReadonlySet<string>; refused?: string }> {
  return names.then(
    (all) => ({ got: new Set(all) }),
    (error: unknown) => {
      if (!(error instanceof StorageRefused)) throw error;
      return { got: new Set(), refused: error.message };
    },
  );
}

interface BucketJson {
  id: string;
  public: boolean;
  file_size_limit: number | null;
  allowed_mime_types: string[] | null;
}

/** Sizes are what rows say, and rows are also written by SQL. */
const SIZES = `select bucket_id as id, count(*)::int as files, coalesce(sum(case when jsonb_typeof(metadata->'size') = 'number'
    then (metadata->>'size')::numeric end), 0)::float8 as bytes from storage.objects group by 1`;

export async function bucketsOf(source: Source, as: Lens): Promise<{ buckets: Bucket[]; refused?: string }> {
  const listed = async (lens: Lens) =>
    jsonOf<BucketJson[]>(
      await answered(source, lens, { method: "GET", path: "/bucket", query: "sortColumn=id" }),
    );
  const all = await listed(SERVICE);
  const { got, refused } = await gotBy(listed(as).then((own) => own.map(({ id }) => id)));
  const { rows } = await readOnly(source, (client) =>
    client.query<{ id: string; files: number; bytes: number }>(SIZES),
  );
  const sizes = new Map(rows.map((row) => [row.id, row]));
  const buckets = all.map((one): Bucket => {
    const { files = 0, bytes = 0 } = sizes.get(one.id) ?? {};
    const [limit, types] = [one.file_size_limit, one.allowed_mime_types ?? []];
    return { name: one.id, public: one.public, limit, types, files, bytes, hidden: !got.has(one.id) };
  });
  return { buckets, ...(refused === undefined ? {} : { refused }) };
}

/** @throws CallRefused with what Storage says */
export async function makeBucket(
  source: Source,
  { name, public: open, limit, types }: NewBucket,
): Promise<Record<string, never>> {
  const body = {
    ...{ name, public: open },
    file_size_limit: limit === "" ? null : limit,
    allowed_mime_types: types.length === 0 ? null : types,
  };
  await answered(source, SERVICE, { method: "POST", path: "/bucket", ...jsonBody(body) });
  return {};
}

interface ListJson {
  nextCursor?: string;
  folders: { name: string }[];
  objects: {
    name: string;
    metadata: { size?: unknown; mimetype?: unknown } | null;
    updated_at: string | null;
  }[];
}

const OWNERS = `select o.name, coalesce(u.email, o.owner_id) as owner from storage.objects o left join auth.users u on u.id = o.owner
  where o.bucket_id = $1 and o.name = any($2)`;

/**
 * A page of a folder. Visibility is asked and never guessed: the page is listed by the service, and then the same one by the
 * lens, whose page has all that it gets of these, because it gets nothing else.
 */
export async function filesOf(
  source: Source,
  { as, bucket, prefix, after }: FilesAsk,
): Promise<{ files: StoredFile[]; next?: string | undefined; refused?: string }> {
  const at = encodeURIComponent(bucket);
  const body = {
    prefix,
    limit: PAGE,
    with_delimiter: true,
    ...(after === undefined ? {} : { cursor: after }),
  };
  const listed = async (lens: Lens) =>
    jsonOf<ListJson>(
      await answered(source, lens, { method: "POST", path: `/object/list-v2/${at}`, ...jsonBody(body) }),
    );
  // A list of no bucket would be an empty one.
  await answered(source, SERVICE, { method: "GET", path: `/bucket/${at}` });
  const { folders, objects, nextCursor } = await listed(SERVICE);
  const { got, refused } = await gotBy(
    listed(as).then((own) => [...own.folders, ...own.objects].map(({ name }) => name)),
  );
  const { rows } = await readOnly(source, (client) =>
    client.query<{ name: string; owner: string | null }>(OWNERS, [bucket, objects.map(({ name }) => name)]),
  );
  const owners = new Map(rows.map(({ name, owner }) => [name, owner]));
  const files = [
    ...folders.map(({ name }): StoredFile => ({ path: name, folder: true, hidden: !got.has(name) })),
    ...objects.map(({ name, metadata, updated_at }): StoredFile => {
      const { size, mimetype } = metadata ?? {};
      return {
        path: name,
        folder: false,
        hidden: !got.has(name),
        size: typeof size === "number" ? size : undefined,
        type: typeof mimetype === "string" ? mimetype : undefined,
        changed: updated_at ?? undefined,
        owner: owners.get(name) ?? undefined,
      };
    }),
  ];
  return { files, next: nextCursor, ...(refused === undefined ? {} : { refused }) };
}

/** The bytes of a file, or the first of them. Its type is not told: nothing here is shown by what a file says that it is. */
export async function bytesOf(
  source: Source,
  { as, most, ...file }: FilePlace & { most?: number | undefined },
): Promise<Readable> {
  const headers: IncomingHttpHeaders = most === undefined ? {} : { range: `bytes=0-${most - 1}` };
  const path = `/object/authenticated/${addressOf(file)}`;
  const { body } = await answered(source, as, { method: "GET", path, headers });
  return body instanceof Readable ? body : Readable.from(body === null ? [] : [body]);
}

export async function actOnFile(source: Source, reasons: Reasons, act: FileAct): Promise<{ link?: string }> {
  const { as, bucket, path } = act;
  const address = addressOf(act);
  if (act.do === "delete") {
    const asked = { method: "DELETE", path: `/object/${address}` };
    await explained(reasons, act, asked, answered(source, as, asked));
    return {};
  }
  const asked = { method: "POST", path: `/object/sign/${address}` };
  // Storage signs the address as it was asked for, in which escapes of reserved characters stay.
  const raw = {
    ...asked,
    path: `/object/sign/${encodeURI(`${bucket}/${path}`)}`,
    ...jsonBody({ expiresIn: act.seconds }),
  };
  const answer = await explained(reasons, act, asked, answered(source, as, raw));
  const { signedURL } = jsonOf<{ signedURL: string }>(answer);
  const token = signedURL.slice(signedURL.lastIndexOf("?"));
  return { link: `${source.backend.url}/storage/v1${asked.path}${token}` };
}

/** Hands a request's body to Storage as it comes. */
export async function upload(
  source: Source,
  reasons: Reasons,
  ask: UploadAsk,
  { headers, body, signal }: ServiceRequest,
): Promise<Record<string, never>> {
  const length = headers["content-length"];
  const asked = { method: ask.replace ? "PUT" : "POST", path: `/object/${addressOf(ask)}` };
  const sent = { "content-type": ask.type, ...(length === undefined ? {} : { "content-length": length }) };
  await explained(reasons, ask, asked, answered(source, ask.as, { ...asked, headers: sent, body, signal }));
  return {};
}

/** An answer, or its refusal with the reasons of the policies. */
async function explained<T>(
  reasons: Reasons,
  { as, bucket }: Pick<FilePlace, "as" | "bucket">,
  { method, path }: Pick<Asked, "method" | "path">,
  answer: Promise<T>,
): Promise<T> {
  return answer.catch(async (error: unknown) => {
    if (!(error instanceof StorageRefused && error.byPolicy)) throw error;
    const why = await reasons.ofFile({ as, bucket }, { method, path }).catch(() => undefined);
    throw new CallRefused(422, [`${error.message}.`, ...(why?.sentences ?? [])].join(" "));
  });
}

/** Why the lens may read a file, or not. */
export function whyFile(reasons: Reasons, { as, ...file }: FilePlace, signal: AbortSignal) {
  const asked = { method: "GET", path: `/object/${addressOf(file)}` };
  return reasons.ofFile({ as, bucket: file.bucket }, asked, signal);
}
