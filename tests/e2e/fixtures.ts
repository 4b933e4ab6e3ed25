/**
 * Owns the end-to-end fixtures: the stack (one for each worker, with the seed's data again for each test), and
 * people, each with the app in a browser context of their own. An unexpected error or warning of any page
 * fails the test.
 */
import { setTimeout } from "node:timers/promises";
import { type BrowserContextOptions, test as base, expect, type Page } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { browserArguments, findBrowser } from "../../scripts/browser.ts";
import { demoPassword } from "../../scripts/demo-accounts.ts";
import { type Contexts, contextsOf, type Lent } from "./contexts.ts";
import { type Mode, type Stack, startStack } from "./stack.ts";
import { type Watch, watch } from "./watch.ts";

export const devices = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
  /** The narrowest supported screen. */
  small: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>;

const whole = findBrowser();

/** For tests of notifications, which the light browser of the others always denies. At the top of a file only. */
export const wholeBrowser = {
  launchOptions: { args: browserArguments, ...(whole && { executablePath: whole }) },
};

export interface Person {
  page: Page;
  watch: Watch;
}

export interface PersonOptions extends BrowserContextOptions {
  device?: keyof typeof devices;
  /** Who is signed in: a session of `anasSession`. */
  session?: string;
}

interface TestFixtures {
  /**
   * Whether the test begins with the seed's data, whatever an earlier one changed. A file whose hooks prepare
   * something for all its tests says no, and calls `stack.reset` itself.
   */
  fresh: boolean;
  freshData: undefined;
  /** Opens the app signed out. */
  person(name: string, options?: PersonOptions): Promise<Person>;
  /** Opens the app signed in as the seed's Ana. */
  ana(options?: PersonOptions): Promise<Person>;
}

interface WorkerFixtures {
  /** `development` in the files that visit every screen: there React's warnings fail a test, at twice the time. */
  mode: Mode;
  stack: Stack;
  /** Signs Ana in, once for the current data; her session as supabase-js stores it. */
  anasSession(): Promise<string>;
  contexts: Contexts;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  mode: ["production", { option: true, scope: "worker" }],
  stack: [
    async ({ mode }, use) => {
      const stack = await startStack(mode);
      await use(stack);
      await stack.close();
    },
    { scope: "worker", timeout: 90_000 },
  ],
  anasSession: [
    async ({ stack }, use) => {
      let known: { data: number; session: Promise<string> } | undefined;
      const signedIn = () => sessionOf(stack, "ana@nosh.test");
      await use(() => {
        if (known?.data !== stack.resets) known = { data: stack.resets, session: signedIn() };
        return known.session;
      });
    },
    { scope: "worker" },
  ],
  fresh: [true, { option: true }],
  freshData: [
    async ({ stack, fresh }, use) => {
      if (fresh) await stack.reset();
      await use(undefined);
    },
    { auto: true },
  ],
  contexts: [
    async ({ stack, browser }, use) => {
      const contexts = contextsOf(browser, stack.app);
      await use(contexts);
      await contexts.close();
    },
    { scope: "worker" },
  ],
  person: async ({ stack, contexts, serviceWorkers }, use, info) => {
    const opened: (Lent & { watch: Watch })[] = [];
    await use(async (name, { device = "desktop", session, ...options } = {}) => {
      const lent = await contexts.lend(
        {
          baseURL: stack.app,
          timezoneId: "Europe/Lisbon",
          // A click waits for moving elements. dinner.spec.ts and hosts.spec.ts run with full motion.
          reducedMotion: "reduce",
          locale: "en-GB",
          serviceWorkers,
          ...devices[device],
          ...options,
        },
        { session, initScript: options.reducedMotion === undefined ? endAnimationsAtOnce : undefined },
      );
      leavesAfterSteps(lent.page);
      const watched = watch(lent.page, name);
      opened.push({ ...lent, watch: watched });
      return { page: lent.page, watch: watched };
    });
    const complaints = opened.flatMap((one) => one.watch.complaints);
    // Playwright takes its pictures of a failure when the context ends.
    const failed = info.status !== info.expectedStatus || complaints.length > 0;
    await Promise.all(opened.map((one) => (failed ? one.page.context().close() : one.giveBack())));
    if (complaints.length > 0) throw new Error(`The app complained:\n${complaints.join("\n")}`);
  },
  ana: async ({ person, anasSession }, use) => {
    await use(async (options) => person("Ana", { ...options, session: await anasSession() }));
  },
});

/**
 * A sheet that closes takes a step back in the history, which ends a navigation that has begun meanwhile. A page that a
 * test leaves waits for such a step first, and takes no other one.
 */
function leavesAfterSteps(page: Page): void {
  const stepping = () => {
    history.back = () => {};
    return (history.state as { over?: boolean } | null)?.over && !document.querySelector("[role$=dialog]");
  };
  const settle = async () => {
    // A page that was loaded again under an open sheet keeps the sheet's entry: no step is to come.
    for (let tries = 0; tries < 100; tries++) {
      // A page that already leaves for another one has nothing to wait for.
      if (!(await page.evaluate(stepping).catch(() => false))) return;
      await setTimeout(10);
    }
  };
  const { goto, reload } = page;
  page.goto = async (...to) => settle().then(() => goto.apply(page, to));
  page.reload = async (...options) => settle().then(() => reload.apply(page, options));
}

/** For the page: each fade takes ten drawn frames, at a tenth of the processor's time of a page. */
export function endAnimationsAtOnce(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    "*, ::before, ::after { animation-duration: 0s !important; animation-delay: 0s !important; " +
      "transition-duration: 0s !important; transition-delay: 0s !important }",
  );
  document.adoptedStyleSheets = [sheet];
}

/** A session made with the demo password through supabase-js, which is faster than the sign-in page. */
async function sessionOf({ backend }: Stack, email: string): Promise<string> {
  const { auth } = createClient(backend.url, backend.publishableKey, { auth: { persistSession: false } });
  const { data, error } = await auth.signInWithPassword({ email, password: demoPassword });
  if (error) throw error;
  return JSON.stringify(data.session);
}

/** Signs in with the demo password on the sign-in page, and waits for the redirect. */
export async function signIn(page: Page, email: string, to = "/home"): Promise<void> {
  await page.getByRole("textbox", { name: "Email" }).fill(email);
  await page.getByLabel("Password", { exact: true }).last().fill(demoPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(to);
}

/** The next request to an address arrives, and its response is lost. */
export async function loseResponse(page: Page, url: string): Promise<void> {
  await page.route(
    url,
    async (route) => {
      await route.fetch();
      await route.abort("failed");
    },
    { times: 1 },
  );
}

export { expect };

/** Gives stars for a meal. The form moves while parts above it come, so its label is clicked once it stands. */
export async function giveStars(page: Page, stars: number): Promise<void> {
  const star = page.getByRole("radio", { name: `${stars} of 5` });
  await page.locator("label").filter({ has: star }).click();
  await expect(star).toBeChecked();
}
