/** Saved states in the Stack view: saving, going back and deleting by the page, while other pages look on. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, test, vi } from "vitest";
import type { DataRows, SnapshotStates } from "../server/api.ts";
import { SavedStates } from "../server/stack/saved-states.ts";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const stage = new Stage({
  "migrations/20260102000000_guests.sql": `create table public.guests (id int primary key, name text);
grant select, insert on public.guests to anon;
insert into public.guests values (1, 'Ada');`,
});

/** A call of the page. */
const asked = <T>(name: string, ask: object = {}) =>
  stage.page.evaluate(
    async ([call, body]) => {
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${sessionStorage.getItem("token")}`,
      };
      const response = await fetch(`/api/${call}`, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, answer: await response.json() };
    },
    [name, ask] as const,
  ) as Promise<{ status: number; answer: T }>;
const refusal = async (ask: object) =>
  (await asked<{ error: { message: string } }>("snapshotAct", ask)).answer.error.message;
const GUESTS = { as: { kind: "postgres" }, table: { schema: "public", name: "guests" }, where: "" };
const open = async () => {
  await stage.page.goto(`${stage.console}/stack/snapshots`);
  await stage.page.getByRole("grid", { name: "Snapshots" }).or(stage.page.locator(".data .empty")).waitFor();
};
const grid = () => stage.page.getByRole("grid", { name: "Snapshots" });
const names = () => grid().locator(".tbody .td:first-child").allInnerTexts();
const cell = (text: string | RegExp) => stage.page.getByRole("gridcell", { name: text }).first();
const pane = () => stage.page.getByRole("region", { name: "Details" });
const dialog = () => stage.page.getByRole("dialog");
const button = (name: string) => pane().getByRole("button", { name });
/** Resolves when a page shows a text, however short it stays. */
const seen = (page: Page, text: string) =>
  page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => document.body.textContent?.includes(wanted) && resolve());
        observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      }),
    text,
  );
/** By the app. */
const arrives = (id: number, name: string) => stage.call("/rest/v1/guests", "POST", { id, name }, "");

test("a state is saved by keyboard, gone back to while other pages look on, and deleted", async () => {
  const { page } = stage;
  await page.getByRole("button", { name: "Stack", exact: true }).click();
  await page.getByRole("button", { name: "Snapshots", exact: true }).click();
  await page.getByText("No states are saved yet.").waitFor();
  await stage.check("no snapshots");

  await page.keyboard.press("n");
  const field = dialog().getByLabel("Name");
  await expect.poll(() => field.inputValue()).toMatch(/^\d{4}-\d\d-\d\d-\d{4}$/);
  await stage.check("save a state");
  await field.fill("no name");
  await page.keyboard.press("Enter");
  await dialog().getByRole("alert").getByText("has up to 64 letters, digits, - and _").waitFor();
  await field.fill("one-guest");
  await page.keyboard.press("Enter");
  await dialog().waitFor({ state: "detached" });
  await page.getByText("Saved one-guest.").waitFor();
  await expect.poll(names).toEqual(["one-guest"]);
  await cell(/^\d+ s ago$/).waitFor();
  await cell(/^\d+ MB$/).waitFor();
  await cell("20260102000000").waitFor();
  await stage.check("snapshots");

  await page.getByRole("button", { name: "Save this state" }).click();
  await dialog().getByLabel("Name").fill("one-guest");
  await page.keyboard.press("Enter");
  await dialog().getByText("There is a snapshot one-guest already.").waitFor();
  await stage.check("name taken");
  await page.keyboard.press("Escape");
  // It was said once.
  await page.getByText("There is a snapshot one-guest already.").waitFor({ state: "detached" });

  // Two other tabs: one looks at the table, one at the feed.
  const table = await stage.context.newPage();
  await table.goto(`${stage.console}/data/public.guests`);
  const rows = table.getByRole("grid", { name: "Rows of guests" }).locator(".tbody .tr");
  await rows.filter({ hasText: "Ada" }).waitFor();
  const feed = await stage.opened(stage.context);
  expect((await arrives(2, "Ben")).status).toBe(201);
  await table.getByRole("button", { name: "Refresh" }).click();
  await rows.filter({ hasText: "Ben" }).waitFor();

  await cell("one-guest").click();
  await button("Back to one-guest").waitFor();
  await stage.check("snapshot");
  await button("Back to one-guest").focus();
  await page.keyboard.press("Enter");
  await dialog().getByText("What is there now is kept as before-restore, until the next restore.").waitFor();
  await dialog().getByText("are replaced by those of one-guest (").waitFor();
  await stage.check("go back");
  await page.keyboard.press("Escape");
  await expect
    .poll(() => button("Back to one-guest").evaluate((one) => one === document.activeElement))
    .toBe(true);
  await page.keyboard.press("Enter");
  const told = seen(feed, "The database is being replaced. Requests wait");
  await dialog().getByRole("button", { name: "Go back" }).click();
  await told;
  await page
    .getByText("Back to one-guest. What it has replaced is before-restore.")
    .waitFor({ timeout: 60_000 });
  await expect.poll(names).toEqual(["before-restore", "one-guest"]);

  // Neither tab was touched meanwhile.
  await rows.filter({ hasText: "Ben" }).waitFor({ state: "detached" });
  await expect.poll(() => rows.count()).toBe(1);
  expect((await arrives(3, "Cleo")).status).toBe(201);
  await feed.locator(".row", { hasText: "guests" }).last().waitFor();
  await feed.getByText("Live", { exact: true }).waitFor();
  await feed.close();

  await cell("before-restore").click();
  await button("Back to before-restore").click();
  await dialog().getByRole("button", { name: "Go back" }).click();
  await page.getByText("Back to before-restore.").waitFor({ timeout: 60_000 });
  await rows.filter({ hasText: "Ben" }).waitFor();
  await rows.filter({ hasText: "Cleo" }).waitFor({ state: "detached" });
  await table.close();

  await cell("before-restore").click();
  await page.keyboard.press("d");
  await dialog().getByText("What the stack holds now is not touched.").waitFor();
  await stage.check("delete a snapshot");
  await dialog().getByRole("button", { name: "Delete snapshot" }).click();
  await page.getByText("Deleted before-restore.").waitFor();
  await expect.poll(names).toEqual(["one-guest"]);
});

test("on a phone the result of going back stands in sight, in a place that readers of screens listen to", async () => {
  const { page } = stage;
  await page.setViewportSize({ width: 390, height: 720 });
  await open();
  await cell("one-guest").click();
  await page.getByRole("button", { name: "Back to one-guest" }).click();
  await dialog().getByRole("button", { name: "Go back" }).click();
  // The details that covered it are closed before the result is there.
  await page.locator(".pane").waitFor({ state: "detached" });
  await dialog().waitFor({ state: "detached", timeout: 60_000 });
  const text = page.getByText("Back to one-guest. What it has replaced is before-restore.");
  await text.waitFor();
  const bottom = async () => {
    const box = await text.boundingBox();
    return box ? box.y + box.height : undefined;
  };
  await expect.poll(bottom).toBeLessThan(360);
  expect(await text.getAttribute("role")).toBe("status");
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label")))
    .toBe("Snapshots");
  await stage.check("went back");
});

test("calls wait while the database is replaced, the page hears how far it is, and the act outlives its page", async () => {
  const { page } = stage;
  expect((await asked("snapshotAct", { do: "save", name: "waits" })).status).toBe(200);
  // A page that is closed meanwhile.
  const closed = await stage.context.newPage();
  await closed.goto(`${stage.console}/stack/snapshots`);
  await closed.getByRole("gridcell", { name: "waits" }).click();
  await closed.getByRole("button", { name: "Back to waits" }).click();
  await closed.getByRole("button", { name: "Go back" }).click();
  const heard: NonNullable<SnapshotStates["working"]>[] = [];
  await expect
    .poll(async () => {
      const { working } = (await asked<SnapshotStates>("snapshots")).answer;
      if (working) heard.push(working);
      return heard.length;
    })
    .toBeGreaterThan(0);
  await closed.close();
  expect(heard[0]?.act).toEqual({ do: "restore", name: "waits" });
  expect(await refusal({ do: "delete", name: "waits" })).toMatch(/^waits is being worked on/);
  const answers: number[] = [];
  for (;;) {
    const [{ answer }, { status }] = await Promise.all([
      asked<SnapshotStates>("snapshots"),
      asked<DataRows>("rows", GUESTS),
    ]);
    answers.push(status);
    if (answer.last && !answer.working) {
      expect(answer.last).toEqual({ do: "restore", name: "waits", applied: [] });
      break;
    }
  }
  // One that was asked before Postgres stopped may have ended with it.
  expect(answers.filter((one) => one !== 200 && one !== 503)).toEqual([]);
  expect(answers.at(-1)).toBe(200);
  await open();
  await page.getByText("Back to waits.").waitFor();
});

test("how far it is stands in the page, and nothing else is begun meanwhile", async () => {
  const { page } = stage;
  const working = { act: { do: "restore", name: "waits" }, done: 12_000_000, total: 31_000_000 };
  await page.route("**/api/snapshots", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), working, last: undefined } });
  });
  await open();
  const bar = page.getByRole("progressbar", { name: /^Going back to waits: \d+ MB of \d+ MB$/ });
  await bar.waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Save this state" }).isDisabled()).toBe(true);
  await stage.check("going back");
  await page.unrouteAll({ behavior: "wait" });
  await bar.waitFor({ state: "detached" });
});

test("one that does not fit says why and is not restored, and a migration that fails afterwards is told", async () => {
  const { page } = stage;
  const file = (name: string) => join(stage.project.folder, ".homebase/snapshots", name, "snapshot.json");
  const whole = readFileSync(file("waits"), "utf8");
  writeFileSync(file("waits"), whole.replace(/"postgres": "[^"]+"/, '"postgres": "16.1"'));
  await open();
  await cell(/^no: it was saved with Postgres 16\.1/).click();
  await expect.poll(() => button("Back to waits").isDisabled()).toBe(true);
  await stage.check("unfit snapshot");
  expect(await refusal({ do: "restore", name: "waits" })).toMatch(
    /^The snapshot waits cannot be restored: .*Nothing was changed\.$/,
  );
  writeFileSync(file("waits"), whole);
  expect(await refusal({ do: "restore", name: "gone" })).toBe(
    "There is no snapshot gone. There are: before-restore, waits, one-guest.",
  );
  expect((await asked("snapshotAct", { do: "reset", name: "waits" })).status).toBe(400);

  stage.project.write("migrations/20260103000000_late.sql", "create table public.late (id int);");
  stage.project.write("migrations/20260104000000_broken.sql", "drop table public.nothing;");
  expect((await asked("snapshotAct", { do: "restore", name: "one-guest" })).status).toBe(200);
  await open();
  const alert = page.getByRole("alert");
  await alert.getByText("The state of one-guest is in place, but without this:").waitFor();
  await alert.getByText('table "nothing" does not exist').waitFor();
  await stage.check("restored without a migration");
});

test("without the wing the stack offers none, and the page does not show them", async () => {
  const none = new SavedStates({});
  await expect(none.read()).rejects.toThrow("This stack saves no states.");
  await expect(none.act({ do: "save", name: "one" }, new AbortController().signal)).rejects.toThrow(
    "This stack saves no states.",
  );
  const { page } = stage;
  await page.route("**/api/about", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), snapshots: false } });
  });
  await page.goto(`${stage.console}/stack/snapshots`);
  await page.getByText("The console has no page /stack/snapshots.").waitFor();
  await page.getByRole("button", { name: "Health", exact: true }).waitFor();
  await page.getByRole("button", { name: "Snapshots", exact: true }).waitFor({ state: "detached" });
  await page.unrouteAll({ behavior: "wait" });
});
