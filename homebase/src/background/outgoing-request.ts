/** Owns one HTTP request of pg_net or http: its target, limits and response. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** A request to send. */
export interface Outgoing {
  method: string;
  headers: Record<string, string> | null;
  body: Buffer | null;
  timeout_milliseconds: number;
}

/** The result: a status, or an error. */
export interface Answer {
  status: number | null;
  contentType: string | null;
  headers: Record<string, string> | null;
  content: string | null;
  timedOut: boolean;
  error: string | null;
}

/**
 * Maximum size of a response in bytes: it becomes one value of a row, and two hundred can be in memory at
 * once.
 */
const MOST_ANSWER_BYTES = 4 * 1024 ** 2;
/**
 * Host names by which projects reach the API on the Supabase CLI's stack, where it is another container. Here
 * they map to this machine, so that such code works unchanged.
 */
const OWN_API = /^(?:kong|host\.docker\.internal|api\.supabase\.internal|supabase_kong_[\w-]+)$/i;

/** The target of a request. @throws TypeError for an invalid URL. */
export function targetOf(url: string, ownApi: URL): URL {
  const target = new URL(url);
  if (OWN_API.test(target.hostname)) {
    target.protocol = ownApi.protocol;
    target.hostname = ownApi.hostname;
    target.port = ownApi.port;
  }
  return target;
}

/**
 * Sends one request; redirects are not followed, as by pg_net. @param ending aborts it. @throws TimeoutError,
 * or the network's error.
 */
export function exchange(target: URL, row: Outgoing, ending: AbortSignal): Promise<Answer> {
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    return Promise.reject(new Error(`Protocol "${target.protocol.slice(0, -1)}" not supported`));
  }
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { ...row.headers };
    if (row.body) headers["content-length"] = String(row.body.length);
    const send = target.protocol === "https:" ? requestHttps : requestHttp;
    const signal = AbortSignal.any([AbortSignal.timeout(row.timeout_milliseconds), ending]);
    const failed = (error: Error) => reject(signal.aborted ? signal.reason : error);
    const outgoing = send(target, { method: row.method.toUpperCase(), headers, signal }, (incoming) => {
      const chunks: Buffer[] = [];
      let size = 0;
      incoming.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_ANSWER_BYTES) {
          reject(new Error(`The answer is larger than ${MOST_ANSWER_BYTES} bytes`));
          outgoing.destroy();
        } else chunks.push(chunk);
      });
      incoming.on("error", failed);
      incoming.on("end", () => {
        resolve({
          status: incoming.statusCode ?? null,
          contentType: incoming.headers["content-type"] ?? null,
          headers: Object.fromEntries(
            Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
          ),
          // A Postgres text cannot contain NUL.
          content: Buffer.concat(chunks).toString("utf8").replaceAll("\0", ""),
          timedOut: false,
          error: null,
        });
      });
    });
    outgoing.on("error", failed);
    // Without an error where the answer is no response: to CONNECT, or of another protocol.
    outgoing.on("close", () => failed(new Error("The connection was closed without an answer")));
    outgoing.end(row.body ?? undefined);
  });
}
