/** The files of the Data view in a real browser: buckets, folders, previews, uploads, and what hostile files try. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const SCRIPT = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)" width="300" height="160"><rect width="300" height="160" fill="teal"/><circle cx="90" cy="80" r="60" fill="gold"/><script>alert(2)</script></svg>`;
const ANA = "00000000-0000-4000-8000-0000000000a1";
const asAna = `as=${encodeURIComponent(`user:${ANA}:ana@notes.example`)}`;

const stage = new Stage({
  "migrations/20260104000000_files.sql": `insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types) values
  ('photos', 'photos', true, null, null), ('papers', 'papers', false, 1000000, '{text/plain,image/*,text/html}');
create policy "own folder" on storage.objects for select to authenticated
  using (bucket_id = 'papers' and (storage.foldername(name))[1] = auth.uid()::text);
insert into storage.objects (bucket_id, name, metadata)
  select 'photos', 'many/' || lpad(i::text, 5, '0') || '.txt', '{"size": 0, "mimetype": "text/plain"}' from generate_series(1, 10000) i;
insert into storage.objects (bucket_id, name, metadata) values
  ('papers', E'odd/\\u202Egnp.exe', '{"size": 3}'), ('papers', 'odd/../up.txt', '{"size": "none"}'),
  ('papers', 'odd/<img src=x onerror=alert(3)>', '{}'), ('papers', 'odd/100%25', null), ('papers', 'odd/' || repeat('long ', 180), '{}');`,
});

let folder = "";
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "files-"));
  for (const name of ["one.txt", "two.txt"]) writeFileSync(join(folder, name), name);
  const { storage } = createClient(stage.project.url, stage.project.secret);
  for (const [bucket, name, body, type] of [
    ["papers", "hello.txt", "Hello <b>you</b>", "text/plain"],
    ["papers", "page.html", "<script>alert(4)</script>", "text/html"],
    ["papers", "drawing.svg", SCRIPT, "image/svg+xml"],
    ["papers", "false.png", "<script>alert(5)</script>", "image/png"],
    ["papers", `${ANA}/mine.png`, PICTURE, "image/png"],
    ["photos", "7/a.png", PICTURE, "image/png"],
  ] as const) {
    const { error } = await storage
      .from(bucket)
      .upload(name, new Blob([body], { type }), { contentType: type });
    expect(error).toBeNull();
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const at = async (path: string) => {
  await stage.page.goto(stage.console + path);
  // The frame that stands until the page has entered has an empty list, too.
  await stage.page.getByRole("grid").or(stage.page.locator(".data .empty")).waitFor();
};
/** The first cell of a row, also of one that the lens does not get. */
const cell = (text: string) =>
  stage.page
    .getByRole("gridcell", { name: new RegExp(`^(?:hidden, )?${text.replaceAll(".", "\\.")}$`) })
    .first();
const pane = () => stage.page.getByRole("region", { name: "Details" });
const names = () => stage.page.locator(".tbody .td:first-child").allInnerTexts();
const dialog = () => stage.page.getByRole("dialog");
const stored = async (path: string) => {
  const response = await fetch(`${stage.project.url}/storage/v1/object/${path}`, {
    headers: { authorization: `Bearer ${stage.project.secret}`, apikey: stage.project.secret },
  });
  return response.ok ? response.text() : response.status;
};

