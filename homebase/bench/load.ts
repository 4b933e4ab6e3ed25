/**
 * Owns the load of the measurements: connections that are written and read by hand, as Node's own client (and its
 * `fetch` far more) would cost more of the same cores than what it measures, and the loops that keep them busy.
 */
import { connect, type Socket } from "node:net";

/** Connections at once, unless a measurement says otherwise. */
export const CONNECTIONS = 16;

const LAST_CHUNK = "\r\n0\r\n\r\n";

/** Calls `work` from several loops at once for some seconds, after `warm` seconds that do not count. @returns calls a second. */
export async function rate(
  seconds: number,
  work: (at: number) => Promise<unknown> | undefined,
  { warm = 0.5, atOnce = CONNECTIONS } = {},
): Promise<number> {
  const loop = async (at: number, until: number) => {
    let count = 0;
    while (performance.now() < until) {
      await work(at);
      count += 1;
    }
    return count;
  };
  const run = async (length: number) => {
    const began = performance.now();
    const until = began + length * 1_000;
    const counts = await Promise.all(Array.from({ length: atOnce }, (_, at) => loop(at, until)));
    return counts.reduce((sum, one) => sum + one, 0) / ((performance.now() - began) / 1_000);
  };
  await run(warm);
  return Math.round(await run(seconds));
}

/** Text of a request with the headers that a measurement needs; a body is JSON. */
export function requestText(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): string {
  const lines = Object.entries({
    host: "localhost",
    ...headers,
    ...(body ? { "content-type": "application/json", "content-length": String(body.length) } : {}),
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** A connection that is kept. Its responses have a content-length, or end with an empty chunk. */
export class Connection {
  readonly #socket: Socket;
  #received: string[] = [];
  #length = 0;
  /** Where the body begins and how long the whole response is, once its head has come. */
  #body = 0;
  #expected = 0;
  #done: { resolve: (body: string) => void; reject: (error: Error) => void } | undefined;

  constructor(url: URL) {
    this.#socket = connect(Number(url.port), url.hostname);
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding("latin1");
    this.#socket.on("data", (chunk: string) => this.#receive(chunk));
    this.#socket.on("error", (error) => this.#done?.reject(error));
  }

  /** @returns the response's body. @throws with the whole response when its status is not 20x. */
  send(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: string): void {
    this.#received.push(chunk);
    this.#length += chunk.length;
    if (this.#expected === 0) {
      const received = this.#received.join("");
      this.#received = [received];
      const head = received.indexOf("\r\n\r\n");
      if (head < 0) return;
      this.#body = head + 4;
      const length = /\r\ncontent-length: (\d+)/i.exec(received);
      if (length) this.#expected = this.#body + Number(length[1]);
      else if (!/\r\ntransfer-encoding: chunked/i.test(received.slice(0, head))) {
        this.#done?.reject(new Error(`No length in ${received.slice(0, head)}`));
        return;
      } else if (received.endsWith(LAST_CHUNK)) this.#expected = received.length;
      else return;
    }
    if (this.#length < this.#expected) return;
    const received = this.#received.join("");
    const body = received.slice(this.#body);
    this.#received = [];
    this.#length = 0;
    this.#expected = 0;
    if (received.startsWith("HTTP/1.1 20")) this.#done?.resolve(body);
    else this.#done?.reject(new Error(received));
  }
}
