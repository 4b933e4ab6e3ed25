/** Owns a request as the server reads it from a connection, and as the gateway passes it to a service. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex, Readable, Writable } from "node:stream";
import { disconnectSignal, type Foreign, type ServiceRequest } from "./exchange.ts";
import { RequestRecord } from "./records.ts";

/** `http://host/path` in a request line (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i;

/** The gateway's changes to a request for its service. */
export interface RequestOverrides {
  path: string;
  query: string;
  authorization: string | undefined;
  /** Headers that replace the client's own. */
  headers?: Record<string, string>;
}

/** A request from a connection. */
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
  readonly record: RequestRecord;
  readonly #incoming: IncomingMessage;
  /** The object that closes at the end of the exchange: the response, or an upgraded socket. */
  readonly #end: Writable | Duplex;
  #signal: AbortSignal | undefined;

  constructor(incoming: IncomingMessage, end: Writable | Duplex) {
    let url = incoming.url ?? "/";
    this.headers = incoming.headers;
    if (url[0] !== "/") {
      const [, authority, rest] = ABSOLUTE.exec(url) ?? [];
      if (rest !== undefined) {
        // The host in an absolute request line takes precedence over the Host header.
        this.headers = { ...incoming.headers, host: authority };
        url = rest.startsWith("/") ? rest : `/${rest}`;
      }
    }
    const mark = url.indexOf("?");
    this.method = incoming.method ?? "GET";
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? "" : url.slice(mark + 1);
    this.record = new RequestRecord(this.id, this.method, this.path, this.query);
    this.rawHeaders = incoming.rawHeaders;
    this.authorization = incoming.headers.authorization;
    this.body = incoming;
    this.#incoming = incoming;
    this.#end = end;
  }

  get remoteAddress(): string {
    return this.#incoming.socket?.remoteAddress ?? "127.0.0.1";
  }

  get httpVersion(): string {
    return this.#incoming.httpVersion;
  }

  get signal(): AbortSignal {
    this.#signal ??= disconnectSignal(this.#end);
    return this.#signal;
  }

  /** Prepares it for a service: prefix removed, key translated. */
  route({ path, query, authorization, headers }: RequestOverrides): this {
    this.path = path;
    this.query = query;
    this.authorization = authorization;
    if (headers) this.headers = { ...this.headers, ...headers };
    return this;
  }
}