describe("folders", () => {
  test("are reached from the menu, and led through by mouse, keyboard and address", async () => {
    const { page } = stage;
    await page.getByRole("button", { name: "Data", exact: true }).click();
    await page.getByRole("button", { name: "Files", exact: true }).click();
    await expect.poll(names).toEqual(["papers", "photos"]);
    // The second click of a double one is on another list by then, and opens nothing there.
    await cell("photos").dblclick();
    await expect.poll(names).toEqual(["7/", "many/"]);
    expect(new URL(page.url()).pathname).toBe("/data/files/photos/");
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(names).toEqual(["a.png"]);
    expect(new URL(page.url()).pathname).toBe("/data/files/photos/7/");
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(" ");
    await pane().getByRole("img", { name: "7/a.png" }).waitFor();
    await page.keyboard.press("Escape");
    await page.reload();
    await expect.poll(names).toEqual(["a.png"]);
    await page.getByRole("navigation", { name: "Folders" }).getByRole("button", { name: "Files" }).click();
    await expect.poll(names).toEqual(["papers", "photos"]);
    await page.goBack();
    await expect.poll(names).toEqual(["a.png"]);
  });

  test("of 10,000 files have pages, and are searched by the beginning of a name", async () => {
    const { page } = stage;
    await at("/data/files/photos/many/");
    await expect.poll(async () => (await names())[0]).toBe("00001.txt");
    await page.getByRole("button", { name: "Next" }).click();
    await expect.poll(async () => (await names())[0]).toBe("00101.txt");
    await page.getByRole("searchbox").fill("0999");
    await expect.poll(names).toEqual(Array.from({ length: 10 }, (_, one) => `0999${one}.txt`));
    await page.getByRole("searchbox").fill("x");
    await page.getByText("No name begins with this.").waitFor();
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(async () => (await names())[0]).toBe("00001.txt");
  });

  test("are looked at as a user: what that user does not get is marked, and says why", async () => {
    const { page } = stage;
    await at("/data/files/papers/");
    await page.getByLabel("Look as").selectOption("as a user…");
    await page.getByRole("button", { name: "ana@notes.example" }).click();
    await page.getByText("ana@notes.example gets 1 of these").waitFor();
    await expect
      .poll(() => page.locator(".tbody .tr:not(.hidden) .td:first-child").allInnerTexts())
      .toEqual([`${ANA}/`]);
    await cell("page.html").click();
    await pane().locator(".reasons", { hasText: 'policy "own folder"' }).waitFor();
    await pane().locator(".rail li", { hasText: "Policy" }).getByText("shut").waitFor();
    await pane().getByText("not for ana@notes.example").waitFor();
    await pane().getByText("No preview: Object not found.").waitFor();
  });

  test("that are not there say so", async () => {
    await stage.page.goto(`${stage.console}/data/files/nothing/`);
    await stage.page.getByRole("alert").getByText("Bucket not found").waitFor();
    await at("/data/files/papers/none/");
    await stage.page.getByText("No files here yet.").waitFor();
  });
});

