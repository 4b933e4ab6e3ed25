/** Owns hearing what a page complains of: console errors and warnings, exceptions, and requests that failed. */
import type { Page } from "@playwright/test";

/** A page's complaints so far. What a test expects to go wrong it names beforehand. */
export interface Watch {
  complaints: string[];
  /** Complaints that match are expected from now on. */
  expect(pattern: RegExp): void;
}

/** What a browser without a graphics card says of itself while it draws a map; the app cannot do anything about it. */
const ofTheMachine = /GL Driver Message .*GPU stall due to ReadPixels/;

export function watch(page: Page, who: string): Watch {
  const complaints: string[] = [];
  // Playwright says so itself, wherever a test does without the service worker.
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
    // The app itself takes back what it no longer needs when one goes to another screen.
    if (reason !== "net::ERR_ABORTED") complain(`failed: ${request.method()} ${request.url()} ${reason}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) {
      complain(`answered ${response.status()}: ${response.request().method()} ${response.url()}`);
    }
  });
  return { complaints, expect: (pattern) => void expected.push(pattern) };
}
