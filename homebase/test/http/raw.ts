/** Owns raw connections for tests: bytes that fetch would not send. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

export interface RawConnection {
  socket: Socket;
  /** Everything received so far. */
  text(): string;
  /** Resolves with everything received once the server has closed. */
  closed: Promise<string>;
}

/** Opens a connection and sends `bytes`, which may be nothing. */
export async function open(url: string, bytes: string | Buffer = ""): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  // A reset counts as closing here.
  socket.on("error", () => {});
  const text = () => Buffer.concat(chunks).toString("latin1");
  const closed = new Promise<string>((resolve) => socket.once("close", () => resolve(text())));
  await once(socket, "connect");
  if (bytes.length > 0) socket.write(bytes);
  return { socket, text, closed };
}

/**
 * Sends a request on a connection that closes after the response.
 * @returns the whole response as Latin-1 text.
 */
export async function exchange(url: string, bytes: string | Buffer): Promise<string> {
  return (await open(url, bytes)).closed;
}

/** The status of a raw response; 0 when there is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}
