/** Owns replaying stored messages to a channel that joins later (docs/compat/realtime.md 11). */
import type { Database } from "../../postgres/database.ts";
import type { Broadcast } from "../hub/rooms.ts";
import { ENCODING_BINARY, ENCODING_JSON } from "../kit/frames.ts";

const MAX_MESSAGES = 25;

/** Invalid replay parameters; the message is the join's reason. */
export class ReplayRefused extends Error {}

/**
 * The newest stored messages of a private topic, oldest first.
 * @param now milliseconds since the epoch.
 * @throws ReplayRefused
 */
export async function replayMessages(
  database: Database,
  topic: string,
  parameters: { since: unknown; limit: unknown },
  now: number,
): Promise<Broadcast[]> {
  const { since } = parameters;
  const limit = parameters.limit ?? MAX_MESSAGES;
  if (!Number.isInteger(since) || !Number.isInteger(limit)) {
    throw new ReplayRefused("UnableToReplayMessages: Replay params are not valid");
  }
  const count = Math.min(Math.max(limit as number, 1), MAX_MESSAGES);
  const answer = database.query<{
    id: string;
    event: string;
    payload: string | null;
    bytes: Buffer | null;
  }>(
    "postgres",
    `select id, event, payload::text as payload, binary_payload as bytes from realtime.messages
     where topic = $1 and private and extension = 'broadcast' and event is not null
       and inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'utc'
       and inserted_at < to_timestamp($3::float8 / 1000) at time zone 'utc' + interval '1 minute'
     order by inserted_at desc limit $4`,
    [topic, since, now, count],
  );
  const { rows } = await answer.catch(() => {
    throw new ReplayRefused("UnableToReplayMessages: Realtime was unable to replay messages");
  });
  return rows.reverse().flatMap(({ id, event, payload, bytes }) => {
    if (payload === null && bytes === null) return [];
    return [
      {
        event,
        payload: bytes ?? Buffer.from(payload ?? ""),
        encoding: bytes ? ENCODING_BINARY : ENCODING_JSON,
        meta: JSON.stringify({ replayed: true, id }),
        storedId: id,
      } satisfies Broadcast,
    ];
  });
}
