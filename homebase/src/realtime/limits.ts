/**
 * Owns the limits of the realtime service. Texts and effects are hosted's; the numbers are generous, as a
 * developer's machine serves one developer (compat/realtime.md 15).
 */
export interface Limits {
  /** Sockets at once. */
  connections: number;
  /** Joins a second over all sockets. */
  joinsPerSecond: number;
  channelsPerSocket: number;
  /** Bytes of a broadcast's payload. */
  broadcastBytes: number;
  /** Bytes of a row change as JSON; larger ones arrive shortened with an error. */
  changeBytes: number;
  /** Bytes of one frame; a larger one closes the socket. */
  frameBytes: number;
  /** Bytes that may wait for a reader before it is dropped as too slow. */
  backlogBytes: number;
  /** A socket that has sent nothing for so long is closed. */
  idleMilliseconds: number;
  /** A socket without any channel is ended after so long. */
  channellessMilliseconds: number;
}

export const defaultLimits: Limits = {
  connections: 10_000,
  joinsPerSecond: 2_000,
  channelsPerSocket: 100,
  broadcastBytes: 3_000 * 1_000 + 500,
  changeBytes: 1_048_576,
  frameBytes: 5_000_000,
  backlogBytes: 64 * 1024 ** 2,
  idleMilliseconds: 60_000,
  channellessMilliseconds: 600_000,
};
