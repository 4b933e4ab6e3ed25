/**
 * Number of taps, and the seconds that they take by hand: from a link to a vote, and from the landing page to a link to
 * share. Only counts are asserted; the app's own time in this run is reported.
 */
import type { Page } from "@playwright/test";
import { reportOf, secondsByHand, type Task } from "../by-hand.ts";
import { expect, test } from "../fixtures.ts";

/** Seconds by hand from the landing page to a link that can be shared. */
const MOST_SECONDS_OF_A_HOST = 45;

/** Counts what the person taps and types in this tab, from now on. */
async function countHands(page: Page): Promise<() => Promise<Pick<Task, "taps" | "keystrokes">>> {
  await page.addInitScript(() => {
    for (const [event, name] of [
      ["click", "taps"],
      ["keydown", "keystrokes"],
    ] as const) {
      const count = () => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name) ?? 0) + 1));
      addEventListener(event, count, true);
    }
  });
  const read = async (name: string) =>
    Number((await page.evaluate((key) => sessionStorage.getItem(key), name)) ?? 0);
  return async () => ({ taps: await read("taps"), keystrokes: await read("keystrokes") });
}

/** Measures how long a person would wait between one act and what the next one needs; an upper bound. */
function stopwatch() {
  let waited = 0;
  return {
    time: async <Result>(wait: () => Promise<Result>): Promise<Result> => {
      const began = performance.now();
      const result = await wait();
      waited += performance.now() - began;
      return result;
    },
    total: () => waited,
  };
}

function report(name: string, task: Task, waitedMs: number): void {
  const said = `${name}: ${reportOf(secondsByHand(task), waitedMs)}`;
  test.info().annotations.push({ type: "by hand", description: said });
  console.log(said);
}

test("a guest comes from the link to a vote by two taps and a name", async ({ person, stack }) => {
  const { page } = await person("Noa", { device: "phone" });
  const hands = await countHands(page);
  const watch = stopwatch();
  const name = page.getByRole("textbox", { name: "Your name" });
  await watch.time(async () => {
    await page.goto("/join/demo-table");
    await name.waitFor();
  });
  await name.pressSequentially("Noa Two Taps");
  const yes = page.getByRole("radio", { name: "Yes", exact: true }).first();
  await watch.time(async () => {
    await page.getByRole("button", { name: "Take a seat" }).tap();
    await expect(yes).toBeInViewport({ ratio: 1 });
  });
  await yes.tap();
  await expect
    .poll(() =>
      stack.backend.sql(
        `select v.answer from public.time_votes as v join public.profiles as p on p.id = v.user_id
         where p.display_name = 'Noa Two Taps'`,
      ),
    )
    .toEqual([{ answer: "yes" }]);
  const counted = await hands();
  expect(counted).toEqual({ taps: 2, keystrokes: "Noa Two Taps".length });
  report("guest, link to vote", { ...counted, fields: 1, screens: 2 }, watch.total());
});

test("a host comes from the landing page to a link on the clipboard by four taps, without an account, in 45 seconds by hand", async ({
  person,
}) => {
  const { page } = await person("Ines", { device: "phone" });
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const hands = await countHands(page);
  const watch = stopwatch();
  const start = page.getByRole("link", { name: "Plan a meal" });
  await watch.time(async () => {
    await page.goto("/");
    await start.waitFor();
  });
  // The fields are focused automatically: typing needs no tap.
  await watch.time(async () => {
    await start.tap();
    await expect(page.getByRole("textbox", { name: "Your name" })).toBeFocused();
  });
  await page.keyboard.type("Ines");
  await watch.time(async () => {
    await page.getByRole("button", { name: "Continue" }).tap();
    await expect(page.getByRole("textbox", { name: "Plan name" })).toBeFocused();
  });
  await page.keyboard.type("Soup night");
  const copy = page.getByRole("button", { name: "Copy link" });
  await watch.time(async () => {
    await page.getByRole("button", { name: "Create plan" }).tap();
    await expect(copy).toBeInViewport({ ratio: 1 });
  });
  await watch.time(async () => {
    await copy.tap();
    await expect(page.getByText("Link copied.")).toBeAttached();
  });
  const counted = await hands();
  expect(counted).toEqual({ taps: 4, keystrokes: "Ines".length + "Soup night".length });
  const task = { ...counted, fields: 2, screens: 4 };
  report("host, landing page to link", task, watch.total());
  expect(secondsByHand(task).total).toBeLessThan(MOST_SECONDS_OF_A_HOST);

  const address = await page.evaluate(() => navigator.clipboard.readText());
  const { page: friends } = await person("Jo", { device: "phone" });
  await friends.goto(address);
  await expect(friends.getByText("Soup night")).toBeVisible();
});
