/** The end-to-end tests: Nosh in a real browser, on a Backend of its own. `npm test -- e2e` finds the browser. */
import { defineConfig } from "@playwright/test";
import { findBrowser, testBrowserArguments } from "./scripts/browser.ts";

const executablePath = findBrowser("shell");

export default defineConfig({
  testDir: "tests/e2e",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results/e2e",
  globalSetup: "./tests/e2e/global-setup.ts",
  // Much of a test is waiting for the other person, so two fit on two cores (three took longer).
  // A target that stands is one database for all of them.
  workers: process.env.NOSH_TARGET_URL ? 1 : 2,
  forbidOnly: true,
  // Node reads TypeScript itself; Playwright would compile each file again in each worker.
  build: { external: ["**/*.ts"] },
  // Tests wait for events: this ends only one that hangs, also on a machine that is busy with other things.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [["list"]],
  use: {
    browserName: "chromium",
    launchOptions: { args: testBrowserArguments, ...(executablePath ? { executablePath } : {}) },
    // Where the seed's tables are. Dates in the app must not depend on where a test runs.
    timezoneId: "Europe/Lisbon",
    locale: "en-GB",
    // Keeping the whole app on the device again in each test takes time; the tests of being offline allow it.
    serviceWorkers: "block",
    actionTimeout: 20_000,
    screenshot: "only-on-failure",
    // Recording costs a third of the time; look at a failure with `npx playwright test --trace on`.
    trace: "off",
  },
});
