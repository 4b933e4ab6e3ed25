/**
 * Keyboard only, the details: photos, the map, places, chat, the day, ratings, activity and inviting. On a
 * phone's screen with bars above and below: the focused element is never covered.
 */

import { expect, test } from "../fixtures.ts";
import { draw } from "../pictures.ts";
import { composer, messages } from "../plan/conversation.ts";
import { layTable, people } from "../tables.ts";
import { expectSeen, fill, press, tabTo } from "./keyboard.ts";

const plan = (number: number) => `/plans/00000000-0000-4000-8000-0000000000b${number}`;

test("by keyboard: add a photo with a caption, open it, move between photos, edit the caption, remove it", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Album by hand", days: 1 });
  const { page } = await ana({ device: "phone" });
  const key = (name: string) => page.keyboard.press(name);
  await page.goto(`${table.path}?tab=photos`);
  for (const name of ["soup", "bread"]) {
    const chosen = page.waitForEvent("filechooser");
    await press(page, "Add photos", "button");
    await (await chosen).setFiles(await draw(page, `${name}.png`));
    await fill(page, "Caption", `The ${name}`);
    await press(page, "Share photo", "button");
    await expect(page.getByRole("button", { name: `Open: The ${name}` })).toBeVisible();
  }

  await press(page, "Open: The bread", "button");
  const viewer = page.getByRole("dialog", { name: "Photo viewer" });
  await expect(viewer.getByText("1 of 2")).toBeVisible();
  await key("ArrowRight");
  await expect(viewer.getByText("2 of 2")).toBeVisible();
  await press(page, "Edit caption", "button");
  await expect(viewer.getByRole("textbox", { name: "Caption" })).toBeFocused();
  await key("End");
  await page.keyboard.type(", hot");
  await key("Enter");
  await expect(viewer.getByText("The soup, hot")).toBeVisible();
  await expect(viewer.getByRole("button", { name: "Edit caption" })).toBeFocused();

  await press(page, "Remove photo", "button");
  // A second Enter by mistake changes nothing.
  await expect(viewer.getByRole("button", { name: "Cancel", exact: true })).toBeFocused();
  await key("Enter");
  await expect(viewer.getByRole("button", { name: "Remove photo", exact: true })).toBeFocused();
  await key("Enter");
  await press(page, "Remove for everyone", "button");
  // The next one is shown, and focused.
  await expect(viewer.getByText("1 of 1")).toBeVisible();
  await expect.poll(() => viewer.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await key("Escape");
  await expect(page.getByRole("button", { name: "Open: The bread" })).toBeFocused();
});

test("by keyboard: Tab leads to the chosen one of several answers, whichever had the focus before", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Chosen by hand", days: 3 });
  const { page } = await ana({ device: "phone" });
  await page.goto(table.path);
  const answers = page.getByRole("radiogroup").filter({ has: page.getByRole("radio", { name: "No" }) });
  const [first, second] = [answers.first(), answers.nth(1)];
  const answer = (name: string) => first.getByRole("radio", { name, exact: true });
  await answer("No").click();
  await expect(answer("No")).toBeChecked();
  // Into the next group, of which nothing is chosen, and back.
  await page.keyboard.press("Tab");
  while (!(await second.evaluate((group) => group.contains(document.activeElement))))
    await page.keyboard.press("Tab");
  await expect(second.getByRole("radio", { name: "Yes", exact: true })).toBeFocused();
  const backIntoFirst = async () => {
    do await page.keyboard.press("Shift+Tab");
    while (!(await first.evaluate((group) => group.contains(document.activeElement))));
  };
  await backIntoFirst();
  await expect(answer("No")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(answer("If need be")).toBeFocused();
  await expect(answer("No")).toBeChecked();
  await page.keyboard.press("Tab");
  await backIntoFirst();
  await expect(answer("No")).toBeFocused();
});

