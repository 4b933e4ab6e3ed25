/** A plan's album: full-screen view, captions, and files that cannot become a photo. */
import { expect, test } from "../fixtures.ts";
import { draw } from "../pictures.ts";

const DUMPLINGS = "/plans/00000000-0000-4000-8000-0000000000b5?tab=photos";

test("a tap opens a photo, arrows and swipes move between photos, Escape returns the focus", async ({
  ana,
}) => {
  const { page } = await ana({ device: "phone" });
  await page.goto(DUMPLINGS);
  const first = page.getByRole("button", { name: "Open: All of us, from above." });
  await first.tap();
  const viewer = page.getByRole("dialog", { name: "Photo viewer" });
  await expect(viewer.getByText("1 of 3")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(viewer.getByText("2 of 3")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(viewer.getByText("3 of 3")).toBeVisible();
  await expect(viewer.getByRole("button", { name: "Next photo" })).toHaveCount(0);

  const swipe = async (from: number, to: number) => {
    for (const [type, x] of [
      ["touchstart", from],
      ["touchend", to],
    ] as const) {
      await viewer.getByRole("img").evaluate(
        (element, [event, at]) => {
          const touch = new Touch({ identifier: 1, target: element, clientX: at, clientY: 300 });
          const touches = event === "touchstart" ? [touch] : [];
          element.dispatchEvent(
            new TouchEvent(event, { bubbles: true, cancelable: true, touches, changedTouches: [touch] }),
          );
        },
        [type, x] as const,
      );
    }
  };
  await swipe(100, 300);
  await expect(viewer.getByText("2 of 3")).toBeVisible();
  await swipe(200, 180);
  await expect(viewer.getByText("2 of 3")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(viewer).toHaveCount(0);
  await expect(first).toBeFocused();
});

test("one's own photo gets another caption; removing one asks for confirmation", async ({ ana, stack }) => {
  const { page } = await ana();
  await page.goto(DUMPLINGS);
  await page.getByRole("button", { name: "Open: The first twelve of sixty." }).click();
  const viewer = page.getByRole("dialog", { name: "Photo viewer" });
  await viewer.getByRole("button", { name: "Edit caption" }).click();
  await viewer.getByRole("textbox", { name: "Caption" }).fill("Twelve down, forty-eight to go.");
  await viewer.getByRole("button", { name: "Save" }).click();
  await expect(viewer.getByText("Twelve down, forty-eight to go.")).toBeVisible();
  await viewer.getByRole("button", { name: "Remove" }).click();
  await expect(viewer.getByText("Remove this photo for everyone?")).toBeVisible();
  await viewer.getByRole("button", { name: "Cancel", exact: true }).click();
  await viewer.getByRole("button", { name: "Remove" }).click();
  await viewer.getByRole("button", { name: "Remove for everyone" }).click();
  // The next photo takes its place.
  await expect(viewer.getByText("Twelve down, forty-eight to go.")).toHaveCount(0);
  await expect(viewer.getByText("2 of 2")).toBeVisible();
  await viewer.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("button", { name: /Twelve down/ })).toHaveCount(0);
  expect(
    await stack.backend.sql("select 1 from public.photos where caption like 'Twelve down%'"),
  ).toHaveLength(0);
});

test("a file that is not a picture is refused before the upload, and the others are kept", async ({
  ana,
}) => {
  const { page } = await ana();
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/storage/v1/object/plan-photos") && request.method() === "POST")
      sent.push(request.url());
  });
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b3?tab=photos");
  const picked = page.waitForEvent("filechooser");
  await page.getByRole("tabpanel").getByRole("button", { name: "Add photos" }).click();
  await (await picked).setFiles([
    { name: "menu.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") },
    { name: "broken.png", mimeType: "image/png", buffer: Buffer.from("not a png") },
  ]);
  await expect(page.getByRole("alert")).toContainText("We can't show this kind of file.");
  await page.getByRole("button", { name: "Share photo" }).click();
  await expect(page.getByText("We can't read that photo.")).toBeVisible();
  expect(sent).toEqual([]);
});

test("a photo is sent in the chat, and opens from there", async ({ ana }) => {
  const { page } = await ana();
  await page.goto("/plans/00000000-0000-4000-8000-0000000000b2");
  const chat = page.getByRole("region", { name: "Chat" });
  const picked = page.waitForEvent("filechooser");
  await chat.getByRole("button", { name: "Add a photo" }).click();
  await (await picked).setFiles(await draw(page, "soup.png"));
  await chat.getByRole("button", { name: "Send", exact: true }).click();
  await chat.getByRole("button", { name: "Open the photo by You" }).click();
  await expect(page.getByRole("dialog", { name: "Photo viewer" }).getByRole("img")).toBeVisible();
});
