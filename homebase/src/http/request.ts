/** Owns a request as the front reads it from a connection, and as the gateway hands it on to a service. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import { disconnectSignal, type Foreign, type ServiceRequest } from "./exchange.ts";

/** `http://host/path` in a request line (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i;

/** What a gateway changes of a request before a service sees it. */
export interface RequestOverrides {
  path: string;
  query: string;
  authorization: string | undefined;
  /** Headers put over the client's own. */
  headers?: Record<string, string> | undefined;
}

/** See the file's head. */
export class HttpRequest implements ServiceRequest {
  readonly id: string = randomUUID();
  readonly method: string;
  path: string;
  query: string;
  headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  authorization: string | undefined;
  foreign: Foreign | undefined;
  readonly body: Readable;
  readonly #incoming: IncomingMessage;
  /** What closes when the exchange is over: the response, or an upgraded socket. */
  readonly #end: Writable | Duplex;
  #signal: AbortSignal | undefined;

  constructor(incoming: IncomingMessage, end: Writable | Duplex) {
    let url = incoming.url ?? "/";
    this.headers = incoming.headers;
    if (url[0] !== "/") {
      const [, authority, rest] = ABSOLUTE.exec(url) ?? [];
      if (rest !== undefined) {
        // The address in the request line goes before the Host header.
        this.headers = { ...incoming.headers, host: authority };
        url = rest.startsWith("/") ? rest : `/${rest}`;
      }
    }
    const mark = url.indexOf("?");
    this.method = incoming.method ?? "GET";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    this.rawHeaders = incoming.rawHeaders;
    this.authorization = incoming.headers.authorization;
    this.body = incoming;
    this.#incoming = incoming;
    this.#end = end;
  }

  get remoteAddress(): string {
    return this.#incoming.socket?.remoteAddress ?? "127.0.0.1";
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.#end);
    return this.#signal;
  }

  /** Makes it the service's: prefix cut off, key translated. */
  route({ path, query, authorization, headers }: RequestOverrides): this {
    this.path = path;
    this.query = query;
    this.authorization = authorization;
    if (headers) this.headers = { ...this.headers, ...headers };
    return this;
  }
}
