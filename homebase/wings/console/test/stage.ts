/** Owns what tests of the feed share: a project with its stack, a user, and a page in a real browser. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "@playwright/test";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { findBrowser, testBrowserArguments } from "../../../../scripts/browser.ts";
import { control } from "../../../src/cli/kit/control.ts";
import { controlSocketPath } from "../../../src/cli/kit/state.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { Project } from "../../../test/cli/project.ts";
import { PROJECT } from "../../../test/explain/project.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [1280, 390];
const SCHEMES = ["light", "dark"] as const;

export const FUNCTION = `Deno.serve(async () => {
  const key = Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  const headers = { apikey: key, authorization: "Bearer " + key };
  await fetch(Deno.env.get("SUPABASE_URL") + "/rest/v1/notes?select=id", { headers });
  return new Response("hi");
});`;

export class Stage {
  readonly project: Project;
  token = "";
  #browser: Browser | undefined;
  #context: BrowserContext | undefined;
  #page: Page | undefined;
  #cleared = 0;

  /** Starts the stack before all tests of a file, and opens the page anew before each of them. @param files more of the project's */
  constructor(files: Record<string, string> = {}) {
    this.project = new Project({
      // A test that a request becomes gives its people names that nobody of the project has at example.com: here all.
      "migrations/20260101000000_notes.sql": PROJECT.replaceAll("@example.com", "@notes.example"),
      "functions/hello/index.ts": FUNCTION,
      ...files,
    });
    beforeAll(async () => {
      await this.project.start();
      this.#browser = await chromium.launch({
        executablePath: findBrowser("shell"),
        args: testBrowserArguments,
      });
      const signedUp = await this.call("/auth/v1/signup", "POST", {
        email: "eve@example.com",
        password: "correct horse battery",
      });
      this.token = ((await signedUp.json()) as { access_token: string }).access_token;
    });
    beforeEach(async () => {
      // One context for all of them: what a test has chosen ends with the page that is loaded again.
      this.#context ??= await this.browser.newContext();
      if (this.#page) {
        await this.#page.evaluate(() => localStorage.clear());
        await this.#page.goto(this.console);
        await this.#page.getByText("Live", { exact: true }).waitFor();
      } else this.#page = await this.opened(this.#context);
      await this.clear();
    });
    afterAll(async () => {
      await this.#browser?.close();
      await this.project.remove();
    });
  }

  get browser(): Browser {
    return there(this.#browser);
  }

  get context(): BrowserContext {
    return there(this.#context);
  }

  get page(): Page {
    return there(this.#page);
  }

  get console(): string {
    return `http://127.0.0.1:${54_323 + this.project.offset}`;
  }

  /** Rows of earlier tests are not this one's. The feed is in order, so after this request it has all of them. */
  async clear(): Promise<void> {
    // A name of its own, as requests that differ in values only are one row; the status comes right after it.
    const last = `last-${this.#cleared++}-`;
    await this.call(`/auth/v1/settings?${last}`);
    await this.row(last).waitFor();
    await this.page.keyboard.press("x");
    await this.page.locator(".row").first().waitFor({ state: "detached" });
  }

  /**
   * Axe finds nothing in this state of the page, at both widths, light and dark, and nothing is wider than the window. Each
   * state is looked at in every setting, which costs less than a walk for each. `SHOTS=folder` keeps pictures of them.
   */
  async check(state: string, page = this.page): Promise<void> {
    for (const width of SIZES)
      for (const colorScheme of SCHEMES) {
        await page.setViewportSize({ width, height: 720 });
        await page.emulateMedia({ colorScheme });
        // The page learns of another width with the next frame.
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
        const where = `${state}, ${width} px, ${colorScheme}`;
        // Not as an element, which the page's own policy would refuse. Another scheme has other colours only.
        if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
        const runOnly = colorScheme === "dark" ? ["color-contrast"] : undefined;
        // Again, while the page still takes on the width: a violation that stays is one.
        const violations = async () => {
          const { violations } = (await page.evaluate(
            `axe.run(${JSON.stringify({ resultTypes: ["violations"], runOnly })})`,
          )) as { violations: { id: string; nodes: { html: string }[] }[] };
          return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`).join("\n");
        };
        await expect.poll(violations, { message: where }).toBe("");
        await expect
          .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: where })
          .toBe(width);
        if (process.env.SHOTS)
          await page.screenshot({
            path: join(process.env.SHOTS, `${state.replaceAll(" ", "-")}-${width}-${colorScheme}.png`),
          });
      }
    await page.setViewportSize({ width: 1280, height: 720 });
  }

  /** A page that has entered by a link of its own. */
  async opened(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    await page.goto(await linkOf(this.project));
    await page.getByText("Live", { exact: true }).waitFor();
    return page;
  }

  /** A request of the app, as the user unless another token is given. */
  call = (path: string, method = "GET", body?: unknown, bearer = this.token): Promise<Response> =>
    fetch(this.project.url + path, {
      method,
      headers: {
        apikey: this.project.key,
        ...(bearer === "" ? {} : { authorization: `Bearer ${bearer}` }),
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  row = (text: string) => this.page.locator(".row", { hasText: text });
  label = (text: string) => this.row(text).last().getAttribute("aria-label");
}

/** The link that `homebase console` prints. */
export async function linkOf(project: Project): Promise<string> {
  const socket = controlSocketPath(loadConfig({ named: project.folder }));
  return there(await control<{ link: string }>(socket, "console")).link;
}

function there<T>(one: T | undefined): T {
  if (one === undefined) throw new Error("It is there while a test runs.");
  return one;
}
