/** A connection lost during a request, and a session that expires: nothing is lost, nothing happens twice. */
import type { Page, Route } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";
import { draw } from "../pictures.ts";
import { choose, composer, messages, say } from "../plan/conversation.ts";
import { layTable } from "../tables.ts";

/** Fails one request: before the server gets it, or after it did and before the response arrives. */
async function breakOnce(
  page: Page,
  address: RegExp,
  method: string,
  when: "before" | "after",
): Promise<void> {
  let broken = false;
  await page.route(address, async (route: Route) => {
    if (broken || route.request().method() !== method) return route.fallback();
    broken = true;
    if (when === "after") await route.fetch();
    await route.abort("failed");
  });
}

for (const when of ["before", "after"] as const) {
  test(`the connection breaks ${when} the server got it: a message, an edit and a reaction each count once`, async ({
    ana,
    stack,
  }) => {
    const table = await layTable(stack, { title: `A line that breaks ${when}`, guests: ["ben"] });
    const { page, watch } = await ana({ device: "desktop" });
    watch.expect(/ERR_FAILED|409/);
    await page.goto(table.path);
    await expect(composer(page)).toBeVisible();
    const stored = () =>
      stack.backend.sql(`select body from public.messages where plan_id = '${table.id}' order by created_at`);

    await breakOnce(page, /rest\/v1\/messages/, "POST", when);
    await say(page, "Just once");
    await expect(messages(page, "Just once")).not.toContainText("Sending");
    await expect(messages(page, "Just once")).toHaveCount(1);
    expect(await stored()).toEqual([{ body: "Just once" }]);

    await breakOnce(page, /rpc\/edit_message/, "POST", when);
    await choose(page, "Just once", "Edit");
    await composer(page).fill("Only once");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(page.getByRole("alert")).toContainText("We can't reach Nosh.");
    await expect(composer(page)).toHaveValue("Only once");
    await page.getByRole("button", { name: "Save changes" }).click();
    await expect(messages(page, "Only once")).toHaveCount(1);
    await expect(page.getByRole("alert")).toHaveCount(0);
    expect(await stored()).toEqual([{ body: "Only once" }]);

    await breakOnce(page, /rest\/v1\/reactions/, "POST", when);
    await choose(page, "Only once", "Hooray");
    await expect(page.getByRole("alert")).toContainText("We can't reach Nosh.");
    const hooray = messages(page, "Only once").getByRole("button", { name: "Hooray: You" });
    // The screen shows the server's state, whatever happened to the response.
    await expect(hooray).toHaveCount(when === "after" ? 1 : 0);
    if (when === "before") await choose(page, "Only once", "Hooray");
    await expect(hooray).toBeVisible();
    // The screen shows it slightly before the server has it.
    await expect
      .poll(() => stack.backend.sql(`select emoji from public.reactions where plan_id = '${table.id}'`))
      .toEqual([{ emoji: "🎉" }]);
  });

  test(`the connection breaks ${when} the server got it: a photo is uploaded once`, async ({
    ana,
    stack,
  }) => {
    const table = await layTable(stack, { title: `A photo over a line that breaks ${when}` });
    const { page, watch } = await ana();
    watch.expect(/ERR_FAILED|409|400/);
    await page.goto(`${table.path}?tab=photos`);
    await breakOnce(page, /storage\/v1\/object\/plan-photos/, "POST", when);
    await breakOnce(page, /rest\/v1\/photos/, "POST", when);
    const picked = page.waitForEvent("filechooser");
    await page.getByRole("tabpanel").getByRole("button", { name: "Add photos" }).click();
    await (await picked).setFiles([await draw(page, "one.png"), await draw(page, "two.png")]);
    await page.getByRole("button", { name: "Share 2 photos" }).click();
    const retry = page.getByRole("button", { name: "Try again" });
    await expect(retry.first()).toBeVisible();
    await expect(async () => {
      if (await retry.count()) await retry.first().click();
      await expect(page.getByRole("button", { name: /^Open: A photo by you/ })).toHaveCount(2, {
        timeout: 1000,
      });
      await expect(page.getByRole("form", { name: "Photos to share" })).toHaveCount(0, {
        timeout: 1000,
      });
    }).toPass();
    const rows = await stack.backend.sql(`select path from public.photos where plan_id = '${table.id}'`);
    const files = await stack.backend.sql(`select name from storage.objects where name like '${table.id}/%'`);
    expect(rows).toHaveLength(2);
    expect(files).toHaveLength(2);
  });
}

test("an expired token while writing: the message is sent once, and nobody is signed out", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "A long sentence" });
  const { page, watch } = await person("Ana");
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "ana@nosh.test", table.path);
  await composer(page).fill("It took me an hour to write this");
  watch.expect(/401/);
  stack.backend.clock.advance(2 * 3_600_000);
  try {
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await expect(messages(page, "It took me an hour")).not.toContainText("Sending");
    await expect(messages(page, "It took me an hour")).toHaveCount(1);
    expect(new URL(page.url()).pathname).toBe(table.path);
    await page.getByRole("tab", { name: "Photos" }).click();
    await expect(page.getByText("No photos yet")).toBeVisible();
  } finally {
    stack.backend.clock.reset();
  }
  expect(await stack.backend.sql(`select 1 from public.messages where plan_id = '${table.id}'`)).toHaveLength(
    1,
  );
});

test("a session ended elsewhere while writing: after signing in again the text is still there", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Signed out in between", guests: ["fatou"] });
  const { page, watch } = await person("Fatou");
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "fatou@nosh.test", table.path);
  await composer(page).fill("Half a thought");
  watch.expect(/400|401|403/);
  await stack.backend.sql("delete from auth.sessions where user_id = '00000000-0000-4000-8000-0000000000a6'");
  stack.backend.clock.advance(2 * 3_600_000);
  try {
    // Any request may discover it first, so the tab may be gone before it is pressed.
    const pressing = page
      .getByRole("tab", { name: "Photos" })
      .click({ timeout: 2_000 })
      .catch(() => undefined);
    await page.waitForURL(/\/sign-in\?next=/);
    await pressing;
  } finally {
    stack.backend.clock.reset();
  }
  await signIn(page, "fatou@nosh.test", `${table.path}*`);
  await expect(composer(page)).toHaveValue("Half a thought");
});
