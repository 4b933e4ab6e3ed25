/**
 * Owns: subscribing a page's browser to notifications. Headless Chromium has no push service, so `pushManager` is
 * replaced: it subscribes a device of the tests' own push service.
 */
import type { Page } from "@playwright/test";
import type { Device } from "../../integration/push-service.ts";

/** The page's browser subscribes this device. */
export async function subscribeAs(page: Page, { subscription }: Device): Promise<void> {
  await page.addInitScript(({ endpoint, p256dh, auth }) => {
    const NOTE = "test.subscribed";
    const made = {
      endpoint,
      options: { userVisibleOnly: true, applicationServerKey: null },
      toJSON: () => ({ endpoint, expirationTime: null, keys: { p256dh, auth } }),
      unsubscribe: async () => {
        localStorage.removeItem(NOTE);
        return true;
      },
    };
    Object.assign(PushManager.prototype, {
      subscribe: async ({ userVisibleOnly, applicationServerKey }: PushSubscriptionOptionsInit) => {
        if (!userVisibleOnly || typeof applicationServerKey !== "string") throw new TypeError("options");
        localStorage.setItem(NOTE, applicationServerKey);
        return made;
      },
      getSubscription: async () => (localStorage.getItem(NOTE) === null ? null : made),
    });
  }, subscription);
}
