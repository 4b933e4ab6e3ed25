/**
 * Runs inside a function's own Deno process: buckets as folders below `/s3`, for Deno's asynchronous file functions
 * (Supabase's guide "File Storage"; docs/compat/functions.md 6).
 */
import { normalize } from "node:path/posix";
import { S3Client, S3Failed, type S3Settings } from "./s3-client.ts";
import { S3File } from "./s3-file.ts";

type ErrorName = "NotFound" | "AlreadyExists" | "PermissionDenied" | "NotADirectory" | "IsADirectory";
declare const Deno: { errors: Record<ErrorName, new (message: string) => Error> };

/** Deno's `FileInfo`, as far as a bucket knows it. */
interface FileInfo {
  isFile: boolean;
  isDirectory: boolean;
  isSymlink: false;
  size: number;
  mtime: Date | null;
  atime: null;
  birthtime: null;
  ctime: null;
  mode: null;
}

interface Place {
  /** The path as the function wrote it. */
  path: string;
  bucket: string;
  /** Without slashes at its ends; empty for the bucket itself. */
  key: string;
}

interface WriteOptions {
  append?: boolean;
  create?: boolean;
  createNew?: boolean;
}

interface OpenOptions extends WriteOptions {
  read?: boolean;
  write?: boolean;
  truncate?: boolean;
}

/** Deno's file functions on mounted buckets, by their names. */
export interface S3Files {
  /** Whether a path or file URL is below `/s3`. */
  owns(path: unknown): boolean;
  calls: Readonly<Record<string, (path: unknown, ...rest: never[]) => unknown>>;
}

const ROOT = /^\/s3(?:\/|$)/;

/**
 * @param settings undefined where the secrets are missing: each call then says which.
 * @param waitUntil keeps the worker until an upload is done.
 */
export function s3Files(
  settings: S3Settings | undefined,
  waitUntil: (work: Promise<unknown>) => void,
): S3Files {
  const client = settings && new S3Client(settings);
  /** Uploads that a file's `close` began, by path: later calls of the path wait for them. */
  const uploads = new Map<string, Promise<void>>();

  /** Runs a call for a path; what S3 answers becomes an error of Deno's. */
  const on = async <T>(given: unknown, work: (client: S3Client, place: Place) => Promise<T>): Promise<T> => {
    const place = placeOf(given);
    if (!client) {
      throw new Deno.errors.NotFound(
        `No bucket is mounted at ${place.path}: set the secrets S3FS_ENDPOINT_URL, S3FS_REGION, S3FS_ACCESS_KEY_ID and S3FS_SECRET_ACCESS_KEY.`,
      );
    }
    if (place.bucket === "") throw new Deno.errors.NotFound("A path of a bucket is /s3/BUCKET/PATH.");
    await uploads.get(place.path);
    try {
      return await work(client, place);
    } catch (error) {
      throw error instanceof S3Failed ? denoError(error, place.path) : error;
    }
  };

  const readFile = (path: unknown) => on(path, (s3, { bucket, key }) => s3.get(bucket, key));

  const writeFile = (path: unknown, data: string | Uint8Array | ReadableStream, options: WriteOptions = {}) =>
    on(path, async (s3, { bucket, key, path: name }) => {
      if (key === "") throw new Deno.errors.IsADirectory(`Is a directory: ${name}`);
      const known = options.append || options.createNew || options.create === false;
      const exists = known && (await s3.head(bucket, key)) !== undefined;
      if (options.createNew && exists) throw new Deno.errors.AlreadyExists(`File exists: ${name}`);
      if (options.create === false && !exists) throw notFound(name);
      const before = options.append && exists ? await s3.get(bucket, key) : new Uint8Array();
      await s3.put(bucket, key, joined([before, await bytesOf(data)]));
    });

  const stat = (path: unknown): Promise<FileInfo> =>
    on(path, async (s3, { bucket, key, path: name }) => {
      const object = await s3.head(bucket, key);
      if (object) return infoOf(key === "" ? undefined : object);
      if (key !== "" && (await hasChildren(s3, bucket, `${key}/`))) return infoOf(undefined);
      throw notFound(name);
    });

  const remove = (path: unknown, { recursive = false }: { recursive?: boolean } = {}) =>
    on(path, async (s3, { bucket, key, path: name }) => {
      if (key === "") throw new Deno.errors.PermissionDenied("A bucket is not removed by its path.");
      const object = await s3.head(bucket, key);
      if (object) return s3.delete(bucket, key);
      const { objects } = await s3.list(bucket, `${key}/`, "", { most: 2 });
      if (objects.length === 0) throw notFound(name);
      if (!recursive && objects.some((one) => !isMarker(one.key, `${key}/`))) {
        throw new Error(`Directory not empty (os error 39): remove '${name}'`);
      }
      for (;;) {
        const page = await s3.list(bucket, `${key}/`, "");
        if (page.objects.length === 0) return;
        for (const one of page.objects) await s3.delete(bucket, one.key);
      }
    });

  const mkdir = (path: unknown, { recursive = false }: { recursive?: boolean } = {}) =>
    on(path, async (s3, { bucket, key, path: name }) => {
      const exists = key === "" || (await s3.head(bucket, key)) || (await hasChildren(s3, bucket, `${key}/`));
      if (exists && !recursive) throw new Deno.errors.AlreadyExists(`File exists: ${name}`);
      // S3 has no folders: an empty object whose key ends in a slash stands for one.
      if (!exists) await s3.put(bucket, `${key}/`, new Uint8Array());
    });

  const open = (path: unknown, options: OpenOptions = {}) =>
    on(path, async (s3, { bucket, key, path: name }) => {
      const writes = options.write || options.append || options.truncate;
      const object = await s3.head(bucket, key);
      if (options.createNew && object) throw new Deno.errors.AlreadyExists(`File exists: ${name}`);
      if (!object && !options.create && !options.createNew) throw notFound(name);
      const content = object && !options.truncate ? await s3.get(bucket, key) : new Uint8Array();
      const upload = (bytes: Uint8Array<ArrayBuffer>) => {
        const before = uploads.get(name) ?? Promise.resolve();
        const done = before.then(() => s3.put(bucket, key, bytes));
        const settled = done
          .catch((error) => console.error(`${name} was not stored: ${error}`))
          .then(() => {
            if (uploads.get(name) === settled) uploads.delete(name);
          });
        uploads.set(name, settled);
        waitUntil(settled);
        return done;
      };
      return new S3File({
        content,
        append: options.append === true,
        readable: options.read ?? !writes,
        info: () => infoOf({ size: content.length, modified: object?.modified ?? null }),
        upload: writes ? upload : undefined,
        changed: !object || options.truncate === true,
      });
    });

  async function* readDir(path: unknown) {
    let token: string | undefined;
    let empty = true;
    do {
      const { page, prefix, name } = await on(path, async (s3, { bucket, key, path }) => {
        const folder = key === "" ? "" : `${key}/`;
        return { page: await s3.list(bucket, folder, "/", { token }), prefix: folder, name: path };
      });
      for (const found of page.prefixes) {
        empty = false;
        yield entryOf(found.slice(prefix.length, -1), true);
      }
      for (const { key } of page.objects) {
        empty = false;
        if (!isMarker(key, prefix)) yield entryOf(key.slice(prefix.length), false);
      }
      token = page.next;
      if (token === undefined && empty && prefix !== "") throw notFound(name);
    } while (token !== undefined);
  }

  return {
    owns: (path) => ROOT.test(pathText(path)),
    calls: {
      readFile,
      readTextFile: async (path) => new TextDecoder().decode(await readFile(path)),
      writeFile,
      writeTextFile: writeFile,
      stat,
      lstat: stat,
      realPath: async (path) => {
        await stat(path);
        return placeOf(path).path;
      },
      remove,
      mkdir,
      readDir,
      open,
      create: (path) => open(path, { read: true, write: true, truncate: true, create: true }),
    } as S3Files["calls"],
  };
}

