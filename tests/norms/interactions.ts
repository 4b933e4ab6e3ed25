/**
 * Owns measuring how fast a plan's page responds on a signed-in phone: the time from an input to the next painted frame,
 * as Interaction to Next Paint measures it (Event Timing), on a slowed CPU. The worst of each kind of input counts.
 * Another person's vote counts from the end of the response that contains it.
 */
import type { BrowserContext, Locator, Page } from "@playwright/test";
import { type Figure, figure } from "../../homebase/bench/figures.ts";
import { norms } from "./norms.ts";

const ROUNDS = 5;
/** Event Timing rounds to 8 ms, and reports nothing shorter than 16. */
const SHORTEST_MS = 16;
const AFTER_MS = 600;

/**
 * @param board path of a plan with thirty times and twenty people
 * @param votes another person's vote on this plan, another one in each round
 */
export async function interactions(
  context: BrowserContext,
  host: string,
  board: string,
  slowdown: number,
  votes: (round: number) => Promise<void>,
): Promise<Figure[]> {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await page.goto(`${host}${board}?tab=when`);
  await page.getByRole("radio", { name: "Grid" }).tap();
  await page.getByRole("gridcell").nth(29).waitFor();
  await page.waitForLoadState("networkidle");
  await watch(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  const times: Record<string, number[]> = {
    "a vote": [],
    "another's vote": [],
    "painting the grid": [],
    "opening a sheet": [],
    "sending a message": [],
  };
  const measure = async (name: string, act: () => Promise<void>) => {
    await taken(page);
    await act();
    await page.waitForTimeout(AFTER_MS);
    times[name]?.push(Math.max(SHORTEST_MS, ...(await taken(page))));
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure("a vote", () => tap(page, page.getByRole("gridcell").nth(4 + round)));
    const drawn = nextChange(page);
    await votes(round);
    times["another's vote"]?.push(await drawn);
    await page.waitForTimeout(AFTER_MS);
    await measure("painting the grid", async () => {
      await tap(page, page.getByRole("button", { name: "Select a range" }));
      await tap(page, page.getByRole("gridcell").first());
      await tap(page, page.getByRole("gridcell").nth(29));
      await tap(page, page.getByRole("button", { name: "Select a range" }));
    });
    await measure("opening a sheet", async () => {
      await tap(page, page.getByRole("button", { name: "Suggest another time" }));
      await page.getByRole("dialog").waitFor();
      await tap(page, page.getByRole("dialog").getByRole("button", { name: "Close" }));
    });
  }
  await tap(page, page.getByRole("tab", { name: "Chat" }));
  const message = page.getByRole("textbox", { name: "Message" });
  await message.waitFor();
  for (let round = 0; round < ROUNDS; round += 1) {
    await measure("sending a message", async () => {
      await message.fill(`Message ${round}`);
      await tap(page, page.getByRole("button", { name: "Send" }));
    });
  }
  await page.close();
  return Object.entries(times).map(([name, values]) =>
    figure(`web plan: input to next paint, CPU / ${slowdown}, ${name}`, "ms", values, {
      value: name.endsWith("vote") ? norms.vote : norms.interaction,
      less: true,
    }),
  );
}

/** Taps an element without waiting until it is stable: as the taps change the page's height, the wait would not end. */
async function tap(page: Page, target: Locator): Promise<void> {
  await target.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  const box = await target.boundingBox();
  if (!box) throw new Error("The element to tap is not on the page.");
  await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
}

/** How long after the plan's next response the grid has changed on the screen. */
function nextChange(page: Page): Promise<number> {
  return page.evaluate(() => {
    performance.clearResourceTimings();
    return new Promise<number>((resolve) => {
      const observer = new MutationObserver(() => {
        const read = performance
          .getEntriesByType("resource")
          .findLast(({ name }) => name.includes("/rest/v1/plans?")) as PerformanceResourceTiming | undefined;
        if (!read) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - read.responseEnd)));
      });
      const grid = document.querySelector('[role="grid"]');
      if (grid) observer.observe(grid, { subtree: true, attributes: true, characterData: true });
    });
  });
}

/** Begins to collect the durations of interactions. */
async function watch(page: Page): Promise<void> {
  await page.evaluate((durationThreshold) => {
    const durations: number[] = [];
    Object.assign(window, { durations });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & { interactionId: number })[]) {
        if (entry.interactionId) durations.push(entry.duration);
      }
    }).observe({ type: "event", durationThreshold } as PerformanceObserverInit);
  }, SHORTEST_MS);
}

/** The durations collected since the last call, in milliseconds. */
function taken(page: Page): Promise<number[]> {
  return page.evaluate(() => (window as unknown as { durations: number[] }).durations.splice(0));
}
