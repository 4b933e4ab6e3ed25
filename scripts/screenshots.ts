/**
 * `npm run screenshots`: pictures of each main screen with the seed's data, at phone and desktop sizes, light
 * and dark, as gallery/<screen>-<width>-<theme>.webp, which git ignores. docs/gallery.md shows eight of them.
 */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "@playwright/test";
import { startTestCluster } from "homebase-stack/testing";
import { arrange, type Screen, screens, visit } from "../tests/e2e/screens.ts";
import { startStack } from "../tests/e2e/stack.ts";
import { browserArguments, ensureBrowser } from "./browser.ts";
import { demoAccounts, demoPassword } from "./demo-accounts.ts";
import { exitWithHelp, root } from "./process.ts";

const HELP = `Usage: npm run screenshots -- [screen ...]

Makes the folder gallery/ anew, or only the pictures of the screens named:
${screens.map((screen) => screen.name).join(", ")}`;

/** Maximum file size for the README: a larger picture is encoded again with less quality. */
const MOST_BYTES = 150_000;
const QUALITIES = [85, 70, 55];
const folder = join(root, "gallery");
const views = {
  390: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
  1280: { viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 },
} as const satisfies Record<number, BrowserContextOptions>;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { help: { type: "boolean", short: "h" } },
});
if (values.help) exitWithHelp(HELP);
const unknown = positionals.filter((name) => !screens.some((screen) => screen.name === name));
if (unknown.length > 0) {
  console.error(`There is no screen ${unknown.join(", ")}.\n${HELP}`);
  process.exit(2);
}
const wanted = screens.filter(({ name }) => positionals.length === 0 || positionals.includes(name));

const executablePath = await ensureBrowser();
const cluster = await startTestCluster(root);
const stack = await startStack("production");
const browser = await chromium.launch({ executablePath, args: browserArguments });
try {
  if (positionals.length === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const session = await sessionOf(browser);
  for (const [width, view] of Object.entries(views)) {
    for (const theme of ["light", "dark"] as const) {
      for (const signedOut of [true, false]) {
        const context = await browser.newContext({
          ...view,
          baseURL: stack.app,
          colorScheme: theme,
          reducedMotion: "reduce",
          timezoneId: "Europe/Lisbon",
          locale: "en-GB",
          ...(signedOut ? {} : { storageState: session }),
        });
        const page = await context.newPage();
        for (const screen of wanted) {
          if ((screen.signedOut ?? false) !== signedOut) continue;
          if (screen.narrowOnly && width === "1280") continue;
          await arrange(stack.backend.sql.bind(stack.backend), screen);
          const bytes = await picture(page, screen);
          const name = `${screen.name}-${width}-${theme}.webp`;
          await writeFile(join(folder, name), bytes);
          console.log(`${name.padEnd(36)} ${Math.round(bytes.length / 1000)} KB`);
        }
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
  await stack.close();
  await cluster.stop();
}

/** Ana's session, in the browser's storage format. */
async function sessionOf(inside: Browser) {
  const context = await inside.newContext({ baseURL: stack.app });
  const page = await context.newPage();
  await page.goto("/sign-in");
  await page.getByRole("textbox", { name: "Email" }).fill(demoAccounts[0]);
  await page.getByLabel("Password", { exact: true }).last().fill(demoPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/home");
  const state = await context.storageState();
  await context.close();
  return state;
}

/** The visible part of the screen, as WebP. */
async function picture(page: Page, screen: Screen): Promise<Buffer> {
  await visit(page, screen);
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".map")].every((map) => map.hasAttribute("data-drawn")),
  );
  if (screen.belowTabs && (page.viewportSize()?.width ?? 0) < 500) {
    await page.getByRole("tablist").evaluate((tabs) => tabs.scrollIntoView());
  }
  // Playwright writes PNG and JPEG only; the browser itself supports WebP.
  const browserItself = await page.context().newCDPSession(page);
  let bytes = Buffer.alloc(0);
  for (const quality of QUALITIES) {
    const shot = await browserItself.send("Page.captureScreenshot", { format: "webp", quality });
    bytes = Buffer.from(shot.data, "base64");
    if (bytes.length <= MOST_BYTES) break;
  }
  await browserItself.detach();
  return bytes;
}
