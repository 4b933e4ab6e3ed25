/**
 * Owns helpers of Storage's integration tests: Backends, callers of every role, plain requests, the folder.
 */
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { createBackend, type TestBackend, type TestBackendOptions } from "../../src/testing/index.ts";

/** A Backend of a default project with changes of its section `storage`. */
export function storageBackend(
  storage: NonNullable<TestBackendOptions["config"]>["storage"] = {},
  wings?: TestBackendOptions["wings"],
): Promise<TestBackend> {
  return createBackend({
    projectFolder: join(import.meta.dirname, "project"),
    bare: true,
    config: { storage },
    wings,
  });
}

/** A supabase-js client with this token, or with the key alone. */
export function clientOf(backend: TestBackend, token?: string): SupabaseClient {
  return createClient(backend.url, backend.publishableKey, {
    auth: { autoRefreshToken: false, persistSession: false },
    ...(token ? { accessToken: async () => token } : {}),
  });
}

export const adminOf = (backend: TestBackend): SupabaseClient =>
  createClient(backend.url, backend.secretKey, { auth: { autoRefreshToken: false, persistSession: false } });

/** Creates the public bucket `pub` and the private bucket `priv`, each with these objects. */
export async function createPubAndPriv(backend: TestBackend, objects: Record<string, Blob>): Promise<void> {
  const { storage } = adminOf(backend);
  for (const name of ["pub", "priv"]) {
    must(await storage.createBucket(name, { public: name === "pub" }));
    for (const [key, body] of Object.entries(objects)) must(await storage.from(name).upload(key, body));
  }
}

/** A signed-in person's token; a different person for each call unless `sub` is given. */
export async function userToken(backend: TestBackend, sub: string = randomUUID()): Promise<string> {
  const now = Math.floor(backend.clock.now() / 1000);
  return backend.backend.keys.sign({
    sub,
    role: "authenticated",
    aud: "authenticated",
    iat: now,
    exp: now + 3600,
  });
}

export type Body = NonNullable<RequestInit["body"]>;

/** A request to Storage in plain HTTP, as the service role unless headers say otherwise. */
export function ask(
  backend: TestBackend,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: Body; json?: unknown; token?: string | null } = {},
): Promise<Response> {
  const token = options.token === undefined ? backend.serviceRoleKey : options.token;
  return fetch(`${backend.url}/storage/v1${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.json === undefined ? {} : { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    ...(options.body === undefined ? {} : { body: options.body, duplex: "half" }),
  } as RequestInit);
}

/** HTTP status and the body, whose key order matters: compare with `refusal`. */
export async function answer(response: Response | Promise<Response>): Promise<[number, string]> {
  const got = await response;
  return [got.status, await got.text()];
}

/** An error response. */
export function refusal(
  http: number,
  statusCode: string,
  error: string,
  message: string,
  code: string,
): [number, string] {
  return [http, JSON.stringify({ statusCode, error, message, code })];
}

export const OBJECT_NOT_FOUND = refusal(400, "404", "not_found", "Object not found", "NoSuchKey");
export const BUCKET_NOT_FOUND = refusal(400, "404", "Bucket not found", "Bucket not found", "NoSuchBucket");
export const DUPLICATE = refusal(400, "409", "Duplicate", "The resource already exists", "KeyAlreadyExists");
export const RLS = refusal(
  400,
  "403",
  "Unauthorized",
  "new row violates row-level security policy",
  "AccessDenied",
);
export const TOO_LARGE = refusal(
  400,
  "413",
  "Payload too large",
  "The object exceeded the maximum allowed size",
  "EntityTooLarge",
);
export const invalidKey = (key: string): [number, string] =>
  refusal(400, "400", "InvalidKey", `Invalid key: ${key}`, "InvalidKey");

/** The parts of the client's error that the catalogue determines. */
export function failure(error: unknown): unknown {
  if (!error) return error;
  const { status, statusCode, message } = error as { status: number; statusCode: string; message: string };
  return { status, statusCode, message };
}

/** The data of a client's result; throws its error. */
export function must<T>(result: { data: T; error: unknown }): NonNullable<T> {
  if (result.error) throw result.error;
  if (result.data === null || result.data === undefined) throw new Error("No data.");
  return result.data;
}

/** Every file in the Backend's storage folder, including incomplete ones. */
export async function filesOf(backend: TestBackend): Promise<string[]> {
  const found = await readdir(backend.storageFolder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      // The folder was removed meanwhile: replaced bodies are removed a moment later.
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
  if (!found) return filesOf(backend);
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
