/** Owns the requests of the extension http, whose statements wait for the answer (pgsql-http documentation). */
import { type Answer, exchange, type Outgoing, targetOf } from "./outgoing-request.ts";

/** A request as a statement hands it over; the body is text. */
export interface WaitingRequest extends Omit<Outgoing, "body"> {
  url: string;
  body: string | null;
}

/** Maximum number of redirects, as curl's for pgsql-http. */
const MOST_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Sends the request. @param ending aborts it. @returns what the statement makes its row of, or `{ error }` */
export async function answerRequest(row: WaitingRequest, ownApi: URL, ending: AbortSignal): Promise<unknown> {
  const began = performance.now();
  try {
    const { status, contentType, headers, content } = await follow(row, ownApi, ending);
    return {
      status,
      contentType,
      headers: Object.entries(headers ?? {}).map(([field, value]) => ({ field, value })),
      content,
    };
  } catch (error) {
    return { error: curlMessage(error as NodeJS.ErrnoException, row, performance.now() - began) };
  }
}

async function follow(row: WaitingRequest, ownApi: URL, ending: AbortSignal): Promise<Answer> {
  let target = targetOf(row.url, ownApi);
  let request: Outgoing = { ...row, body: row.body === null ? null : Buffer.from(row.body) };
  for (let redirects = 0; ; redirects += 1) {
    const answer = await exchange(target, request, ending);
    const location = answer.headers?.location;
    if (!REDIRECTS.has(answer.status ?? 0) || location === undefined) return answer;
    if (redirects === MOST_REDIRECTS) throw new Error(`Maximum (${MOST_REDIRECTS}) redirects followed`);
    const next = targetOf(new URL(location, target).href, ownApi);
    // As curl: a redirected POST becomes a GET, and credentials are not sent to another host.
    const repeated = answer.status === 307 || answer.status === 308;
    const headers = Object.entries(request.headers ?? {}).filter(
      ([name]) => next.host === target.host || !/^(?:authorization|cookie)$/i.test(name),
    );
    request = {
      ...request,
      headers: Object.fromEntries(headers),
      ...(repeated || row.method === "HEAD" ? {} : { method: "GET", body: null }),
    };
    target = next;
  }
}

/** curl's error messages, which pgsql-http passes on. */
function curlMessage(
  error: NodeJS.ErrnoException & { port?: number; address?: string },
  row: WaitingRequest,
  took: number,
) {
  const milliseconds = Math.round(took);
  if (error.name === "TimeoutError") {
    return `Operation timed out after ${milliseconds} milliseconds with 0 bytes received`;
  }
  const host = URL.canParse(row.url) ? new URL(row.url) : undefined;
  switch (error.code) {
    case "ERR_INVALID_URL":
      return "URL rejected: Malformed input to a URL function";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `Could not resolve host: ${host?.hostname ?? row.url}`;
    case "ECONNREFUSED": {
      const port = host?.port || (host?.protocol === "https:" ? "443" : "80");
      return `Failed to connect to ${host?.hostname ?? ""} port ${port} after ${milliseconds} ms: Couldn't connect to server`;
    }
    default:
      return error.message;
  }
}
