/** Owns what a client asks for when it joins a channel (compat/realtime.md 5). */
import { randomUUID } from "node:crypto";

/** A join's payload, read leniently: what parses is used, the rest is as if it were not there. */
export interface JoinRequest {
  isPrivate: boolean;
  ack: boolean;
  self: boolean;
  replicationReady: boolean;
  replay: { since: unknown; limit: unknown } | undefined;
  presenceKey: string | number;
  presenceEnabled: boolean;
  /** As sent: the reply repeats each element with all its keys. */
  postgresChanges: unknown[];
  token: string | undefined;
}

/** Reads a join's payload. */
export function parseJoin(payload: unknown): JoinRequest {
  const given = record(payload);
  const config = record(given.config);
  const broadcast = record(config.broadcast);
  const presence = record(config.presence);
  const changes = Array.isArray(config.postgres_changes) ? config.postgres_changes : [];
  const replay =
    broadcast.replay === undefined || broadcast.replay === null ? undefined : record(broadcast.replay);
  return {
    isPrivate: flag(config.private),
    ack: flag(broadcast.ack),
    self: flag(broadcast.self),
    replicationReady: flag(broadcast.replication_ready),
    replay: replay && { since: replay.since, limit: replay.limit },
    presenceKey: presenceKey(presence.key),
    presenceEnabled: flag(presence.enabled),
    postgresChanges: changes.filter((change) => change !== null),
    token: usableToken(given.user_token) ?? usableToken(given.access_token),
  };
}

/** A token that a client sent; opaque keys are no tokens and leave the one that there was. */
export function usableToken(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && !value.startsWith("sb_") ? value : undefined;
}

function presenceKey(value: unknown): string | number {
  if (typeof value === "number") return value;
  return typeof value === "string" && value !== "" ? value : randomUUID();
}

function flag(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
