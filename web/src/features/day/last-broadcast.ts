/**
 * Owns: the last word of a page that goes. A socket may be torn down with its last message still in it, so this goes
 * by HTTP (Realtime's REST broadcast), as a request that the browser sees through after the page is gone.
 */
import { env } from "../../lib/backend/env.ts";
import { storedSession } from "../../lib/backend/stored-session.ts";

/** Broadcasts on the plan's private channel. Nothing can be waited for any more, so nothing is returned. */
export function sayLeaving(plan: string, event: string, payload: Record<string, unknown>): void {
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
    body: JSON.stringify({ messages: [{ topic: `plan:${plan}`, event, payload, private: true }] }),
  }).catch(() => undefined);
}