test("by keyboard: move between map markers from west to east, and open a place from one", async ({
  ana,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto("/places?view=map&q=momo");
  const map = page.getByRole("region", { name: "Map of the places" });
  await expect(map.getByRole("button", { name: "Momo Sete" })).toBeVisible();
  await tabTo(page, /^Map. Use the arrow keys/, "region");
  await page.keyboard.press("Tab");
  // One tab stop for all of them.
  const names = new Set<string | null>();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null);
  const all = await map.locator(".map-marker").count();
  for (let step = 0; step < all; step += 1) {
    names.add(await focused());
    await expectSeen(page);
    await page.keyboard.press("ArrowRight");
  }
  expect(names.size).toBe(all);
  await page.keyboard.press("Home");
  while ((await focused()) !== "Momo Sete") await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("article").getByRole("link", { name: "Momo Sete" })).toBeVisible();
  // It is rendered again, and still focused.
  await expect(map.getByRole("button", { name: "Momo Sete" })).toBeFocused();
  await press(page, "Momo Sete", "link");
  await expect(page.getByRole("heading", { level: 1, name: "Momo Sete" })).toBeVisible();
});

test("by keyboard: add a place, give its position on the map, and suggest it on a plan", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Places by hand", days: 1 });
  const { page } = await ana({ device: "phone" });
  await page.goto("/places/new");
  await fill(page, "Name of the place", "Handmade Corner", "searchbox");
  await press(page, "Add “Handmade Corner”", "button");
  await expect(page.getByRole("heading", { level: 1, name: "Handmade Corner" })).toBeVisible();
  await press(page, "Add the address", "button");
  await tabTo(page, /^Map. Use the arrow keys/, "region");
  for (const arrow of ["ArrowRight", "ArrowUp"]) await page.keyboard.press(arrow);
  await expect
    .poll(async () => {
      await page.keyboard.press("Enter");
      return page.getByRole("dialog").locator(".map-marker").count();
    })
    .toBe(1);
  await press(page, "Save", "button");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  const rows = await stack.backend.sql<{ placed: boolean }>(
    "select latitude is not null as placed from public.places where name = 'Handmade Corner'",
  );
  expect(rows).toEqual([{ placed: true }]);

  await page.goto(`${table.path}?tab=where`);
  await press(page, "Suggest a place", "button");
  const sheet = page.getByRole("dialog");
  await fill(page, "Find or add a place", "Handmade", "searchbox");
  await press(page, "Suggest Handmade Corner", "button");
  await expect(sheet.getByText("on the plan")).toBeVisible();
  // The pressed button is gone; the focus is still in the sheet.
  await expect.poll(() => sheet.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("tabpanel").getByText("Handmade Corner")).toBeVisible();
  await expect(page.getByRole("button", { name: "Suggest another place" })).toBeFocused();
});

test("by keyboard: read a chat, reply, react, edit and delete", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Talk by hand", days: 1, guests: ["ben"] });
  await stack.backend.sql(
    `insert into public.messages (plan_id, author_id, client_id, body, created_at) values
      ('${table.id}', '${people.ben}', gen_random_uuid(), 'Shall we?', now() - interval '2 minutes'),
      ('${table.id}', '${people.ben}', gen_random_uuid(), 'Or not?', now() - interval '1 minute')`,
  );
  const { page } = await ana({ device: "phone" });
  const key = (name: string) => page.keyboard.press(name);
  await page.goto(`${table.path}?tab=chat`);
  await messages(page, "Or not?").waitFor();
  await tabTo(page, /^React or reply to Ben: Or not/, "button");
  await key("ArrowUp");
  await expect(page.getByRole("button", { name: /^React or reply to Ben: Shall we/ })).toBeFocused();
  await expectSeen(page);
  await key("Enter");
  await press(page, "Tasty", "button");
  await expect(messages(page, "Shall we?").getByRole("button", { name: "Tasty: You" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^React or reply to Ben: Shall we/ })).toBeFocused();
  await key("Enter");
  await press(page, "Reply", "button");
  await expect(composer(page)).toBeFocused();
  await page.keyboard.type("We shall");
  await key("Enter");
  await expect(messages(page, "We shall")).toContainText("Shall we?");

  // Tab leads to the newest own message.
  await key("Shift+Tab");
  await tabTo(page, /^React or reply to You: We shall/, "button");
  await key("Enter");
  await press(page, "Edit", "button");
  await expect(composer(page)).toHaveValue("We shall");
  await page.keyboard.type(", on Friday");
  await key("Enter");
  await expect(messages(page, "We shall, on Friday")).toContainText("edited");
  await tabTo(page, /^React or reply to You: We shall, on Friday/, "button");
  await key("Enter");
  await press(page, "Delete", "button");
  await expect(messages(page, "Message deleted")).toBeVisible();
  // A deleted message cannot be answered: Tab leads to the newest one that can.
  await tabTo(page, /^React or reply to Ben: Or not/, "button");
});

