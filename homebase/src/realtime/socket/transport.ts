/** Owns what a socket's frames travel on: the interface, and the WebSocket's implementation. */
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";

/** Carries frames to one client, and says how much of them the client has not taken yet. */
export interface Transport {
  /** Whether frames can still be sent. */
  readonly open: boolean;
  /** Bytes that are queued for the client. */
  readonly queued: number;
  send(frame: string | Buffer): void;
  /** Sends a frame of `encodeFrame`, which has its WebSocket header already. */
  sendEncoded(frame: Buffer): void;
  /** Tells the client that the connection ends, then ends it. */
  close(code: number, reason: string): void;
  /** Ends the connection at once. */
  terminate(): void;
}

/** Frames over a WebSocket. */
export class WebSocketTransport implements Transport {
  readonly #socket: WebSocket;
  /** The stream that the WebSocket writes to. */
  readonly #connection: Duplex;
  #corked = false;

  constructor(socket: WebSocket, connection: Duplex) {
    this.#socket = socket;
    this.#connection = connection;
  }

  get open(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get queued(): number {
    return this.#connection.writableLength;
  }

  send(frame: string | Buffer): void {
    this.#socket.send(frame, { binary: typeof frame !== "string" });
  }

  /** `ws` writes whole frames at once while compression is off, so frames written here never split one of its own. */
  sendEncoded(frame: Buffer): void {
    if (!this.#corked) {
      // Frames sent in the same tick leave in one write, which saves a system call for each.
      this.#corked = true;
      this.#connection.cork();
      process.nextTick(() => {
        this.#corked = false;
        this.#connection.uncork();
      });
    }
    this.#connection.write(frame);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}
