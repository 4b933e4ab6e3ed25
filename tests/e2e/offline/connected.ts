/** Owns opening a screen that is about to lose its connection. */
import type { Page } from "@playwright/test";

/**
 * Opens a path and waits for its channel, so that the client's code is loaded: without a service worker a browser
 * remembers an import that failed without a connection until the page is closed.
 */
export async function openConnected(page: Page, path: string): Promise<void> {
  const channel = page.waitForEvent("websocket");
  await page.goto(path);
  await channel;
}
