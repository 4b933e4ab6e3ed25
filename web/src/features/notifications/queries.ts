/** Owns: reading what happened, newest first, and how much of it is new. */
import * as z from "zod/mini";
import type { NotificationKind } from "../../../../supabase/functions/_shared/notification_kinds.ts";
import { loadClient } from "../../lib/backend/load-client.ts";
import { orThrow, toAppError } from "../../lib/errors.ts";
import { reading } from "../../lib/reading.ts";
import { notificationWords } from "./words.ts";

/** Older notifications are not shown; the plan itself shows its state. */
const MOST = 60;

const isKnown = (kind: unknown): kind is NotificationKind =>
  typeof kind === "string" && Object.hasOwn(notificationWords().kinds, kind);

const notificationSchema = z.object({
  id: z.uuid(),
  kind: z.custom<NotificationKind>(isKnown),
  plan_id: z.uuid(),
  created_at: z.string(),
  read_at: z.nullable(z.string()),
  /** Null where one does not sit at that table any more. */
  plans: z.nullable(
    z.object({
      title: z.string(),
      time_zone: z.string(),
      /** What the plan was changed to, and from what; null where it has not been changed. */
      time: z.nullable(z.object({ starts_at: z.string() })),
      place: z.nullable(z.object({ places: z.nullable(z.object({ name: z.string() })) })),
      was_time: z.nullable(z.object({ starts_at: z.string() })),
      was_place: z.nullable(z.object({ places: z.nullable(z.object({ name: z.string() })) })),
    }),
  ),
  actor: z.nullable(z.object({ display_name: z.string(), avatar_path: z.nullable(z.string()) })),
  actor_id: z.nullable(z.uuid()),
});
export type Notification = z.infer<typeof notificationSchema>;

export async function readNotifications(signal: AbortSignal): Promise<Notification[]> {
  const supabase = await loadClient();
  const rows = orThrow(
    await supabase
      .from("notifications")
      .select(
        `id, kind, plan_id, created_at, read_at, actor_id,
        plans(title, time_zone,
          time:time_options!plans_chosen_time_fkey(starts_at), place:place_options!plans_chosen_place_fkey(places(name)),
          was_time:time_options!plans_moved_from_time_fkey(starts_at),
          was_place:place_options!plans_moved_from_place_fkey(places(name))),
        actor:profiles!notifications_actor_id_fkey(display_name, avatar_path)`,
      )
      .order("created_at", { ascending: false })
      .limit(MOST)
      .abortSignal(signal),
  );
  // A tab that was loaded before an update does not know the newest kinds; it shows the others.
  const known = rows.filter(({ kind }) => isKnown(kind));
  return z.array(notificationSchema).parse(known);
}

export async function readFreshCount(signal: AbortSignal): Promise<number> {
  const supabase = await loadClient();
  const { count, error } = await supabase
    .from("notifications")
    .select("id", { count: "exact", head: true })
    .is("read_at", null)
    .abortSignal(signal);
  if (error) throw toAppError(error);
  return count ?? 0;
}

export const notificationQueries = {
  all: () => reading(["notifications"], (signal) => readNotifications(signal)),
  fresh: () => reading(["notifications", "fresh"], (signal) => readFreshCount(signal), 60_000),
};
