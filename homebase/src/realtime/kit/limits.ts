/**
 * Owns the limits of the realtime service. Texts and effects are hosted's; the numbers are higher, because a
 * local stack serves one developer (docs/compat/realtime.md 15).
 */
export interface Limits {
  /** Whether public channels are rejected. */
  privateOnly: boolean;
  /** Concurrent sockets that have joined a channel. */
  connections: number;
  /** Joins a second over all sockets. */
  joinsPerSecond: number;
  channelsPerSocket: number;
  /** Open sockets, joined or not: each holds buffers and a file descriptor. */
  sockets: number;
  /** Messages that one channel queues while it joins or waits for a policy. */
  waitingMessages: number;
  /** Bytes of those messages: two frames of the largest size. */
  waitingBytes: number;
  /** Broadcasts and presence messages a second, sent and delivered, over all sockets, averaged over a minute. */
  messagesPerSecond: number;
  /** Presence messages a second over all sockets. */
  presencePerSecond: number;
  /** Presence messages of one channel within a window. */
  presencePerWindow: number;
  presenceWindowMilliseconds: number;
  /** Bytes of a broadcast's payload. */
  broadcastBytes: number;
  /** Bytes of a row change as JSON; larger ones are truncated and marked. */
  changeBytes: number;
  /** Bytes of one frame; a larger one closes the socket. */
  frameBytes: number;
  /** Bytes queued for a slow reader before its socket is closed. */
  backlogBytes: number;
  /** A socket that has sent nothing for this long is closed. */
  idleMilliseconds: number;
  /** A socket without any channel is closed after this time. */
  channellessMilliseconds: number;
  /** How long the log is still read after the last channel left. */
  logMilliseconds: number;
}

export const defaultLimits: Limits = {
  privateOnly: false,
  connections: 10_000,
  joinsPerSecond: 2_000,
  channelsPerSocket: 100,
  sockets: 12_000,
  waitingMessages: 1_000,
  waitingBytes: 10_000_000,
  messagesPerSecond: 10_000,
  presencePerSecond: 1_000,
  presencePerWindow: 1_000,
  presenceWindowMilliseconds: 30_000,
  broadcastBytes: 3_000 * 1_000 + 500,
  changeBytes: 1_048_576,
  frameBytes: 5_000_000,
  backlogBytes: 16 * 1024 ** 2,
  idleMilliseconds: 60_000,
  channellessMilliseconds: 600_000,
  logMilliseconds: 30_000,
};