test("by keyboard: share a live position, say when one arrives, open the activity list", async ({
  ana,
  stack,
}) => {
  const { page } = await ana({
    device: "phone",
    geolocation: { latitude: 38.71, longitude: -9.14 },
    permissions: ["geolocation"],
  });
  await page.goto(plan(4));
  await press(page, "Share for 30 min", "button");
  await expect(page.getByText(/^Sharing your location, /)).toBeVisible();
  await press(page, "Show on a map", "button");
  await expect(page.getByRole("region", { name: "Where everyone is" })).toBeVisible();
  await press(page, "Stop sharing", "button");
  await expect(page.getByText(/^Sharing your location, /)).toHaveCount(0);
  await press(page, "10 min", "button");
  const mine = page.getByRole("table", { name: "Who is on their way" }).getByRole("row", { name: /Ana/ });
  await expect(mine).toContainText(/on the way, (9|10) min/);
  await press(page, "I'm here", "button");
  await expect(mine).toContainText("here");
  // Other tests need her seed position.
  await stack.backend.sql(
    `delete from public.arrivals where user_id = '${people.ana}' and plan_id = '${plan(4).slice("/plans/".length)}'`,
  );

  await press(page, /^Plans/, "link");
  await page.waitForURL("/home");
  await press(page, /^(Activity|\d+ new)$/, "link");
  await page.waitForURL("/notifications");
  await page.getByRole("listitem").getByRole("link").first().waitFor();
  await press(page, /./, "link");
});

test("by keyboard: rate a meal with stars and a comment", async ({ ana, stack }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(`${plan(5)}?tab=day`);
  await page.getByRole("radiogroup", { name: "How was it?" }).waitFor();
  await tabTo(page, /^\d of 5$/, "radio");
  await page.keyboard.press("ArrowRight");
  await expectSeen(page);
  const chosen = page.getByRole("radio", { name: /^\d of 5$/, checked: true });
  await expect(chosen).toBeFocused();
  await fill(page, "Comment", "By hand.");
  await press(page, /^(Save rating|Change my rating)$/, "button");
  await expect(page.getByRole("listitem").filter({ hasText: "By hand." })).toBeVisible();
  await stack.backend.sql("delete from public.ratings where comment = 'By hand.'");
});

test("by keyboard: create, copy and revoke an invite link; add and remove addresses", async ({
  ana,
  stack,
}) => {
  const table = await layTable(stack, { title: "Invited by hand", days: 1 });
  const { page } = await ana({ device: "phone", permissions: ["clipboard-read", "clipboard-write"] });
  await page.goto(table.path);
  await press(page, "Invite", "button");
  const sheet = page.getByRole("dialog");
  await tabTo(page, "For up to", "combobox");
  await page.keyboard.press("ArrowUp");
  await press(page, "Create link", "button");
  // The link has the focus, ready to be copied.
  await expect(sheet.getByRole("button", { name: "Copy link" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/\/join\/\S+$/);
  await fill(page, "Email addresses", "mia@example.org noor@example.org ");
  await expect(sheet.getByRole("row")).toHaveCount(2);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Delete");
  await expect(sheet.getByRole("row")).toHaveCount(1);
  await press(page, /^Revoke the link from/, "button");
  await expect(sheet.getByText("Nobody can use it any more.")).toBeVisible();
  // The pressed button is gone; the focus is still in the sheet.
  await expect(sheet.getByRole("button", { name: /^Revoke the link from/ })).toHaveCount(0);
  await expect.poll(() => sheet.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Invite" })).toBeFocused();
});

test("the focus is always visible: never below a bar, never without an outline, on each screen", async ({
  ana,
}) => {
  // 288 presses, each with its look at the page.
  test.setTimeout(120_000);
  const { page } = await ana({ device: "small" });
  for (const path of [
    "/home",
    `${plan(1)}?tab=when`,
    `${plan(1)}?tab=where`,
    `${plan(1)}?tab=best`,
    `${plan(4)}?tab=day`,
    "/places",
    "/plans/new",
    "/me",
  ]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    for (let presses = 0; presses < 24; presses += 1) {
      await page.keyboard.press("Tab");
      await expectSeen(page);
    }
    // And all the way up again.
    for (let presses = 0; presses < 12; presses += 1) {
      await page.keyboard.press("Shift+Tab");
      await expectSeen(page);
    }
  }
});
