/**
 * Owns: notifications on this device: whether the browser can show them, turning them on and off, and forgetting the
 * device when its person leaves. Changes throw an AppError.
 */
import * as z from "zod/mini";
import { invoke } from "../../lib/backend/functions.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import { AppError, orThrow } from "../../lib/errors.ts";
import { readStoredSubscription, storeSubscription } from "./stored-subscription.ts";
import { pushWords } from "./words.ts";

/** `install`: iOS only shows notifications of apps on the home screen. */
export type PushState = "unsupported" | "install" | "unconfigured" | "blocked" | "on" | "off";

const WORKER = "/service-worker.js";
const keySchema = z.object({ public_key: z.nullable(z.string()) });

/** The key to subscribe with; null where the server has none. */
async function readKey(signal?: AbortSignal): Promise<string | null> {
  const answer = await invoke("web-push", { method: "GET", ...(signal ? { signal } : {}) });
  return keySchema.parse(answer).public_key;
}

export async function readPushState(me: string, signal: AbortSignal): Promise<PushState> {
  const lacking = support();
  if (lacking) return lacking;
  if ((await readKey(signal)) === null) return "unconfigured";
  if (Notification.permission === "denied") return "blocked";
  const stored = readStoredSubscription();
  if (Notification.permission !== "granted" || stored?.person !== me) return "off";
  if (!(await currentSubscription())) return "off";
  // The server forgets a device that its push service no longer knows.
  const rows = orThrow(
    await supabase.from("push_subscriptions").select("id").eq("id", stored.id).abortSignal(signal),
  );
  return rows.length > 0 ? "on" : "off";
}

function support(): "unsupported" | "install" | null {
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return null;
  // iPads identify as Macs, but only iPads have a touch screen.
  const apple =
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  return apple && !matchMedia("(display-mode: standalone)").matches ? "install" : "unsupported";
}

async function currentSubscription(): Promise<PushSubscription | null> {
  const registration = await navigator.serviceWorker.getRegistration();
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Asks for permission, which browsers allow only in response to a press. */
export async function turnOn(me: string): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") {
    throw new AppError("permission", "push_blocked", pushWords().blocked, "");
  }
  const key = await readKey();
  if (key === null) throw new AppError("conflict", "push_unconfigured", pushWords().unconfigured, "");
  await subscribe(me, key);
}

export async function turnOff(): Promise<void> {
  const stored = readStoredSubscription();
  if (stored) {
    orThrow(await supabase.from("push_subscriptions").delete().eq("id", stored.id));
  }
  await forgetDevice();
}

/** Ends the subscription: the push service then refuses messages for this device. */
export async function forgetDevice(): Promise<void> {
  if (readStoredSubscription() === null) return;
  storeSubscription(null);
  await (await currentSubscription())?.unsubscribe();
}

/** Sends the device's endpoint to the server again if the browser has changed it. */
export async function refreshDevice(me: string): Promise<void> {
  const stored = readStoredSubscription();
  if (stored?.person !== me || support() || Notification.permission !== "granted") return;
  if ((await currentSubscription())?.endpoint === stored.endpoint) return;
  const key = await readKey();
  if (key === null) return;
  await subscribe(me, key);
  const now = readStoredSubscription();
  if (now && now.id !== stored.id) {
    orThrow(await supabase.from("push_subscriptions").delete().eq("id", stored.id));
  }
}

async function subscribe(me: string, key: string): Promise<void> {
  await navigator.serviceWorker.register(WORKER);
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  // A subscription belongs to one key: after the server's key has changed it is useless.
  if (before && keyOf(before.options) !== key) await before.unsubscribe();
  const { endpoint, keys } = (
    await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  ).toJSON();
  const id = await rpc("save_push_subscription", {
    endpoint: endpoint ?? "",
    p256dh: keys?.p256dh ?? "",
    auth: keys?.auth ?? "",
  });
  storeSubscription({ person: me, id, endpoint: endpoint ?? "" });
}

/** The key of a subscription, in base64url. */
function keyOf({ applicationServerKey: key }: PushSubscriptionOptions): string | null {
  if (!key) return null;
  return btoa(String.fromCharCode(...new Uint8Array(key)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}
