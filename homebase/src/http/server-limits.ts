/** Owns the limits of the HTTP server, each with its reason. Tests pass smaller ones. */

export interface HttpLimits {
  /** Timeout from opening a connection, or from a request's first byte, to the end of its headers. */
  headersMs: number;
  /** Keep-alive timeout between two requests. */
  keepAliveMs: number;
  /** Timeout of a request body without progress while it is being read. */
  bodyStallMs: number;
  /** Interval for checking these timeouts. */
  checkMs: number;
  /** Grace period for running requests after `close`. */
  closeMs: number;
  /** Maximum size of a request's line and headers together, in bytes. */
  headerBytes: number;
  headerCount: number;
  sockets: number;
}

export const DEFAULT_LIMITS: Readonly<HttpLimits> = {
  // A client that needs longer for a few kilobytes only occupies a socket.
  headersMs: 10_000,
  // Longer than the 60 s of common proxies, so that the proxy closes first.
  keepAliveMs: 65_000,
  // An upload of any length continues while bytes arrive; a phone that changes networks resumes sooner.
  bodyStallMs: 30_000,
  checkMs: 1_000,
  closeMs: 1_000,
  // Browsers send the cookies of every port of 127.0.0.1 to each of them, so Node's 16 KiB are too few.
  headerBytes: 64 * 1024,
  // Real clients send about 30.
  headerCount: 200,
  // The 10,000 WebSockets that Realtime allows, and as many requests as a process can serve in addition.
  sockets: 12_000,
};
