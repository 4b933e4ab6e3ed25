/**
 * Owns: GET and POST requests to public https URLs, which cannot reach private addresses. A name is resolved once, all its
 * addresses must be public, and the connection goes to one of these: changing the DNS entry afterwards has no
 * effect. The network is injected (`Network`).
 */
import { type Answer, readAnswer, Unreachable } from "./http_answer.ts";
import { isPublicIp, publicAddress } from "./public_address.ts";

export { type Answer, Unreachable } from "./http_answer.ts";

export interface Network {
  /** All addresses of a name, of both kinds; none for an unknown name. */
  resolve(name: string, signal: AbortSignal): Promise<string[]>;
  /** A TLS connection to an address, whose certificate must be valid for the name. */
  connect(address: string, name: string): Promise<Connection>;
}

export interface Connection {
  readable: ReadableStream<Uint8Array>;
  write(bytes: Uint8Array): Promise<void>;
  close(): void;
}

export interface Limits {
  /** Total timeout, including redirects. */
  milliseconds: number;
  /** Maximum size of the uncompressed body. */
  bytes: number;
  redirects: number;
}

/** Maximum number of addresses of one name to try; the first that accepts a connection is used. */
const MOST_ADDRESSES = 3;

/**
 * The final response after redirects, as UTF-8 text.
 * @param accept the `Accept` header
 * @throws Unreachable
 */
export async function httpsGet(
  given: string,
  accept: string,
  network: Network,
  limits: Limits,
): Promise<Answer> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  let url = allowed(given);
  for (let redirects = 0; redirects <= limits.redirects; redirects += 1) {
    const answer = await ask(url, getRequest(accept), network, limits.bytes, signal);
    if ("text" in answer) return answer;
    url = allowed(new URL(answer.location, url).href);
  }
  throw new Unreachable("too_many_redirects", "That address redirects too often.");
}

/**
 * The response to a POST, as UTF-8 text. A redirect is not followed.
 * @throws Unreachable
 */
export async function httpsPost(
  given: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  network: Network,
  limits: Omit<Limits, "redirects">,
): Promise<Answer> {
  const signal = AbortSignal.timeout(limits.milliseconds);
  const request = { method: "POST", headers: { ...headers, "Content-Length": String(body.length) }, body };
  const answer = await ask(allowed(given), request, network, limits.bytes, signal);
  if ("text" in answer) return answer;
  throw new Unreachable("too_many_redirects", "That address leads elsewhere.");
}

interface HttpRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: Uint8Array;
}

/**
 * The target of the redirect that a GET of a public https URL returns, which is not followed; null without a redirect.
 * @throws Unreachable
 */
export async function httpsLocation(given: string, network: Network, limits: Limits): Promise<string | null> {
  const url = allowed(given);
  const signal = AbortSignal.timeout(limits.milliseconds);
  const answer = await ask(url, getRequest("text/html"), network, limits.bytes, signal);
  return "location" in answer ? new URL(answer.location, url).href : null;
}

function getRequest(accept: string): HttpRequest {
  return { method: "GET", headers: { Accept: accept, "Accept-Encoding": "identity" } };
}

function allowed(given: string): URL {
  const url = publicAddress(given);
  if (!url) throw new Unreachable("not_public", "That is no public https address.");
  return url;
}

async function ask(
  url: URL,
  request: HttpRequest,
  network: Network,
  most: number,
  signal: AbortSignal,
): Promise<Answer | { location: string }> {
  const name = url.hostname.replace(/^\[|\]$|\.$/g, "");
  const connection = await connect(await addressesOf(name, network, signal), name, network, signal);
  // The timeout closes the connection, whatever is waiting for it.
  const end = () => connection.close();
  signal.addEventListener("abort", end);
  try {
    signal.throwIfAborted();
    const fields = Object.entries({
      Host: url.host,
      ...request.headers,
      "User-Agent": "Nosh",
      Connection: "close",
    });
    await connection.write(
      new TextEncoder().encode(
        `${request.method} ${url.pathname}${url.search} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`,
      ),
    );
    if (request.body) await connection.write(request.body);
    return await readAnswer(connection.readable, most);
  } catch (error) {
    if (error instanceof Unreachable) throw error;
    throw new Unreachable("no_answer", "That address did not answer.");
  } finally {
    signal.removeEventListener("abort", end);
    connection.close();
  }
}

async function addressesOf(name: string, network: Network, signal: AbortSignal): Promise<string[]> {
  const literal = isPublicIp(name);
  const found = literal ? [name] : await within(network.resolve(name, signal), signal);
  if (found.length === 0) throw new Unreachable("no_answer", "There is no such address.");
  if (!found.every(isPublicIp)) {
    throw new Unreachable("not_public", "That is no public https address.");
  }
  return found.slice(0, MOST_ADDRESSES);
}

async function connect(
  addresses: readonly string[],
  name: string,
  network: Network,
  signal: AbortSignal,
): Promise<Connection> {
  for (const address of addresses) {
    const opening = network.connect(address, name);
    try {
      return await within(opening, signal);
    } catch {
      // A connection that opens after the timeout is closed.
      opening.then(
        (late) => late.close(),
        () => undefined,
      );
      if (signal.aborted) break;
    }
  }
  throw new Unreachable("no_answer", "That address did not answer.");
}

/** The promise, or a rejection at the timeout. */
function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const over = () => reject(new Unreachable("no_answer", "That address did not answer."));
    if (signal.aborted) over();
    signal.addEventListener("abort", over, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", over));
  });
}
