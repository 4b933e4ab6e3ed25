/**
 * Owns: what every function does at its door. CORS, methods, the caller's client, refusals with a code, and
 * an id for what nobody foresaw, which is in the answer and in the log.
 */
import { createClient, type SupabaseClient } from "npm:@supabase/supabase-js@2";
import { apiKey } from "./api_keys.ts";

/** An answer of `{"code", "message"}` that the caller can act on. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface Door {
  /** The function's name, for the log. */
  name: string;
  methods: readonly ("GET" | "HEAD" | "POST")[];
  /** What is said of an error that nobody foresaw. */
  apology: string;
}

/** Serves `answer` behind a door. What it throws becomes a refusal or a 500 with an id. */
export function serve(door: Door, answer: (request: Request) => Promise<Response>): void {
  Deno.serve(async (request) => {
    const cors = corsHeaders(request, door.methods);
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    try {
      if (!door.methods.some((method) => method === request.method)) {
        throw new Refusal(405, "method_not_allowed", `Send ${door.methods.join(" or ")}.`);
      }
      const response = await answer(request);
      for (const [name, value] of Object.entries(cors)) response.headers.set(name, value);
      return response;
    } catch (error) {
      if (error instanceof Refusal) {
        return Response.json(
          { code: error.code, message: error.message },
          { status: error.status, headers: cors },
        );
      }
      const id = crypto.randomUUID();
      console.error(`${door.name} ${id}`, error);
      return Response.json({ code: "unexpected", message: door.apology, id }, { status: 500, headers: cors });
    }
  });
}

/** A client that is the caller: their token, and the publishable key for the gateway. */
export function clientOf(request: Request): SupabaseClient {
  const authorization = request.headers.get("Authorization");
  if (!authorization) throw new Refusal(401, "not_signed_in", "Sign in first.");
  return createClient(
    required("SUPABASE_URL"),
    apiKey("publishable", (name) => Deno.env.get(name)),
    {
      global: { headers: { Authorization: authorization } },
      auth: { persistSession: false, autoRefreshToken: false },
    },
  );
}

/** A client that nobody is. */
export function anonymousClient(): SupabaseClient {
  return createClient(
    required("SUPABASE_URL"),
    apiKey("publishable", (name) => Deno.env.get(name)),
    {
      auth: { persistSession: false, autoRefreshToken: false },
    },
  );
}

/** A client that row security does not hold. Only for what no caller decides. */
export function serviceClient(): SupabaseClient {
  return createClient(
    required("SUPABASE_URL"),
    apiKey("secret", (name) => Deno.env.get(name)),
    {
      auth: { persistSession: false, autoRefreshToken: false },
    },
  );
}

export function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

interface Answer<T> {
  data: T;
  error: { message: string; code: string; details?: string | null } | null;
}

/** The data of an answer. Refusals of the database (PT4xx) go on to the caller as they are. */
export function dataOf<T>(result: Answer<T>): T {
  const { error } = result;
  if (!error) return result.data;
  const status = /^PT(4\d\d)$/.exec(error.code)?.[1];
  if (status) throw new Refusal(Number(status), error.details ?? error.code, error.message);
  // The platform lets a publishable key in as role anon, which may do none of this.
  if (error.code === "42501") throw new Refusal(401, "not_signed_in", "Sign in first.");
  throw new Error(error.message);
}

/** The JSON body as an object. @throws Refusal 400 for anything else, 413 above `most` bytes. */
export async function readObject(request: Request, most = 100_000): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.length > most) throw new Refusal(413, "too_large", "That is too much at once.");
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>;
    }
  } catch {
    // Said below, as for every body that is no object.
  }
  throw new Refusal(400, "invalid_request", "Send a JSON object.");
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(value: unknown): value is string {
  return typeof value === "string" && UUID.test(value);
}

/** Where the app is, without a slash at the end: what mails and calendar entries lead to. */
export function siteUrl(): string {
  return (Deno.env.get("SITE_URL") ?? "http://127.0.0.1:5173").replace(/\/+$/, "");
}

/** Hosted functions get no CORS headers from the platform; the token, not the origin, is what protects. */
function corsHeaders(request: Request, methods: readonly string[]): Record<string, string> {
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": [...methods, "OPTIONS"].join(", "),
    "Access-Control-Allow-Headers":
      request.headers.get("Access-Control-Request-Headers") ??
      "authorization, apikey, content-type, x-client-info",
    "Access-Control-Max-Age": "86400",
  };
}
