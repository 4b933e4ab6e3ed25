/** Owns the limits of the HTTP front: each number with its reason. Tests hand in smaller ones. */

export interface HttpLimits {
  /** Time from opening a connection, or from a request's first byte, to the end of its headers. */
  headersMs: number;
  /** How long a connection may stay open between two requests. */
  keepAliveMs: number;
  /** How long a request body may bring no byte while it is being waited for. */
  bodyStallMs: number;
  /** How often the times above are looked at. */
  checkMs: number;
  /** How long running requests may go on after `close`. */
  closeMs: number;
  /** Bytes of a request's line and headers together. */
  headerBytes: number;
  headerCount: number;
  sockets: number;
}

export const DEFAULT_LIMITS: Readonly<HttpLimits> = {
  // A sender that needs longer for a few kilobytes holds a socket and nothing else.
  headersMs: 10_000,
  // Longer than the 60 s of common proxies, so that it is the proxy that closes first.
  keepAliveMs: 65_000,
  // An upload of any length goes on while bytes come; a phone that changes networks is back in less.
  bodyStallMs: 30_000,
  checkMs: 1_000,
  closeMs: 1_000,
  // Browsers send the cookies of every port of 127.0.0.1 to each of them, so Node's 16 KiB are too few.
  headerBytes: 64 * 1024,
  // Real clients send about 30.
  headerCount: 200,
  // The 10,000 WebSockets that Realtime allows, and as many requests as a process can serve beside them.
  sockets: 12_000,
};