/** Whether an object stands for the folder itself: its key ends in a slash, or is what storage makes of such a key. */
function isMarker(key: string, folder: string): boolean {
  return key === folder || key === `${folder}.emptyFolderPlaceholder`;
}

function pathText(path: unknown): string {
  if (path instanceof URL)
    return path.protocol === "file:" ? pathText(decodeURIComponent(path.pathname)) : "";
  return typeof path === "string" ? normalize(path) : "";
}

function placeOf(given: unknown): Place {
  const path = pathText(given).replace(/\/+$/, "");
  const [, , bucket = "", ...rest] = path.split("/");
  return { path, bucket, key: rest.join("/") };
}

function infoOf(object: { size: number; modified: Date | null } | undefined): FileInfo {
  return {
    isFile: object !== undefined,
    isDirectory: object === undefined,
    isSymlink: false,
    size: object?.size ?? 0,
    mtime: object?.modified ?? null,
    atime: null,
    birthtime: null,
    ctime: null,
    mode: null,
  };
}

function entryOf(name: string, isDirectory: boolean) {
  return { name, isFile: !isDirectory, isDirectory, isSymlink: false };
}

async function hasChildren(s3: S3Client, bucket: string, prefix: string): Promise<boolean> {
  return (await s3.list(bucket, prefix, "", { most: 1 })).objects.length > 0;
}

async function bytesOf(data: string | Uint8Array | ReadableStream): Promise<Uint8Array> {
  if (typeof data === "string") return new TextEncoder().encode(data);
  return data instanceof ReadableStream ? new Uint8Array(await new Response(data).arrayBuffer()) : data;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function notFound(path: string): Error {
  return new Deno.errors.NotFound(`No such file or directory (os error 2): '${path}'`);
}

function denoError({ status, message }: S3Failed, path: string): Error {
  if (status === 404) return notFound(path);
  if (status === 401 || status === 403) return new Deno.errors.PermissionDenied(`${message}: '${path}'`);
  return new Error(`${message}: '${path}'`);
}
