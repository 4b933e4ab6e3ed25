/** Calls of functions that have not answered yet, as rows of the feed in a real browser, until they are their records. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stage = new Stage({
  // Answers when the address that it is given does.
  "functions/waits/index.ts": `Deno.serve(async (request) => {
  console.log("waits now");
  await fetch(new URL(request.url).searchParams.get("until"));
  return new Response("done");
});`,
  "functions/loops/index.ts": "Deno.serve(() => { while (true) {} });",
});
const { call, row, label } = stage;

const held: ServerResponse[] = [];
const server = createServer((_, response) => held.push(response));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => server.close());
const until = `?until=${encodeURIComponent(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)}`;

/** Begins a call. @returns its end, after which the function has answered */
async function begun(): Promise<() => Promise<Response>> {
  const known = held.length;
  const answer = call(`/functions/v1/waits${until}`);
  await expect.poll(() => held.length, { timeout: 60_000 }).toBe(known + 1);
  return () => {
    held.at(-1)?.end();
    return answer;
  };
}
const all = () =>
  stage.page
    .locator(".row")
    .evaluateAll((rows) => rows.map((one) => [one.className, one.getAttribute("aria-label")]));
const time = async () => Number(await row("functions/waits").locator(".number").innerText());

describe("a call that has not been answered", () => {
  test("is a running row with its time so far and what it has caused, and becomes its record in its place", async () => {
    const { page } = stage;
    const end = await begun();
    await call("/rest/v1/tags", "GET", undefined, "");
    await row("tags").waitFor();
    const beneath = ["row open child last", "log waits now"];
    await expect
      .poll(all)
      .toEqual([["row open", "GET functions/waits, eve@…, running"], beneath, expect.arrayContaining([])]);
    const before = await time();
    await expect.poll(time).toBeGreaterThan(before);
    await stage.check("running row");
    await page.setViewportSize({ width: 390, height: 720 });
    await expect.poll(() => row("waits?").locator(".answer").innerText()).toMatch(/^running \d+ s$/);
    await page.setViewportSize({ width: 1280, height: 720 });
    // Values of a query are not kept, as in the record.
    expect(await row("functions/waits").locator(".path").innerText()).not.toContain("127.0.0.1");
    await end();
    await expect.poll(() => label("functions/waits")).toBe("GET functions/waits, eve@…, 200");
    await expect.poll(async () => (await all())[0]).toEqual(["row open", "GET functions/waits, eve@…, 200"]);
    await expect.poll(() => page.locator(".row", { hasText: "running" }).count()).toBe(0);
  });

  test("has details that say so, and become those of the record", async () => {
    const { page } = stage;
    const end = await begun();
    await row("running").click();
    const pane = page.getByRole("region", { name: "Details" });
    await pane.getByText("It has not answered yet.").waitFor();
    await pane.locator(".caused", { hasText: "waits now" }).waitFor();
    await expect.poll(() => pane.locator(".rail b").allInnerTexts()).toEqual(["Token", "Start"]);
    expect(await pane.getByRole("button", { name: "Copy as curl" }).count()).toBe(0);
    await stage.check("running");
    await end();
    await pane.locator(".rail li", { hasText: "Code" }).getByText("answered 200").waitFor();
    await pane.getByRole("button", { name: "Copy as curl" }).waitFor();
  });

  test("is found by the words that fit it, and by no status", async () => {
    const { page } = stage;
    const end = await begun();
    await page.getByRole("searchbox").fill("function:waits is:slow since:1h");
    await row("running").waitFor();
    await page.getByRole("searchbox").fill("function:waits status:0");
    await page.getByText(/^No row matches/).waitFor();
    await end();
  });

  test("that begins while the feed is paused waits, and one that ends then becomes its record", async () => {
    const { page } = stage;
    const first = await begun();
    await row("running").waitFor();
    await page.keyboard.press("p");
    const second = await begun();
    await call("/rest/v1/tags", "GET", undefined, "");
    await page.getByRole("button", { name: "Resume, 2 new" }).waitFor();
    await expect.poll(() => row("functions/waits").count()).toBe(1);
    held.at(-2)?.end();
    await expect.poll(() => label("functions/waits")).toBe("GET functions/waits, eve@…, 200");
    await page.keyboard.press("p");
    await row("running").waitFor();
    await second();
    await first();
  });
});

test("a call that a limit has ended says so, and which", async () => {
  const { page } = stage;
  await call("/functions/v1/loops");
  await expect.poll(() => label("functions/loops")).toBe("GET functions/loops, eve@…, 546, stopped at limit");
  await row("functions/loops").click();
  await page.locator(".pane .error", { hasText: "Its limit of processor time has ended it." }).waitFor();
});
