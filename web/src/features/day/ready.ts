/** Owns: "the table is ready": said by a host to everyone who is looking, and left in the chat for the others. */
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { sendMessage } from "../chat/mutations.ts";
import { isHost } from "../plans/domain.ts";
import { usePlanLive } from "../plans/realtime.tsx";
import type { Plan } from "../plans/schema.ts";

const TABLE_READY = "table_ready";
const readySchema = z.object({ user_id: z.uuid() });

/**
 * Tells the table. The message is what lasts, so it goes first; who is looking hears it by broadcast as well.
 * @param say the plan's channel
 * @throws AppError when the message cannot be stored
 */
export async function sayReady(
  plan: Plan,
  me: string,
  text: string,
  say: (event: string, payload: Record<string, unknown>) => boolean,
): Promise<void> {
  await sendMessage({
    plan_id: plan.id,
    author_id: me,
    client_id: crypto.randomUUID(),
    body: text,
    reply_to: null,
    photo_id: null,
  });
  say(TABLE_READY, { user_id: me });
}

/** Who said that the table is ready, until one has put that away. Only hosts are listened to. */
export function useReady(plan: Plan): { by: string | null; dismiss: () => void } {
  const { hear } = usePlanLive();
  const [by, setBy] = useState<string | null>(null);
  useEffect(
    () =>
      hear(TABLE_READY, (payload) => {
        const message = readySchema.safeParse(payload);
        if (message.success && isHost(plan, message.data.user_id)) setBy(message.data.user_id);
      }),
    [hear, plan],
  );
  return { by, dismiss: () => setBy(null) };
}
