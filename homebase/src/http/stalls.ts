/**
 * Owns aborting request bodies that stall: no byte for a while although they are being read. Bodies that make
 * progress may take any time.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { errorBoundary } from "../core/error-boundary.ts";
import type { Log } from "../core/log.ts";
import type { HttpLimits } from "./server-limits.ts";

interface Watched {
  outgoing: ServerResponse;
  bytes: number;
  since: number;
}

/** Watches request bodies. */
export class StallWatch {
  readonly #limits: HttpLimits;
  readonly #log: Log;
  readonly #bodies = new Map<IncomingMessage, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: HttpLimits, log: Log) {
    this.#log = log;
    this.#limits = limits;
  }

  start(): void {
    this.#timer ??= setInterval(
      errorBoundary(this.#log, "the check of request bodies", () => this.#check(performance.now())),
      this.#limits.checkMs,
    ).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  add(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.#bodies.set(incoming, { outgoing, bytes: incoming.socket.bytesRead, since: performance.now() });
    // Emitted when the response is sent as well as when the connection is lost.
    outgoing.once("close", () => {
      if (incoming.complete || incoming.destroyed) this.#bodies.delete(incoming);
    });
  }

  #check(now: number): void {
    for (const [incoming, watched] of this.#bodies) {
      const { socket } = incoming;
      if (incoming.complete || socket.destroyed) {
        this.#bodies.delete(incoming);
        continue;
      }
      // A full buffer waits for the reader of the body, not for the client.
      const waitsForUs = incoming.readableLength >= incoming.readableHighWaterMark;
      if (waitsForUs || socket.bytesRead !== watched.bytes) {
        watched.bytes = socket.bytesRead;
        watched.since = now;
      } else if (now - watched.since >= this.#limits.bodyStallMs) {
        this.#bodies.delete(incoming);
        end(incoming, watched.outgoing);
      }
    }
  }
}

/** Sends a response if there was none, and closes the connection. */
function end(incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { socket } = incoming;
  if (!outgoing.headersSent) {
    const body = JSON.stringify({ message: "The request's body stopped arriving." });
    outgoing.writeHead(408, { "content-type": "application/json", connection: "close" });
    outgoing.end(body);
  }
  // Written bytes are sent first; then the reader of the body gets the error.
  socket.once("close", () => incoming.destroy());
  socket.destroySoon();
}
