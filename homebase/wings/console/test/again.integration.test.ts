/** Sending a request again, as whom and whereto, and making a test of it, in a real browser. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stage = new Stage({
  "migrations/20260105000000_papers.sql": `insert into storage.buckets (id, name) values ('papers', 'papers');
create policy own on storage.objects for insert to authenticated
  with check (bucket_id = 'papers' and (storage.foldername(name))[1] = 'open');`,
});
const { call, row, label } = stage;

const dialog = () => stage.page.getByRole("dialog");
const sendIt = () => dialog().getByRole("button", { name: "Send request" }).click();

/** Opens the form of a row's request. */
async function form(text: string): Promise<void> {
  await row(text).last().click();
  await stage.page.getByRole("button", { name: "Send again as…" }).waitFor();
  await stage.page.keyboard.press("r");
  await dialog().getByLabel("Path").waitFor();
}

describe("a request is sent again", () => {
  test("as the same person, and the new row is selected, with its answer", async () => {
    await call("/rest/v1/notes?select=title&id=eq.2");
    await form("id=eq.2");
    await expect.poll(() => dialog().getByLabel("As").inputValue()).toBe("same");
    await sendIt();
    await dialog().waitFor({ state: "detached" });
    await stage.page.locator(".pane details", { hasText: "Answer" }).getByText("[]").waitFor();
    // One row where less than a second lies between the two, and otherwise two.
    const both = async () =>
      (await label("id=eq.2"))?.endsWith("2 times") ? 2 : await row("id=eq.2").count();
    await expect.poll(both).toBe(2);
    await expect.poll(() => label("id=eq.2")).toMatch(/^GET notes, eve@…, 200, empty(, 2 times)?$/);
  });

  test("as another user, who is chosen by address and sees other rows", async () => {
    await call("/rest/v1/notes?select=title&id=eq.1");
    await form("id=eq.1");
    await dialog().getByLabel("As").selectOption("user");
    await expect.poll(() => dialog().locator("datalist option").count()).toBeGreaterThanOrEqual(3);
    await dialog().getByLabel("Email").fill("ana@notes.example");
    await sendIt();
    await stage.page.locator(".pane pre", { hasText: '"title": "Menu"' }).waitFor();
    // The answer is of the call that has sent it, and the row comes by the feed.
    await expect.poll(() => label("ana@…")).toBe("GET notes, ana@…, 200, 1 row");
  });

  test("as nobody, whom the grant stops", async () => {
    await call("/rest/v1/notes?select=title&id=eq.3");
    await form("id=eq.3");
    await dialog().getByLabel("As").selectOption("nobody");
    await sendIt();
    await row("anon").waitFor();
    await expect.poll(() => label("anon")).toBe("GET notes, anon, 401, stopped at grant");
  });

  test("with a body that was changed, which a form of a write has from the record", async () => {
    await call("/rest/v1/audit", "POST", { id: 41, what: "before" });
    await form("POST");
    const body = dialog().getByRole("textbox", { name: "Body" });
    await expect.poll(async () => JSON.parse(await body.inputValue())).toEqual({ id: 41, what: "before" });
    await body.fill('{"id": 42, "what": "after"}');
    await sendIt();
    await dialog().waitFor({ state: "detached" });
    const rows = await stage.project.rest("audit?id=in.(41,42)&order=id");
    expect(await rows.json()).toEqual([
      { id: 41, what: "before" },
      { id: 42, what: "after" },
    ]);
  });

  test("says at its place what is wrong, and keeps what was typed", async () => {
    await call("/rest/v1/notes?select=title&id=eq.4");
    await form("id=eq.4");
    await dialog().getByLabel("As").selectOption("user");
    await dialog().getByLabel("Email").fill("nobody@example.com");
    await sendIt();
    await dialog().getByRole("alert").getByText("No user of auth.users has the email").waitFor();
    expect(await dialog().getByLabel("Email").inputValue()).toBe("nobody@example.com");
  });

  test("as an upload only with what is stored instead, as the stack has not kept the file", async () => {
    const upload = "/storage/v1/object/papers/open/kept.txt";
    expect((await call(upload, "POST", { kept: true })).status).toBe(200);
    await form("open/kept.txt");
    await dialog().getByLabel("As").selectOption("secret");
    await dialog().getByLabel("Headers, one a line").fill("x-upsert: true");
    await sendIt();
    const body = dialog().getByRole("textbox", { name: "Body" });
    expect(await body.evaluate((field: HTMLTextAreaElement) => field.validity.valueMissing)).toBe(true);
    await body.fill("other");
    await sendIt();
    await dialog().waitFor({ state: "detached" });
    const headers = { apikey: stage.project.secret, authorization: `Bearer ${stage.project.secret}` };
    const stored = await fetch(stage.project.url + upload, { headers });
    expect(await stored.text()).toBe("other");
  });

  test("never to a path that leads out of the app's services", async () => {
    await call("/rest/v1/notes?select=title&id=eq.5");
    await form("id=eq.5");
    await dialog().getByLabel("As").selectOption("secret");
    for (const path of [
      "/pg/tables",
      "/mcp",
      "/rest/v1/../../pg/tables",
      "//example.com/rest/v1/x",
      "http://example.com/",
    ]) {
      await dialog().getByLabel("Path").fill(path);
      const refused = stage.page.waitForResponse((response) => response.url().endsWith("/api/send"));
      await sendIt();
      expect([path, (await refused).status()]).toEqual([path, 400]);
      await dialog()
        .getByRole("alert")
        .getByText(/^The path/)
        .waitFor();
    }
  });

  test("with no token in the page: neither in what it sends nor in what it gets", async () => {
    const texts: string[] = [];
    stage.page.on("request", (request) => texts.push(request.postData() ?? ""));
    stage.page.on(
      "response",
      (response) =>
        void response.text().then(
          (text) => texts.push(text),
          () => {},
        ),
    );
    await call("/rest/v1/notes?select=title&id=eq.6");
    await form("id=eq.6");
    await dialog().getByLabel("As").selectOption("secret");
    await sendIt();
    await dialog().waitFor({ state: "detached" });
    expect(texts.some((text) => text.includes("id=eq.6"))).toBe(true);
    expect(
      texts.filter((text) => text.includes(stage.project.secret) || /eyJ[\w-]+\.eyJ/.test(text)),
    ).toEqual([]);
  });
});

