/**
 * web-push: notifications on people's devices. GET returns `{"public_key"}`, the key that a browser subscribes with,
 * or null if none is configured. POST delivers pending messages: it responds 202 `{"accepted": true}` before sending
 * the first, and 503 `push_not_configured` without keys. Only the schedule may call POST, with the vault's secret in
 * `x-reminders-secret`.
 */
import { Refusal, requireSchedule, serve } from "../_shared/http.ts";
import { deliverPush } from "../_shared/push/deliver.ts";
import { PushNotConfigured, type Vapid, vapidFrom } from "../_shared/push/vapid.ts";

serve(
  { name: "web-push", methods: ["GET", "POST"], errorMessage: "The notifications could not be sent." },
  async (request) => {
    if (request.method === "GET") {
      const key = (await configured().catch(unlessMissing))?.publicKey ?? null;
      return Response.json({ public_key: key }, { headers: { "Cache-Control": "public, max-age=300" } });
    }
    await requireSchedule(request);
    const vapid = await configured().catch((error: unknown) => {
      if (error instanceof PushNotConfigured) throw new Refusal(503, "push_not_configured", error.message);
      throw error;
    });
    deliverPush("web-push", vapid);
    return Response.json({ accepted: true }, { status: 202 });
  },
);

function configured(): Promise<Vapid> {
  return vapidFrom((name) => Deno.env.get(name));
}

function unlessMissing(error: unknown): null {
  if (error instanceof PushNotConfigured) return null;
  throw error;
}
