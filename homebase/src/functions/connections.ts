/**
 * Owns the connections to one function's process: one for each concurrent request, reused; and sending a
 * request on one of them (RFC 9112).
 */
import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { type ResponseEvents, type ResponseHead, ResponseReader } from "./response-reader.ts";

export interface OutgoingRequest {
  method: string;
  /** Path and query. */
  target: string;
  /** Names and values alternating; without hop-by-hop headers. */
  headers: readonly string[];
  /** Null when there is none. */
  body: Readable | null;
  /** Length of the body in bytes, if the client sent it. */
  length: string | undefined;
}

/** Callbacks of an exchange; none is called after `end` or `error`. */
export interface ExchangeEvents {
  head(head: ResponseHead): void;
  data(bytes: Buffer): void;
  end(): void;
  error(error: Error): void;
}

/** An exchange in flight. */
export interface Exchange {
  pause(): void;
  resume(): void;
  /** Aborts it; the function sees its request aborted. */
  abort(): void;
}

/** No connection could be opened, so the function has not seen the request, and its body is unread. */
export class NotReached extends Error {}

/** The error codes of a Unix socket on which no process listens. */
const ABSENT = new Set(["ECONNREFUSED", "ENOENT"]);

export class Connections {
  readonly #path: string;
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();

  /** @param path of the Unix socket that the function listens on. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Sends a request and reports to `events`. */
  exchange(request: OutgoingRequest, events: ExchangeEvents): Exchange {
    // The server may just have closed an idle connection. A request without a body is then retried once; one
    // with a body might be processed twice (RFC 9110, 9.2.2), so it gets a new connection.
    const bodied = request.body !== null;
    let socket = bodied ? undefined : this.#idle.pop();
    let again = socket !== undefined;
    let over = false;
    const finish = (error?: Error) => {
      if (over) return;
      over = true;
      // Discard the body that the function did not read, because the client waits until it is sent.
      if (!(error instanceof NotReached)) request.body?.off("data", forward).off("end", close).resume();
      if (error) events.error(error);
      else events.end();
    };
    const forward = (chunk: Buffer) => {
      const flowing = request.length === undefined ? writeChunk(current, chunk) : current.write(chunk);
      if (flowing) return;
      request.body?.pause();
      current.once("drain", () => request.body?.resume());
    };
    const close = () => {
      if (request.length === undefined) current.write("0\r\n\r\n");
    };
    const begin = (on: Socket) => {
      const reader = new ResponseReader(request.method === "HEAD", {
        head: (head) => {
          again = false;
          events.head(head);
        },
        data: (bytes) => events.data(bytes),
        end: (reusable) => {
          detach();
          if (reusable && !bodied && !over) this.#keep(on);
          else on.destroy();
          finish();
        },
      } satisfies ResponseEvents);
      const read = (bytes: Buffer) => {
        try {
          reader.push(bytes);
        } catch (error) {
          fail(error as Error);
        }
      };
      const closed = () => {
        try {
          reader.close();
        } catch (error) {
          fail(error as Error);
        }
      };
      const fail = (error: Error) => {
        detach();
        on.destroy();
        if (again && reader.untouched && !over) {
          again = false;
          current = begin(this.#open());
        } else if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) {
          finish(new NotReached(error.message));
        } else finish(error);
      };
      const detach = () => on.off("data", read).off("close", closed).off("error", fail);
      on.on("data", read).on("close", closed).on("error", fail);
      on.write(headOf(request), "latin1");
      return on;
    };
    socket ??= this.#open();
    let current = begin(socket);
    // Not before there is a connection: without one, another worker gets the whole body.
    if (bodied) current.once("connect", () => request.body?.on("data", forward).on("end", close));
    request.body?.once("error", (error) => {
      current.destroy();
      finish(error);
    });
    return {
      pause: () => current.pause(),
      resume: () => current.resume(),
      abort: () => {
        current.destroy();
        finish(new Error("The request was given up."));
      },
    };
  }

  /** Closes every connection. */
  destroy(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #open(): Socket {
    const socket = connect(this.#path);
    this.#all.add(socket);
    socket.unref();
    // Attached for the whole life of the connection, whichever exchange uses it.
    socket.on("error", () => {});
    socket.once("close", () => {
      this.#all.delete(socket);
      const at = this.#idle.indexOf(socket);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return socket;
  }

  #keep(socket: Socket): void {
    socket.resume();
    if (!socket.destroyed) this.#idle.push(socket);
  }
}

function headOf({ method, target, headers, body, length }: OutgoingRequest): string {
  let head = `${method} ${target} HTTP/1.1\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  if (body !== null && length === undefined) head += "transfer-encoding: chunked\r\n";
  return `${head}\r\n`;
}

function writeChunk(socket: Socket, chunk: Buffer): boolean {
  socket.cork();
  socket.write(`${chunk.length.toString(16)}\r\n`);
  socket.write(chunk);
  const flowing = socket.write("\r\n");
  socket.uncork();
  return flowing;
}