test("a request becomes a test, which is shown with whether it passes and saved once", async () => {
  await call("/rest/v1/notes?select=title&id=eq.2");
  await row("id=eq.2").last().click();
  await stage.page.getByRole("button", { name: "Make a test" }).waitFor();
  await stage.page.keyboard.press("t");
  await dialog().getByText("It passes in a new database:").waitFor({ timeout: 120_000 });
  expect(await dialog().locator("pre").innerText()).toContain("select plan(");
  const button = dialog().getByRole("button", { name: "Save as" });
  const file = join(stage.project.folder, (await button.innerText()).replace("Save as ", ""));
  expect([file, existsSync(file)]).toEqual([expect.stringMatching(/supabase\/tests\/\w+_test\.sql$/), false]);
  const text = await dialog().locator("pre").innerText();
  await button.click();
  await dialog().getByText("Saved as").waitFor();
  expect(readFileSync(file, "utf8").trim()).toBe(text.trim());
  await dialog().getByRole("button", { name: "Close" }).click();
  await stage.page.keyboard.press("t");
  await dialog().getByText("is there already, and stays as it is").waitFor({ timeout: 120_000 });
  expect(await dialog().getByRole("button", { name: "Save as" }).count()).toBe(0);
});

test.each([
  ["open/a.txt", "allowed", 200],
  ["closed/a.txt", "refused", 400],
])(
  "an upload of %s becomes a test that says it is %s; listing a bucket becomes none",
  async (name, outcome, status) => {
    expect((await call(`/storage/v1/object/papers/${name}`, "POST", { a: 1 })).status).toBe(status);
    await row(`storage/object/papers/${name}`).last().click();
    await stage.page.getByRole("button", { name: "Make a test" }).waitFor();
    await stage.page.keyboard.press("t");
    await dialog()
      .getByText(`It passes in a new database: authenticated's upload into papers is ${outcome}.`)
      .waitFor({ timeout: 120_000 });
    await dialog().getByRole("button", { name: "Close" }).click();
    await call("/storage/v1/object/list/papers", "POST", { prefix: "" });
    await row("storage/object/list/papers").last().click();
    await stage.page.getByRole("button", { name: "Send again as…" }).waitFor();
    expect(await stage.page.getByRole("button", { name: "Make a test" }).count()).toBe(0);
  },
);
