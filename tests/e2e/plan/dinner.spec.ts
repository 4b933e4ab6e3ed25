/** One dinner, two people, two browsers: Ana at her desk, Bo on his phone with nothing but a link. */
import type { Page } from "@playwright/test";
import { expect, signIn, test } from "../fixtures.ts";

const CIRCLE = "Two and a table";
const TITLE = "A table for two";
/** In the EXIF data of the picture that Bo selects, where a phone writes the position. */
const SECRET = "38.7169N 9.1399W";

/** The rows of options on the open tab; each has the person's own answer. */
const options = (page: Page) =>
  page
    .getByRole("tabpanel")
    .getByRole("listitem")
    .filter({ has: page.getByRole("radiogroup") });
/** "2 yes" of a row, as the heat shows it. */
const heat = (page: Page, row: number) =>
  options(page)
    .nth(row)
    .getByRole("list", { name: /^Answers from/ })
    .getByRole("listitem");
const answer = (page: Page, row: number, word: string) =>
  options(page).nth(row).getByRole("radio", { name: word, exact: true }).click();
const openTab = (page: Page, name: string) => page.getByRole("tab", { name, exact: true }).click();

/** A JPEG as from a phone: a picture, and an EXIF segment with its position. */
async function photoOfPhone(page: Page): Promise<Buffer> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 640;
    canvas.height = 480;
    const context = canvas.getContext("2d");
    if (context) {
      context.fillStyle = "seagreen";
      context.fillRect(0, 0, 640, 480);
    }
    return canvas.toDataURL("image/jpeg");
  });
  const jpeg = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
  const exif = Buffer.concat([Buffer.from("Exif\0\0"), Buffer.from(SECRET)]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(exif.length + 2);
  return Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff, 0xe1]), length, exif, jpeg.subarray(2)]);
}

// React warns of mistakes here.
test.use({ mode: "development" });

