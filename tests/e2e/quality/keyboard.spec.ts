/** A whole plan by keyboard alone, with a visible focus at every step. */
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import { linkTo } from "../entry/links.ts";
import { expect, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";
import { fill, press, tabTo } from "./keyboard.ts";

test("by keyboard: create a circle and a plan, vote, confirm, RSVP, and write a message", async ({
  person,
}) => {
  test.setTimeout(90_000);
  const { page } = await person("Ana");
  const key = (name: string) => page.keyboard.press(name);

  await test.step("sign in and start a circle", async () => {
    await page.goto("/sign-in");
    await fill(page, "Email", "ana@nosh.test");
    await fill(page, /^Password/, demoPassword);
    await key("Enter");
    await page.waitForURL("/home");
    await press(page, "Circles", "link");
    await press(page, "Start a circle", "button");
    // The sheet focuses its field.
    await expect(page.getByRole("textbox", { name: "Name" })).toBeFocused();
    await page.keyboard.type("Keys only");
    await key("Enter");
    await expect(page.getByRole("heading", { level: 1, name: "Keys only" })).toBeVisible();
  });

  await test.step("start a plan with a place", async () => {
    await press(page, "Start a plan", "link");
    await fill(page, "Plan name", "Dinner by hand");
    await press(page, "Where", "button");
    await fill(page, "Find or add a place", "Momo Sete", "searchbox");
    await press(page, "Momo Sete", "checkbox", "Space");
    await expect(page.getByRole("checkbox", { name: "Momo Sete" })).toBeChecked();
    await press(page, "Create plan", "button");
    await expect(page.getByRole("heading", { level: 1, name: "Dinner by hand" })).toBeVisible();
  });

  await test.step("answer a time and the place", async () => {
    await tabTo(page, "Yes", "radio");
    await key("Space");
    await expect(page.getByRole("radio", { name: "Yes" }).first()).toBeChecked();
    await tabTo(page, "When", "tab");
    await key("ArrowRight");
    await expect(page.getByRole("tab", { name: "Where" })).toHaveAttribute("aria-selected", "true");
    await page.getByRole("tabpanel").getByText("Momo Sete").first().waitFor();
    await tabTo(page, "Yes", "radio");
    await key("Space");
    await expect(page.getByRole("tabpanel").getByRole("radio", { name: "Yes" }).first()).toBeChecked();
  });

  await test.step("choose the best pair, and come", async () => {
    await tabTo(page, "Where", "tab");
    await key("ArrowRight");
    await press(page, "Choose this", "button");
    await expect(page.getByRole("article", { name: "Ticket" })).toContainText("Momo Sete");
    await expect(page.getByRole("article", { name: "Ticket" })).toContainText("1 person is coming");
  });

  await test.step("say so, and mend what was said", async () => {
    await fill(page, "Message to everyone", "I typed this");
    await key("Enter");
    const messages = page.getByRole("list", { name: "Messages" });
    await expect(messages).toContainText("I typed this");
    // A pending message cannot be edited yet.
    await expect(async () => {
      await key("ArrowUp");
      await expect(page.getByRole("textbox", { name: "Message to everyone" })).toHaveValue("I typed this", {
        timeout: 500,
      });
    }).toPass();
    await page.keyboard.type(" twice");
    await key("Enter");
    await expect(messages).toContainText("I typed this twice");
  });
});

test("by keyboard: a guest joins, votes on times and places by the card, writes, and rates", async ({
  person,
  stack,
}) => {
  test.setTimeout(90_000);
  const table = await layTable(stack, { title: "By keys", days: 2, withPlaces: true });
  const sql = stack.backend.sql.bind(stack.backend);
  const { page } = await person("Kay", { device: "phone" });
  const focused = (role: "main" | "tab" | "radio" | "textbox", name?: string | RegExp) =>
    expect(page.getByRole(role, name === undefined ? {} : { name }).first()).toBeFocused();
  await page.goto(await linkTo(stack, table.id));
  await fill(page, "Your name", "Kay");
  await page.keyboard.press("Enter");
  await page.waitForURL(table.path);
  await focused("main");

  for (const [question, tab] of [
    ["Which times can you make?", "When"],
    ["Which places do you like?", "Where"],
  ] as const) {
    await expect(page.getByRole("region", { name: "What's next" })).toContainText(question);
    await press(page, "Vote", "button");
    await focused("tab", tab);
    await press(page, "Yes", "radio", "Space");
    await expect(page.getByRole("radio", { name: "Yes" }).first()).toBeChecked();
    await focused("radio", "Yes");
  }
  await press(page, "Answer", "button");
  await expect(page.getByRole("region", { name: "So the place works for you" })).toBeFocused();
  await press(page, "Skip", "button");
  await expect(page.getByRole("region", { name: "What's next" }).getByRole("button")).toHaveCount(0);

  await page.goto(`${table.path}?tab=chat`);
  await fill(page, "Message to everyone", "Hello");
  await page.keyboard.press("Enter");
  const said = page
    .getByRole("list", { name: "Messages" })
    .getByRole("listitem")
    .filter({ hasText: "Hello" });
  await expect(said).toBeVisible();
  // A page that is left before would send it again, and be told that it is there.
  await expect(said).not.toContainText("Sending");
  await focused("textbox", "Message to everyone");

  await sql(
    `update public.time_options set starts_at = now() - interval '9 hours', ends_at = now() - interval '7 hours' where id = '${table.times[0]}'`,
  );
  await sql(
    `update public.plans set status = 'confirmed', chosen_time_id = '${table.times[0]}' where id = '${table.id}'`,
  );
  await page.goto(table.path);
  await tabTo(page, "1 of 5", "radio");
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("radio", { name: "2 of 5" })).toBeChecked();
  await press(page, "Save rating", "button");
  await expect(page.getByRole("radiogroup", { name: "How was it?" })).toHaveCount(0);
  await expect(page.getByRole("tab", { selected: true })).toBeFocused();
});

test("by keyboard: change settings of the account, with a switch, the language and a sheet", async ({
  ana,
}) => {
  const { page } = await ana();
  await page.goto("/me");
  await tabTo(page, /^Decisions/, "switch");
  const before = await page.getByRole("switch", { name: /^Decisions/ }).isChecked();
  await page.keyboard.press("Space");
  await expect(page.getByRole("switch", { name: /^Decisions/ })).toBeChecked({ checked: !before });
  await page.keyboard.press("Space");
  await press(page, "Turn on", "button");
  await page.getByRole("dialog").getByLabel("Six-digit code").waitFor();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: "Turn on" })).toBeFocused();
});
