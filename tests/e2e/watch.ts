/** Owns recording a page's problems: console errors and warnings, exceptions, and failed requests. */
import type { Page } from "@playwright/test";

/** A page's problems so far. A test declares the ones that it expects. */
export interface Watch {
  complaints: string[];
  /** Problems that match are expected from now on. */
  expect(pattern: RegExp): void;
}

/** The browser's warning without a graphics card when it draws a map; the app cannot prevent it. */
const ofTheMachine = /GL Driver Message .*GPU stall due to ReadPixels/;

export function watch(page: Page, who: string): Watch {
  const complaints: string[] = [];
  // Playwright's own message when a test disables the service worker.
  const expected: RegExp[] = [/Service Worker registration blocked/, ofTheMachine];
  const complain = (what: string) => {
    if (!expected.some((pattern) => pattern.test(what))) complaints.push(`${who}: ${what}`);
  };
  page.on("console", (message) => {
    const type = message.type();
    if (type === "error" || type === "warning") complain(`console ${type}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`exception: ${error.stack || `${error.name}: ${error.message}`}`));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // The app aborts requests that it no longer needs when the user changes the screen.
    if (reason !== "net::ERR_ABORTED") complain(`failed: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) {
      complain(`answered ${response.status()}: ${response.request().method()} ${response.url()}`);
    }
  });
  return { complaints, expect: (pattern) => void expected.push(pattern) };
}