test("from a new circle to a rated dinner of two people", async ({ person, stack }) => {
  test.setTimeout(90_000);
  const [{ page: ana }, { page: bo }] = await Promise.all([
    person("Ana", { reducedMotion: "no-preference" }),
    person("Bo", { reducedMotion: "no-preference", device: "phone" }),
  ]);

  await test.step("Ana signs in and opens a circle", async () => {
    await ana.goto("/sign-in");
    await signIn(ana, "ana@nosh.test");
    await ana.getByRole("link", { name: "Circles" }).click();
    await ana.getByRole("button", { name: "Start a circle" }).click();
    await ana.getByRole("textbox", { name: "Name" }).fill(CIRCLE);
    await ana.getByRole("button", { name: "Start circle" }).click();
    await expect(ana.getByRole("heading", { level: 1, name: CIRCLE })).toBeVisible();
  });

  await test.step("she makes a plan with two evenings and two places", async () => {
    await ana.getByRole("link", { name: "Start a plan" }).click();
    await ana.getByRole("textbox", { name: "Plan name" }).fill(TITLE);
    await ana.getByRole("button", { name: "Where", exact: true }).click();
    for (const name of ["Momo Sete", "Arroz Doce"]) {
      await ana.getByRole("searchbox", { name: "Find or add a place" }).fill(name);
      await ana.getByText(name, { exact: true }).click();
      await expect(ana.getByRole("checkbox", { name })).toBeChecked();
    }
    await ana.getByRole("button", { name: "Create plan" }).click();
    await expect(ana.getByRole("heading", { level: 1, name: TITLE })).toBeVisible();
    await expect(options(ana)).toHaveCount(2);
  });

  const link = await test.step("she takes the link that was made with the plan", async () => {
    await ana.getByRole("button", { name: "Invite" }).click();
    const address = await ana
      .getByRole("region", { name: "By link" })
      .getByRole("textbox", { name: "Invite link" })
      .inputValue();
    expect(address).toMatch(new RegExp(`^${stack.app}/join/.{20,}$`));
    await ana.getByRole("button", { name: "Close" }).click();
    return address;
  });

  await test.step("Bo joins by the link with a name only, and Ana sees him come", async () => {
    await bo.goto(link);
    await expect(bo.getByRole("heading", { level: 1, name: TITLE })).toBeVisible();
    await bo.getByRole("textbox", { name: "Your name" }).fill("Bo");
    await bo.getByRole("button", { name: "Take a seat" }).click();
    await bo.waitForURL(/\/plans\//);
    await expect(options(bo)).toHaveCount(2);
    await expect(ana.getByRole("listitem").filter({ hasText: "Bo" }).first()).toBeVisible();
    await expect(ana.getByText("online")).toBeAttached();
  });

  await test.step("both vote on the evenings, each seen live by the other", async () => {
    await answer(ana, 0, "Yes");
    await expect(heat(bo, 0).first()).toHaveText("1 yes");
    await answer(bo, 0, "Yes");
    await expect(heat(ana, 0).first()).toHaveText("2 yes");
    await answer(bo, 1, "No");
    await expect(heat(ana, 1).nth(2)).toHaveText("1 no");
    // Pressing again withdraws the answer, and no answer is not a no.
    await answer(bo, 1, "No");
    await expect(heat(ana, 1).nth(2)).toHaveText("0 no");
    await expect(heat(ana, 1).nth(3)).toHaveText("waiting for 2");
  });

  await test.step("and on the places", async () => {
    await Promise.all([openTab(ana, "Where"), openTab(bo, "Where")]);
    await answer(ana, 1, "Yes");
    await expect(heat(bo, 1).first()).toHaveText("1 yes");
    await answer(bo, 1, "Yes");
    await expect(heat(ana, 1).first()).toHaveText("2 yes");
    await answer(bo, 0, "If need be");
    await expect(heat(ana, 0).nth(1)).toHaveText("1 if need be");
  });

  await test.step("the best pair is what both said yes to; suggestions say why", async () => {
    await Promise.all([openTab(ana, "Best"), openTab(bo, "Best")]);
    for (const page of [ana, bo]) {
      const best = page.getByRole("article", { name: "Best match" });
      await expect(best.getByRole("heading", { name: "Momo Sete" })).toBeVisible();
      await expect(best.getByText(/19:30/).first()).toBeVisible();
    }
    const further = ana.getByRole("region", { name: "Suggestions" });
    await expect(further.getByRole("listitem")).toHaveCount(3);
    // Only the host confirms.
    await expect(bo.getByRole("button", { name: "Choose this" })).toHaveCount(0);
  });

  await test.step("Ana confirms, and Bo's page has the ticket by itself", async () => {
    await ana.getByRole("button", { name: "Choose this" }).click();
    for (const page of [ana, bo]) {
      const ticket = page.getByRole("article", { name: "Ticket" });
      await expect(ticket.getByRole("heading", { name: "Momo Sete" })).toBeVisible();
    }
  });

  await test.step("Bo is expected by his vote; what he says now wins, and Ana sees it", async () => {
    await expect(ana.getByRole("article", { name: "Ticket" })).toContainText("2 people are coming");
    await expect(bo.getByRole("radio", { name: "I'm coming" })).toBeChecked();
    await bo.getByRole("radio", { name: "Maybe" }).click();
    await expect(ana.getByRole("article", { name: "Ticket" })).toContainText("1 person is coming");
    await bo.getByRole("radio", { name: "I'm coming" }).click();
    await expect(ana.getByRole("article", { name: "Ticket" })).toContainText("2 people are coming");
  });

  await test.step("they chat, live both ways", async () => {
    await openTab(bo, "Chat");
    const say = async (page: Page, text: string) => {
      await page.getByRole("textbox", { name: "Message to everyone" }).fill(text);
      await page.getByRole("button", { name: "Send", exact: true }).click();
    };
    const messages = (page: Page) => page.getByRole("list", { name: "Messages" }).getByRole("listitem");
    await say(ana, "See you there?");
    await expect(messages(bo).last()).toContainText("See you there?");
    await say(bo, "I bring the hunger 🍜");
    await expect(messages(ana).last()).toContainText("I bring the hunger 🍜");
    await expect(messages(ana)).toHaveCount(2);
  });

  await test.step("Bo shares a photo, Ana sees it, and where it was taken is gone", async () => {
    await Promise.all([openTab(ana, "Photos"), openTab(bo, "Photos")]);
    const picked = bo.waitForEvent("filechooser");
    await bo.getByRole("tabpanel").getByRole("button", { name: "Add photos" }).click();
    const photo = await photoOfPhone(bo);
    expect(photo.includes(SECRET)).toBe(true);
    await (await picked).setFiles({ name: "IMG_0001.jpg", mimeType: "image/jpeg", buffer: photo });
    await bo.getByRole("textbox", { name: "Caption" }).fill("The menu is green");
    await bo.getByRole("button", { name: "Share photo" }).click();
    const picture = ana.getByRole("button", { name: /The menu is green/ }).locator("img");
    await expect(picture).toBeVisible();
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(640);
    const source = await picture.getAttribute("src");
    const stored = Buffer.from(await (await fetch(source ?? "")).arrayBuffer());
    expect(stored.length).toBeGreaterThan(100);
    expect(stored.includes(SECRET)).toBe(false);
  });
});
