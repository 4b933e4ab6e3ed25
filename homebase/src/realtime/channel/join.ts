/** Owns parsing a join's payload (docs/compat/realtime.md 5). */
import { isRecord, recordOf } from "../../core/record.ts";

const MOST_WAIT_MS = 15_000;

/** A join's payload, parsed leniently: invalid members count as absent. */
export interface JoinRequest {
  isPrivate: boolean;
  ack: boolean;
  self: boolean;
  replicationReady: boolean;
  /**
   * Set if the payload has it at all; its content is validated on use. Null when it is not a map, which a
   * public channel rejects and a private one ignores.
   */
  replay: { since: unknown; limit: unknown } | null | undefined;
  /** Undefined for one that the server chooses. */
  presenceKey: string | number | boolean | undefined;
  presenceEnabled: boolean;
  /** As sent: the reply repeats each element with all its keys. */
  postgresChanges: unknown[];
  /** Milliseconds that the reply waits for the row changes' subscription; undefined for no wait. */
  changesWait: number | undefined;
  /**
   * Without `config` the topic itself is the subscription, and changes are sent under their action's name.
   */
  isOldApi: boolean;
  /** Undefined to use the handshake's. */
  token: string | undefined;
}

/** Parses a join's payload. @param name the topic without `realtime:`. */
export function parseJoin(name: string, payload: unknown): JoinRequest {
  const given = recordOf(payload);
  const config = recordOf(given.config);
  const broadcast = recordOf(config.broadcast);
  const presence = recordOf(config.presence);
  const changes = Array.isArray(config.postgres_changes) ? config.postgres_changes : [];
  return {
    isPrivate: flag(config.private),
    ack: flag(broadcast.ack),
    self: flag(broadcast.self),
    replicationReady: flag(broadcast.replication_ready),
    replay: "replay" in broadcast ? replayOf(broadcast.replay) : undefined,
    presenceKey: presenceKey(presence.key),
    presenceEnabled: flag(presence.enabled),
    postgresChanges: "config" in given ? changes.filter((change) => change !== null) : [oldChange(name)],
    changesWait: changesWait(recordOf(config.postgres_changes_options)),
    isOldApi: !("config" in given),
    token: joinToken(given),
  };
}

function changesWait({ wait, timeout }: Record<string, unknown>): number | undefined {
  if (!flag(wait)) return undefined;
  const asked = Number.isInteger(timeout) && Number(timeout) > 0 ? Number(timeout) : MOST_WAIT_MS;
  return Math.min(asked, MOST_WAIT_MS);
}

/** The sub-topic `schema`, `schema:table` or `schema:table:filter` as an element of `postgres_changes`. */
function oldChange(name: string): Record<string, string> {
  const [schema = "", table, ...filter] = name.split(":");
  if (table === undefined) return { schema };
  return filter.length === 0 ? { schema, table } : { schema, table, filter: filter.join(":") };
}

/** Opaque keys are not tokens: the handshake's token is used, as without one. */
function joinToken(given: Record<string, unknown>): string | undefined {
  const { access_token: access, user_token: user } = given;
  if (String(access ?? user ?? "").startsWith("sb_")) return undefined;
  if (typeof user === "string") return user;
  return typeof access === "string" ? access : undefined;
}

function replayOf(value: unknown): { since: unknown; limit: unknown } | null {
  if (!isRecord(value)) return null;
  return { since: value.since, limit: value.limit };
}

function presenceKey(value: unknown): string | number | boolean | undefined {
  if (typeof value === "number" || typeof value === "boolean") return value;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function flag(value: unknown): boolean {
  return value === true || (typeof value === "string" && value.toLowerCase() === "true");
}
