/** Owns: sending one push message to its push service (RFC 8030). */
import { httpsPost, type Network, Unreachable } from "../network/https_get.ts";
import { encrypt, freshEphemeral } from "./encrypt.ts";
import { delivery, messageOf, type WaitingPush } from "./push_words.ts";
import type { Vapid } from "./vapid.ts";

const LIMITS = { milliseconds: 10_000, bytes: 20_000 };

/** Posts a body to an endpoint and returns the status with the text. @throws Unreachable */
export type Post = (
  endpoint: string,
  headers: Record<string, string>,
  body: Uint8Array<ArrayBuffer>,
) => Promise<{ status: number; text: string }>;

/**
 * Endpoints come from browsers, so only public https addresses are called.
 * @param standIn "https://push.test=http://127.0.0.1:4000": endpoints of the first origin are sent to the second, for
 *   tests and development; names under `.test` are never public
 */
export function poster(network: Network, standIn: string | undefined): Post {
  const [, of, at] = /^(https:\/\/[^/=]+\.test)=(https?:\/\/[^/]+)$/.exec(standIn ?? "") ?? [];
  return async (endpoint, headers, body) => {
    const url = new URL(endpoint);
    if (at && url.origin === of) {
      const response = await fetch(`${at}${url.pathname}${url.search}`, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(LIMITS.milliseconds),
      });
      return { status: response.status, text: await response.text() };
    }
    return httpsPost(endpoint, headers, body, network, LIMITS);
  };
}

/** `gone`: the push service does not know the device any more, so its subscription must be deleted. */
export type Outcome = { sent: true } | { sent: false; gone: boolean; failure: string };

export async function sendPush(push: WaitingPush, vapid: Vapid, post: Post, now: number): Promise<Outcome> {
  const { ttl, urgency } = delivery(push, now);
  try {
    const message = new TextEncoder().encode(JSON.stringify(messageOf(push)));
    const body = await encrypt(message, push, await freshEphemeral());
    const headers = {
      Authorization: await vapid.authorization(push.endpoint, now),
      "Content-Type": "application/octet-stream",
      "Content-Encoding": "aes128gcm",
      TTL: String(ttl),
      Urgency: urgency,
      // 32 characters at most: a newer message of the plan replaces one that still waits.
      Topic: push.plan_id.replaceAll("-", ""),
    };
    const { status, text } = await post(push.endpoint, headers, body);
    if (status >= 200 && status <= 299) return { sent: true };
    return {
      sent: false,
      gone: status === 404 || status === 410,
      failure: `The push service answered ${status}: ${text.slice(0, 200)}`,
    };
  } catch (error) {
    const reason = error instanceof Unreachable ? `${error.reason}: ${error.message}` : String(error);
    // A private address stays refused, so its subscription is deleted as well.
    return {
      sent: false,
      gone: error instanceof Unreachable && error.reason === "not_public",
      failure: reason,
    };
  }
}
