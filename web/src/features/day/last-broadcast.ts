/**
 * Owns: the broadcast of a page that is being closed. A closing socket may lose its last message, so this goes by HTTP
 * (Realtime's REST broadcast) with `keepalive`, which the browser completes after the page is gone.
 */
import { env } from "../../lib/backend/env.ts";
import { storedSession } from "../../lib/backend/stored-session.ts";

/** Broadcasts on a private topic. Nothing can be waited for any more, so nothing is returned. */
export function broadcastOnClose(topic: string, event: string, payload: Record<string, unknown>): void {
  const token = storedSession()?.access_token;
  if (token === undefined) return;
  fetch(`${env.VITE_SUPABASE_URL}/realtime/v1/api/broadcast`, {
    method: "POST",
    keepalive: true,
    headers: {
      apikey: env.VITE_SUPABASE_PUBLISHABLE_KEY,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ messages: [{ topic, event, payload, private: true }] }),
  }).catch(() => undefined);
}
