/** On the day: a live position that ends by itself, the table that is ready, and what each sees of it. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "./fixtures.ts";

const LUNCH = "/plans/00000000-0000-4000-8000-0000000000b4";

const live = (page: Page) => page.getByRole("tabpanel").getByRole("region", { name: "Live position" });
const row = (page: Page, name: string) =>
  page.getByRole("table", { name: "Who is on their way" }).getByRole("row", { name: new RegExp(name) });
/** What stands above all tabs while one shares. */
const bar = (page: Page) => page.getByText(/^Your position is shared, \d+ min left$/);

test("a live position is seen by the others with its time, moves, and is gone when it is stopped", async ({
  ana,
  person,
}) => {
  // Two people, and a position that is said every ten seconds.
  test.setTimeout(80_000);
  const [{ page: anas }, { page: bens }] = await Promise.all([
    ana({
      device: "phone",
      geolocation: { latitude: 38.71, longitude: -9.14 },
      permissions: ["geolocation"],
    }),
    person("Ben"),
  ]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(LUNCH)]);
  await expect(bens.getByText("not live")).toHaveCount(0);
  await expect(row(bens, "Ana")).toBeVisible();

  await anas.getByRole("button", { name: "Share for 30 min" }).click();
  await expect(bar(anas)).toBeVisible();
  await expect(live(bens)).toContainText("Ana shares their position, 30 min left");
  await expect(row(bens, "Ana")).toContainText("2.6 km away");

  await test.step("it goes along to another tab of the plan, and can be made longer", async () => {
    await anas.getByRole("tab", { name: "Photos" }).click();
    await expect(bar(anas)).toBeVisible();
    await anas.getByRole("button", { name: "30 min longer" }).click();
    await expect(anas.getByText("Your position is shared, 60 min left")).toBeVisible();
  });

  await test.step("Ben sees her as a dot, and comes closer as she does", async () => {
    await live(bens).getByRole("button", { name: "Show on a map" }).click();
    const dot = bens.getByRole("region", { name: "Where everyone is" }).getByRole("button", { name: /Ana/ });
    await expect(dot).toBeVisible();
    await anas.context().setGeolocation({ latitude: 38.728, longitude: -9.138 });
    await expect(row(bens, "Ana")).toContainText("550 m away", { timeout: 15_000 });
  });

  await test.step("stopped, nobody sees it any more", async () => {
    await anas.getByRole("button", { name: "Stop sharing" }).click();
    await expect(bar(anas)).toHaveCount(0);
    await expect(live(bens)).not.toContainText("Ana shares");
    await expect(row(bens, "Ana")).not.toContainText("away");
  });

  await test.step("it ends by itself when she leaves the plan", async () => {
    await anas.getByRole("tab", { name: "On the day" }).click();
    await anas.getByRole("button", { name: "Share for 30 min" }).click();
    await expect(live(bens)).toContainText("Ana shares");
    await anas.getByRole("link", { name: "Plans" }).click();
    await expect(live(bens)).not.toContainText("Ana shares");
  });
});

test("who may not be located is told so, and nothing is shared", async ({ ana }) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(LUNCH);
  await page.getByRole("button", { name: "Share for 30 min" }).click();
  await expect(page.getByText("Your browser is not allowed to say where you are.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Stop sharing" })).toHaveCount(0);
});

test("the host says that the table is ready: heard at once on any tab, and kept in the chat", async ({
  ana,
  person,
}) => {
  const [{ page: anas }, { page: bens }] = await Promise.all([ana({ device: "phone" }), person("Ben")]);
  await bens.goto(`/sign-in?next=${LUNCH}`);
  await Promise.all([signIn(bens, "ben@nosh.test", LUNCH), anas.goto(`${LUNCH}?tab=chat`)]);
  await expect(anas.getByRole("textbox", { name: "Message to the table" })).toBeVisible();
  await expect(anas.getByText("not live")).toHaveCount(0);
  await expect(bens.getByRole("button", { name: "The table is ready" })).toBeVisible();
  await bens.getByRole("button", { name: "The table is ready" }).click();
  await expect(bens.getByText("Everyone was told.")).toBeVisible();
  await expect(anas.getByText("Ben says: the table is ready.").first()).toBeVisible();
  await expect(anas.getByRole("list", { name: "Messages" })).toContainText(
    "The table at Mercado Comum is ready.",
  );
  await anas.getByRole("button", { name: "All right" }).click();
  // Guests of the plan cannot say it.
  await anas.getByRole("tab", { name: "On the day" }).click();
  await expect(row(anas, "Ben")).toBeVisible();
  await expect(anas.getByRole("button", { name: "The table is ready" })).toHaveCount(0);
});
