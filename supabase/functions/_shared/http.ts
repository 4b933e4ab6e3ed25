/**
 * Owns: the HTTP layer of every function: CORS, methods, the caller's client, errors with a code, and an id
 * for unexpected errors, in the response and in the log.
 */
import { createClient, type SupabaseClient } from "npm:@supabase/supabase-js@2.119.1";
import { apiKey } from "./api_keys.ts";

/** An error response `{"code", "message"}` that the caller can act on. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The settings of a function's endpoint. */
export interface Endpoint {
  /** The function's name, for the log. */
  name: string;
  methods: readonly ("GET" | "HEAD" | "POST")[];
  /** The message of an unexpected error. */
  errorMessage: string;
}

/** Serves `answer`. An exception becomes a refusal, or a 500 with an id. */
export function serve(endpoint: Endpoint, answer: (request: Request) => Promise<Response>): void {
  Deno.serve(async (request) => {
    const cors = corsHeaders(request, endpoint.methods);
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    try {
      if (!endpoint.methods.some((method) => method === request.method)) {
        throw new Refusal(405, "method_not_allowed", `Send ${endpoint.methods.join(" or ")}.`);
      }
      if ([...new URL(request.url).searchParams].flat().some(isUnstorable)) throw unstorable();
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
      console.error(`${endpoint.name} ${id}`, error);
      return Response.json(
        { code: "unexpected", message: endpoint.errorMessage, id },
        { status: 500, headers: cors },
      );
    }
  });
}

/** A client with the caller's rights: their token, and the publishable key for the gateway. */
export function clientOf(request: Request): SupabaseClient {
  const authorization = request.headers.get("Authorization");
  if (!authorization) throw new Refusal(401, "not_signed_in", "Sign in first.");
  return clientWith("publishable", { Authorization: authorization });
}

/** A client without a user. */
export function anonymousClient(): SupabaseClient {
  return clientWith("publishable");
}

/** A client that bypasses row security. Only for work that does not depend on the caller. */
export function serviceClient(): SupabaseClient {
  return clientWith("secret");
}

function clientWith(key: "publishable" | "secret", headers: Record<string, string> = {}): SupabaseClient {
  return createClient(
    required("SUPABASE_URL"),
    apiKey(key, (name) => Deno.env.get(name)),
    {
      global: { headers },
      auth: { persistSession: false, autoRefreshToken: false },
    },
  );
}

/** Lets only the schedule call a function: it knows the vault's secret. @throws Refusal */
export async function requireSchedule(request: Request): Promise<void> {
  const given = request.headers.get("x-reminders-secret");
  if (!given) throw new Refusal(401, "secret_needed", "Send the schedule's secret in x-reminders-secret.");
  if (!dataOf(await serviceClient().rpc("is_reminders_secret", { given }))) {
    throw new Refusal(403, "wrong_secret", "That is not the schedule's secret.");
  }
}

export function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

interface Answer<T> {
  data: T;
  status: number;
  error: { message: string; code: string; details?: string | null } | null;
}

/** The data of a result. Errors of the database (PT4xx), and tokens that REST refuses, are passed on to the caller. */
export function dataOf<T>(result: Answer<T>): T {
  const { error } = result;
  if (!error) return result.data;
  const status = /^PT(4\d\d)$/.exec(error.code)?.[1];
  if (status) throw new Refusal(Number(status), error.details ?? error.code, error.message);
  // The platform accepts a publishable key as role anon, which has no rights here. A function checks less of a
  // token than REST does, or nothing.
  if (error.code === "42501" || result.status === 401)
    throw new Refusal(401, "not_signed_in", "Sign in first.");
  throw new Error(error.message);
}

/** The JSON body as an object. @throws Refusal 400 for anything else, 413 above `most` bytes. */
export async function readObject(request: Request, most = 100_000): Promise<Record<string, unknown>> {
  const text = await request.text();
  if (text.length > most) throw new Refusal(413, "too_large", "That is too much at once.");
  try {
    const body: unknown = JSON.parse(text, (name, value) => {
      if (isUnstorable(name) || isUnstorable(value)) throw unstorable();
      return value;
    });
    if (typeof body === "object" && body !== null && !Array.isArray(body)) {
      return body as Record<string, unknown>;
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    // Reported below, as for every body that is not an object.
  }
  throw new Refusal(400, "invalid_request", "Send a JSON object.");
}

/** Text that Postgres cannot store: with NUL, or half of a surrogate pair. */
function isUnstorable(value: unknown): boolean {
  return typeof value === "string" && (value.includes("\0") || !value.isWellFormed());
}

const unstorable = () => new Refusal(400, "invalid_request", "Send text without control characters.");

/** The app's URL without trailing slash, for links in mails and calendar entries. */
export function siteUrl(): string {
  return (Deno.env.get("SITE_URL") ?? "http://127.0.0.1:5173").replace(/\/+$/, "");
}

/**
 * The platform adds no CORS headers to hosted functions; access is protected by the token, not by the origin.
 */
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