describe("a bucket", () => {
  test("is made with its readers, limit and types, and Storage's refusal stands in the form", async () => {
    const { page } = stage;
    await at("/data/files");
    await page.keyboard.press("n");
    await stage.check("make a bucket");
    const field = (name: string | RegExp) => dialog().getByLabel(name);
    await field("Name").fill("a/b");
    await page.keyboard.press("Enter");
    await dialog().getByRole("alert").getByText("Bucket name invalid").waitFor();
    await stage.check("bucket refused");
    await field("Name").fill("cards");
    await field("Who may read its files").selectOption("Everybody who has its address");
    await field(/^Largest file/).fill("5 MB");
    await field(/^Allowed types/).fill("image/*, text/plain");
    await page.keyboard.press("Enter");
    await dialog().waitFor({ state: "detached" });
    await expect.poll(names).toEqual(["cards", "papers", "photos"]);
    const row = page.locator(".tbody .tr", { hasText: "cards" });
    await expect
      .poll(() => row.locator(".td").allInnerTexts())
      .toEqual(["cards", "by everybody", "0", "0 bytes", "5 MB", "image/*, text/plain"]);
    await fetch(`${stage.project.url}/storage/v1/bucket/cards`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${stage.project.secret}`, apikey: stage.project.secret },
    });
  });
});

describe("a file", () => {
  test("is downloaded, signed for as long as is chosen, and deleted after a question", async () => {
    const { page } = stage;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await at("/data/files/papers/");
    await cell("hello.txt").click();
    await pane().getByText("Hello <b>you</b>").waitFor();
    const button = pane().getByRole("button", { name: "Download" });
    const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
    expect([file.suggestedFilename(), await text(await file.createReadStream())]).toEqual([
      "hello.txt",
      "Hello <b>you</b>",
    ]);
    await pane().getByRole("button", { name: "Signed link" }).click();
    await dialog().getByLabel("Good for").selectOption("1 week");
    await dialog().getByRole("button", { name: "Make link" }).click();
    await dialog().getByRole("button", { name: "Copy link" }).click();
    await dialog().getByText("Copied").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(await (await fetch(link)).text()).toBe("Hello <b>you</b>");
    await page.keyboard.press("Escape");
    await page.keyboard.press("d");
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await dialog().waitFor({ state: "detached" });
    await page.keyboard.press("d");
    await dialog().getByRole("button", { name: "Delete file" }).click();
    await pane().waitFor({ state: "detached" });
    await expect.poll(names).not.toContain("hello.txt");
    expect(await stored("papers/hello.txt")).toBe(400);
  });

  test("that a policy keeps is not deleted, and the question says which one", async () => {
    await at(`/data/files/papers/?${asAna}`);
    await cell("page.html").click();
    await pane().getByRole("button", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Delete file" }).click();
    await dialog()
      .getByRole("alert")
      .getByText(/Access denied\. .*polic/)
      .waitFor();
    expect(await stored("papers/page.html")).toContain("script");
  });

  test("runs nothing, whatever it says that it is, and no name leads elsewhere", async () => {
    const { page } = stage;
    const alarms: string[] = [];
    page.on("dialog", (one) => {
      alarms.push(one.message());
      void one.dismiss();
    });
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("422")) alarms.push(message.text());
    });
    await at("/data/files/papers/");
    await cell("drawing.svg").click();
    const picture = pane().getByRole("img", { name: "drawing.svg" });
    await picture.waitFor();
    expect(
      await picture.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(300);
    await cell("false.png").click();
    await pane().getByText("shows no picture of these bytes").waitFor();
    await cell("page.html").click();
    await pane().locator("pre", { hasText: "<script>alert(4)</script>" }).waitFor();
    await cell("odd/").click();
    await page.getByText("1 folder, 4 files").waitFor();
    await expect
      .poll(names)
      .toEqual([
        "../",
        "100%25",
        "<img src=x onerror=alert(3)>",
        expect.stringMatching(/^long long/),
        "\\u{202e}gnp.exe",
      ]);
    for (const name of await names())
      if (!name.endsWith("/")) {
        await page
          .locator(".tbody .tr", { hasText: name.slice(0, 20) })
          .locator(".td")
          .first()
          .click();
        await pane().locator(".rail").waitFor();
      }
    await cell("../").click();
    await expect.poll(names).toEqual(["up.txt"]);
    expect(new URL(page.url()).pathname).toBe("/data/files/papers/odd/:../");
    await page.reload();
    await expect.poll(names).toEqual(["up.txt"]);
    expect([alarms, await page.locator("iframe, object, embed, img[onerror]").count()]).toEqual([[], 0]);
  });
});

describe("an upload", () => {
  test("by the button and by a drop is of several files, and a refused one holds up no other", async () => {
    const { page } = stage;
    const files = ["one.txt", "two.txt"].map((name) => join(folder, name));
    await at("/data/files/papers/in/");
    await page.keyboard.press("n");
    await dialog().getByLabel("Files").setInputFiles(files);
    await dialog().getByRole("button", { name: "Upload 2 files" }).click();
    await dialog().waitFor({ state: "detached" });
    await expect.poll(names).toEqual(["one.txt", "two.txt"]);
    const data = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(["changed"], "one.txt", { type: "text/plain" }));
      data.items.add(new File(["zero"], "0.txt", { type: "text/plain" }));
      return data;
    });
    await page.dispatchEvent("main", "drop", { dataTransfer: data });
    await dialog().getByRole("button", { name: "Upload 2 files" }).click();
    await dialog().getByRole("alert").getByText("one.txt: The resource already exists").waitFor();
    await dialog().getByLabel("Where a file has the name").selectOption("Replace it");
    await dialog().getByRole("button", { name: "Upload file" }).click();
    await dialog().waitFor({ state: "detached" });
    await expect.poll(names).toEqual(["0.txt", "one.txt", "two.txt"]);
    expect([await stored("papers/in/0.txt"), await stored("papers/in/one.txt")]).toEqual(["zero", "changed"]);
  });

  test("by a drop of whole folders keeps their paths, and names what Storage has no place for", async () => {
    const { page } = stage;
    const dropped = join(folder, "trip");
    for (const name of ["day 1/inner", "empty"]) mkdirSync(join(dropped, name), { recursive: true });
    for (const name of ["a.txt", "day 1/inner/b.txt"]) writeFileSync(join(dropped, name), name);
    for (let at = 0; at < 120; at += 1) writeFileSync(join(dropped, "day 1", `${at}.txt`), `${at}`);
    writeFileSync(join(dropped, "day 1", "50.txt"), Buffer.alloc(1_000_001));
    await at("/data/files/papers/drop/");
    const session = await stage.context.newCDPSession(page);
    const data = { items: [], files: [dropped], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await session.send("Input.dispatchDragEvent", { type, x: 500, y: 400, data });
    await dialog().getByText("nothing is made for trip/empty.").waitFor();
    // The browser says "No file chosen" beside it, which is so of other ones only.
    await dialog().getByLabel("Other files instead").waitFor();
    await dialog().getByRole("button", { name: "Upload 122 files" }).click();
    await dialog().getByRole("alert").getByText("trip/day 1/50.txt: The object exceeded").waitFor();
    await stage.check("upload of a folder");
    await page.keyboard.press("Escape");
    expect(await stored("papers/drop/trip/day 1/inner/b.txt")).toBe("day 1/inner/b.txt");
    await at("/data/files/papers/drop/trip/");
    await expect.poll(names).toEqual(["day 1/", "a.txt"]);
  });

  test("as a user is refused with its reason", async () => {
    await at(`/data/files/papers/in/?${asAna}`);
    await stage.page.keyboard.press("n");
    await dialog().getByLabel("Files").setInputFiles(join(folder, "one.txt"));
    await dialog().getByRole("button", { name: "Upload file" }).click();
    await dialog()
      .getByRole("alert")
      .getByText(/row-level security policy\. .*INSERT/s)
      .waitFor();
  });
});

test("axe finds nothing in any state, at 1280 and 390 px, light and dark, and nothing is wider than the window", async () => {
  const { page } = stage;
  await at("/data/files");
  await cell("papers").waitFor();
  await stage.check("buckets");
  await at(`/data/files/papers/?${asAna}`);
  await cell("drawing.svg").waitFor();
  await stage.check("folder");
  await cell("page.html").click();
  await pane().locator(".rail").waitFor();
  await stage.check("file hidden");
  await at("/data/files/papers/");
  await cell("drawing.svg").click();
  await pane().getByRole("img").waitFor();
  await pane().locator(".rail").waitFor();
  await stage.check("file drawing");
  await page.goto(`${stage.console}/data/files/papers/${ANA}/?${asAna}`);
  await cell("mine.png").click();
  await pane().getByRole("img").waitFor();
  await pane().locator(".rail").waitFor();
  await stage.check("file picture");
  await pane().getByRole("button", { name: "Signed link" }).click();
  await dialog().getByRole("button", { name: "Make link" }).click();
  await dialog().getByRole("button", { name: "Copy link" }).waitFor();
  await stage.check("sign");
  await page.keyboard.press("Escape");
  await pane().getByRole("button", { name: "Delete" }).click();
  await stage.check("delete");
  await page.keyboard.press("Escape");
  await at("/data/files/papers/odd/");
  await page.locator(".tbody .tr", { hasText: "long" }).locator(".td").first().click();
  await pane().locator(".rail").waitFor();
  await stage.check("file odd");
  await at("/data/files/papers/none/");
  await stage.check("folder empty");
  await page.keyboard.press("n");
  await dialog()
    .getByLabel("Files")
    .setInputFiles([join(folder, "one.txt"), join(folder, "two.txt")]);
  await stage.check("upload");
  await page.keyboard.press("Escape");
  await page.goto(`${stage.console}/data/files/nothing/`);
  await page.getByRole("alert").waitFor();
  await stage.check("no bucket");
  await at("/data/files?as=role:nobody");
  await page.getByText('nobody gets none: role "nobody" does not exist.').waitFor();
  await expect.poll(() => page.getByLabel("Look as").inputValue()).toBe("role:nobody");
  await stage.check("files refused");
});
