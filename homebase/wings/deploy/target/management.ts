/**
 * Owns the Management API calls of a deploy: the same as the Supabase CLI's (docs/compat/platform.md 5), over
 * fetch.
 */
import { isRecord } from "../../../src/core/record.ts";
import { UserError } from "../../../src/core/user-error.ts";
import { answerText } from "../../../src/http/bounded-answer.ts";
import { LARGEST_ANSWER, strictFetch } from "./strict-fetch.ts";

/** The API rejected a call, or was unreachable. The message names the call and the response. */
export class ManagementError extends UserError {
  readonly call: string;
  readonly status: number | undefined;
  constructor(call: string, status: number | undefined, text: string) {
    super(`${call} ${status === undefined ? "could not be made" : `answered ${status}`}: ${text}`);
    this.call = call;
    this.status = status;
  }
}

const RETRIED = new Set([429, 502, 503, 504]);
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 1_000;
/** An API that asks for a longer wait is reported instead. */
const LONGEST_WAIT_MS = 60_000;

/** A project's part of the Management API. */
export class Management {
  readonly #url: string;
  readonly #token: string;
  readonly ref: string;

  constructor({ url, token, ref }: { url: string; token: string; ref: string }) {
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
    this.ref = ref;
  }

  /**
   * Calls a path below `/v1/projects/{ref}` (or another version's). Reads are retried when the API is busy;
   * changes are not, because they may have taken effect. @returns the response's JSON.
   * @throws ManagementError
   */
  async call(method: string, path: string, body?: unknown, version: "v1" | "v2" = "v1"): Promise<unknown> {
    const name = `${method} /${version}/projects/${this.ref}${path}`;
    const form = body instanceof FormData;
    for (let attempt = 1; ; attempt += 1) {
      let answer: Response;
      let text: string;
      try {
        answer = await strictFetch(`${this.#url}/${version}/projects/${this.ref}${path}`, {
          method,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...(form || body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
        });
        text = await answerText(answer, LARGEST_ANSWER);
      } catch (error) {
        const cause =
          error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
        throw this.#error(name, undefined, `${error instanceof Error ? error.message : error}${cause}`);
      }
      const wait = Number(answer.headers.get("retry-after")) * 1_000 || FIRST_WAIT_MS * 2 ** (attempt - 1);
      const again = method === "GET" && RETRIED.has(answer.status) && attempt < ATTEMPTS;
      if (again && wait > 0 && wait <= LONGEST_WAIT_MS) {
        await new Promise((later) => setTimeout(later, wait));
        continue;
      }
      if (!answer.ok) throw this.#error(name, answer.status, messageOf(text));
      try {
        return text === "" ? undefined : JSON.parse(text);
      } catch {
        throw new ManagementError(name, answer.status, "The answer is no JSON.");
      }
    }
  }

  /** A response may repeat the token of its request. */
  #error(name: string, status: number | undefined, text: string): ManagementError {
    return new ManagementError(name, status, text.replaceAll(this.#token, "(not shown)"));
  }

  /** As `call`, for a response that is an object. */
  async object(method: string, path: string, body?: unknown, version: "v1" | "v2" = "v1") {
    const answer = await this.call(method, path, body, version);
    if (!isRecord(answer))
      throw new ManagementError(`${method} ${path}`, 200, "The response is not an object.");
    return answer;
  }

  /** As `call`, for a response that is a list of objects. */
  async list(path: string): Promise<Record<string, unknown>[]> {
    const answer = await this.call("GET", path);
    if (!Array.isArray(answer)) throw new ManagementError(`GET ${path}`, 200, "The answer is no list.");
    return answer.filter(isRecord);
  }
}

function messageOf(text: string): string {
  try {
    const parsed: unknown = JSON.parse(text);
    if (isRecord(parsed) && typeof parsed.message === "string") return parsed.message;
  } catch {
    // Not JSON: shown as text.
  }
  return text.slice(0, 500) || "without a body";
}
