/**
 * Owns the browser contexts that tests borrow. Making and ending one costs half a second of both cores, and the
 * app's first load in it another half, so one that a test left as it was is emptied and lent again.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "@playwright/test";
import { SESSION_KEY } from "../../web/src/lib/backend/stored-session.ts";

/** A context with an open page, and how it is given back. */
export interface Lent {
  page: Page;
  giveBack(): Promise<void>;
}

export interface Contexts {
  /**
   * A context without any data, but for a session (of supabase-js, as its JSON) at the app's address.
   * @param prepare runs once in a new context, before any page: what each borrower with these options needs.
   */
  lend(
    options: BrowserContextOptions,
    prepare: { session?: string | undefined; initScript?: (() => void) | undefined },
  ): Promise<Lent>;
  close(): Promise<void>;
}

/** What leaves traces that emptying does not take away. */
const LASTING = [
  "addInitScript",
  "exposeBinding",
  "exposeFunction",
  "grantPermissions",
  "clearPermissions",
  "route",
  "routeFromHAR",
  "routeWebSocket",
  "setExtraHTTPHeaders",
  "setGeolocation",
  "setOffline",
] as const satisfies (keyof BrowserContext)[];
const OF_THE_CLOCK = ["install", "pauseAt", "setFixedTime", "setSystemTime"] as const;

/** @returns whether a test has changed the context, or closed it. */
function changes(context: BrowserContext): () => boolean {
  let changed = false;
  const watch = <Name extends string>(of: Record<Name, unknown>, name: Name) => {
    const original = of[name] as (...parameters: unknown[]) => unknown;
    Object.assign(of, {
      [name]: (...parameters: unknown[]) => {
        changed = true;
        return original.apply(of, parameters);
      },
    });
  };
  for (const name of LASTING) watch(context, name);
  for (const name of OF_THE_CLOCK) watch(context.clock, name);
  context.once("close", () => {
    changed = true;
  });
  return () => changed;
}

/** @param app the app's address, whose data is deleted between two tests. */
export function contextsOf(browser: Browser, app: string): Contexts {
  const free = new Map<string, { context: BrowserContext; changed: () => boolean }[]>();
  return {
    async lend(options, { session, initScript }) {
      const kind = JSON.stringify([options, initScript?.name]);
      let lent = free.get(kind)?.pop();
      if (!lent) {
        const context = await browser.newContext(options);
        if (initScript) await context.addInitScript(initScript);
        lent = { context, changed: changes(context) };
      }
      const { context, changed } = lent;
      const page = await context.newPage();
      if (session !== undefined) await page.addInitScript(signIn, [app, SESSION_KEY, session] as const);
      return {
        page,
        giveBack: async () => {
          // A service worker stays, with all that it keeps.
          if (changed() || options.serviceWorkers !== "block") return context.close();
          const devtools = await context.newCDPSession(page);
          await devtools.send("Storage.clearDataForOrigin", { origin: app, storageTypes: "all" });
          await Promise.all([context.clearCookies(), ...context.pages().map((one) => one.close())]);
          free.set(kind, [...(free.get(kind) ?? []), lent]);
        },
      };
    },
    close: async () => {
      await Promise.all([...free.values()].flat().map(({ context }) => context.close()));
    },
  };
}

/** In the page: signs in once, so that a test can sign out. A tab's own storage says that it was done. */
function signIn([app, key, session]: readonly [string, string, string]): void {
  if (location.origin !== app || sessionStorage.getItem("signed-in-by-test")) return;
  sessionStorage.setItem("signed-in-by-test", "yes");
  localStorage.setItem(key, session);
}
