/** The feed in a real browser: what it shows of requests, by mouse, keyboard and screen reader. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { buildPage } from "../build.ts";
import { linkOf, Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stage = new Stage();
const { project, call, row, label } = stage;
let { page, context, browser } = {} as Pick<Stage, "page" | "context" | "browser">;
beforeEach(() => {
  ({ page, context, browser } = stage);
});

test("a request is a row with who asked, its answer and where it stopped", async () => {
  await call("/rest/v1/notes?select=id");
  await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
  await expect.poll(() => row("notes").count()).toBe(2);
  await expect.poll(() => label("select=id")).toBe("GET notes, eve@…, 200, empty");
  await expect.poll(() => label("POST")).toBe("POST notes, eve@…, 403, stopped at policy");
});

test("a page that opens counts the requests of the last minute, too", async () => {
  await call("/rest/v1/notes?select=id");
  await page.reload();
  await page.getByText(/^[1-9]\d* a minute$/).waitFor();
});

test("what a function asked for stands beneath its call", async () => {
  await call("/functions/v1/hello");
  const rows = () =>
    page
      .locator(".row")
      .evaluateAll((all) => all.map((one) => [one.className, one.getAttribute("aria-label")]));
  await expect.poll(rows).toEqual([
    ["row open", "GET functions/hello, eve@…, 200"],
    ["row open child last", "GET notes, secret, 200, 4 rows"],
  ]);
  await row("functions/hello").click();
  await page.locator(".caused", { hasText: "GET notes 200 4 rows" }).waitFor();
});

test("repeats are one row, which enter unfolds", async () => {
  for (const id of [1, 2, 3]) await call(`/rest/v1/teams?id=eq.${id}`);
  await row("×3").waitFor();
  await row("×3").click();
  await page.keyboard.press("Enter");
  await expect.poll(() => row("teams").count()).toBe(3);
});

describe("the details", () => {
  const policy = () => page.locator(".rail li", { hasText: "Policy" }).innerText();

  test("of an empty answer say by themselves what the policies hid", async () => {
    await call("/rest/v1/notes?done=is.false");
    await row("done=is.false").click();
    await page
      .getByText(/Hidden \(2 rows/)
      .first()
      .waitFor();
    await expect.poll(policy).toMatch(/members read notes\s+2 hidden/);
  });

  test("of a refused one never contradict its record", async () => {
    await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
    await row("POST").click();
    await page.locator(".reasons", { hasText: "no policy that lets authenticated INSERT" }).waitFor();
    await expect.poll(policy).toMatch(/shut$/);
    await page.locator(".pane summary", { hasText: "Answer" }).click();
    await page.locator(".pane pre", { hasText: '"code": "42501"' }).waitFor();
  });

  test("of one that was let in ask the policies only when the reader does", async () => {
    await call("/rest/v1/audit", "POST", { id: Math.floor(Math.random() * 1e9), what: "x" });
    await row("audit").click();
    await page.locator(".rail").waitFor();
    expect(await page.locator(".reasons").count()).toBe(0);
    await page.keyboard.press("y");
    await page.locator(".reasons p:not(.note)").first().waitFor();
  });

  test("copy a command that runs in a shell", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await call("/rest/v1/tags?label=eq.it's");
    await row("tags").click();
    await page.getByRole("button", { name: "Copy as curl" }).waitFor();
    await page.keyboard.press("c");
    await page.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      `curl '${project.url}/rest/v1/tags?label=eq.it%27s' -H 'apikey: ${project.key}' -H "authorization: Bearer $TOKEN"`,
    );
  });
});

test("a filter finds its rows among all, says how many others there are, and stays in the address", async () => {
  await call("/rest/v1/notes?done=is.true");
  await call("/rest/v1/nothing", "GET", undefined, "");
  await row("nothing").last().waitFor();
  const shown = () => page.locator(".row .path").allInnerTexts();
  await page.getByRole("searchbox").fill("user:eve table:notes is:empty done=is.true");
  await expect.poll(shown).toEqual(["notes?done=is.true"]);
  await page.reload();
  await expect
    .poll(() => page.getByRole("searchbox").inputValue())
    .toBe("user:eve table:notes is:empty done=is.true");
  await expect.poll(shown).toEqual(["notes?done=is.true"]);
  await page.getByRole("searchbox").fill("is:empty service:auth");
  await page.getByText(/^No row matches\. Without the filter there are \d+ rows\.$/).waitFor();
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await row("nothing").last().waitFor();
});

test("what is cleared while a filter's rows are still to come is cleared when they come", async () => {
  await call("/rest/v1/notes?done=is.true");
  await call("/rest/v1/nothing", "GET", undefined, "");
  await page.getByRole("button", { name: "Failed 1" }).waitFor();
  let answer = () => {};
  const asked = new Promise<void>((resolve) => {
    void page.route("**/api/feed", async (route) => {
      resolve();
      await new Promise<void>((go) => {
        answer = go;
      });
      await route.continue();
    });
  });
  await page.getByRole("button", { name: "Empty 1" }).click();
  await asked;
  await page.keyboard.press("x");
  answer();
  await page.getByText(/^Cleared\./).waitFor();
  await page.getByRole("button", { name: "Failed", exact: true }).waitFor();
  await page.unroute("**/api/feed");
});

test("saved filters count what failed and what was empty since the feed was cleared", async () => {
  await call("/rest/v1/notes?done=is.true");
  await call("/rest/v1/nothing", "GET", undefined, "");
  await page.getByRole("button", { name: "Failed 1" }).waitFor();
  await page.getByRole("button", { name: "Empty 1" }).click();
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("is:empty");
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Failed", exact: true }).waitFor();
});

describe("Find", () => {
  test("leads to a table's rows by the keyboard alone", async () => {
    await call("/rest/v1/comments?id=eq.7");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: "comments" }).waitFor();
    await page.keyboard.type("comm");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("table:comments");
    await row("id=eq.7").last().waitFor();
  });

  test("gives the focus to the view that it leads to", async () => {
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    for (const [name, heading] of [
      ["users", "Users"],
      ["policies", "Policies"],
      ["new text", "SQL"],
      ["files", "Files"],
      ["public.comments", "comments"],
      ["failed", "Feed"],
    ] as const) {
      await page.keyboard.press("Control+k");
      await page.getByRole("option", { name }).first().waitFor();
      await page.keyboard.type(name);
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe(heading);
    }
  });

  test("leads to a request by its id, and runs commands", async () => {
    await call("/rest/v1/comments?id=eq.8");
    await row("id=eq.8").last().click();
    const id = await page.locator(".pane .note code").innerText();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.keyboard.type(id);
    await page.keyboard.press("Enter");
    await page.locator(".pane", { hasText: id }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("pause");
    await page.keyboard.press("Enter");
    await page.getByText("Paused").waitFor();
  });
});

test("by keyboard alone: j and k choose, escape closes, a typed letter is text in the filter", async () => {
  await call("/rest/v1/tags?id=eq.1", "GET", undefined, "");
  await call("/rest/v1/notes?id=eq.1");
  await row("notes").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  const chosen = () => page.locator(".row.selected .path").innerText();
  await expect.poll(chosen).toContain("notes");
  await page.keyboard.press("k");
  await expect.poll(chosen).toContain("tags");
  await page.keyboard.press("Escape");
  await page.locator(".pane").waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await page.keyboard.type("jk");
  await expect.poll(() => page.getByRole("searchbox").inputValue()).toBe("jk");
});

test("single keys can be turned off", async () => {
  await page.keyboard.press("?");
  await page.getByLabel("Use single keys").uncheck();
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("p");
  expect(await page.getByText("Paused").count()).toBe(0);
});

test("while it is paused rows wait, and are counted", async () => {
  await page.keyboard.press("p");
  await call("/rest/v1/tags");
  await page.getByRole("button", { name: "Resume, 1 new" }).click();
  await row("tags").waitFor();
});

test("preflights are not rows, and are counted", async () => {
  await fetch(`${project.url}/rest/v1/tags`, {
    method: "OPTIONS",
    headers: { origin: "http://127.0.0.1:3000", "access-control-request-method": "GET" },
  });
  await page.getByText(/preflights? or probes? hidden|preflight or probe hidden/).waitFor();
  // On a phone the line beneath the list takes two lines, so that none of its counts is cut off.
  await page.setViewportSize({ width: 320, height: 640 });
  const cutOff = () =>
    page
      .locator(".foot")
      .evaluate((foot) => [foot.scrollWidth - foot.clientWidth, foot.scrollHeight - foot.clientHeight]);
  await expect.poll(cutOff).toEqual([0, 0]);
  await page.setViewportSize({ width: 1280, height: 720 });
});

test("more than a tick shows are left out by their exact number, and failures are shown first", async () => {
  await page.getByText(/^\d+ rows?$/).waitFor();
  const before = await page.evaluate(() => document.querySelector(".foot")?.textContent ?? "");
  expect(before).not.toContain("left out");
  const every = Array.from({ length: 700 }, (_, at) =>
    call(at === 3 ? "/rest/v1/nothing" : `/auth/v1/settings?n=${at}`, "GET", undefined, ""),
  );
  await Promise.all(every);
  await expect
    .poll(async () => {
      const text = (await page.locator(".foot").innerText()).replaceAll(",", "");
      const shown = Number(/(\d+) rows?/.exec(text)?.[1] ?? 0);
      return shown + Number(/(\d+) left out/.exec(text)?.[1] ?? 0);
    })
    .toBe(700);
  await row("nothing").first().waitFor();
});

test("rows stay when the stack stops, and a new link wakes the tab after the next start", async () => {
  await call("/rest/v1/tags");
  await row("tags").waitFor();
  await project.stop();
  await page.getByText(/Stopped at .* Rows stay/).waitFor();
  await project.start();
  await page.getByText(/was started again/).waitFor();
  await expect.poll(() => row("tags").count()).toBe(1);
  await stage.opened(context);
  await page.getByText("Live", { exact: true }).waitFor();
});

test("other views say that the stack has stopped, and ask again by themselves once it can be entered", async () => {
  await page.goto(`${stage.console}/data/public.tags`);
  const grid = page.getByRole("grid");
  await grid.waitFor();
  await project.stop();
  await page
    .getByRole("alert")
    .getByText(/Stopped at .* at port \d+/)
    .waitFor();
  await stage.check("stopped in another view");
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("The stack does not answer.").waitFor();
  await project.start();
  await page
    .getByRole("alert")
    .getByText(/was started again/)
    .waitFor();
  await stage.opened(context);
  await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  await grid.waitFor();
});

test("a link that is opened in the tab itself lets it in, and its rows stay", async () => {
  await call("/rest/v1/tags?select=id");
  await row("select=id").waitFor();
  await project.stop();
  await project.start();
  await page.getByText(/was started again/).waitFor();
  await page.evaluate((link) => location.assign(link), await linkOf(project));
  await page.getByText("Live", { exact: true }).waitFor();
  await expect
    .poll(async () => [page.url(), await row("select=id").count()])
    .toEqual([`${stage.console}/`, 1]);
});

test("a link that was used before leaves a page that is in as it is", async () => {
  const used = await linkOf(project);
  const open = async () => {
    const answered = page.waitForResponse((response) => response.url().endsWith("/enter"));
    await page.evaluate((link) => location.assign(link), used);
    return (await answered).status();
  };
  expect([await open(), await open(), new URL(page.url()).hash]).toEqual([200, 401, ""]);
  await call("/rest/v1/tags?select=label");
  await row("select=label").waitFor();
  await page.getByText("Live", { exact: true }).waitFor();
});

test("a tab whose port another project has taken goes on with the next link of its own", async () => {
  await page.evaluate(() =>
    new BroadcastChannel("console").postMessage({ kind: "token", token: "x", project: "another" }),
  );
  await page.getByText("Another project runs here now. Rows stay").waitFor();
  // The token of another start.
  await project.stop();
  await project.start();
  await stage.opened(context);
  await page.getByText("Live", { exact: true }).waitFor();
});

test("a stack that sends nothing any more is said to have stopped, until it answers", async () => {
  const silent = await context.newPage();
  await silent.clock.install();
  await silent.route("**/api/feed", () => {});
  await silent.route("**/api/about", (route) => route.continue());
  await silent.goto(stage.console);
  await silent.clock.fastForward(1_000);
  await silent.getByText("Live", { exact: true }).waitFor();
  await silent.clock.fastForward(20_000);
  await silent.getByText(/Stopped at .* Rows stay/).waitFor();
  await silent.unroute("**/api/feed");
  await silent.clock.fastForward(2_000);
  await silent.getByText("Live", { exact: true }).waitFor();
  await silent.close();
});

test("axe finds nothing in any state, at 1280 and 390 px, light and dark, and nothing is wider than the window", async () => {
  const check = (state: string) => stage.check(state);
  await check("cleared");
  await page.getByRole("searchbox").fill("zzz");
  await page.getByText("No row matches.").waitFor();
  await check("no match");
  await page.getByRole("button", { name: "Clear the filter" }).click();
  await call("/rest/v1/notes?select=*");
  await call("/rest/v1/notes", "POST", { id: 9, team_id: 1 });
  await row("POST").last().waitFor();
  await check("rows");
  await row("POST").last().click();
  await page.locator(".reasons p:not(.note)").first().waitFor();
  await check("details");
  await page.keyboard.press("r");
  await page.getByRole("textbox", { name: "Body" }).waitFor();
  await page.getByRole("combobox", { name: "As" }).selectOption("user");
  await check("send again");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("t");
  await page.getByRole("dialog", { name: "Make a test" }).locator("pre").waitFor({ timeout: 120_000 });
  await check("make a test");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "comments" }).waitFor();
  await check("find");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await check("keys");
  const other = await browser.newContext();
  const locked = await other.newPage();
  await locked.goto(stage.console);
  await locked.getByText("This page opens with a link").waitFor();
  await stage.check("locked", locked);
  await other.close();
});

test("the first view is at most 150 KB packed, and the whole page at most 350 KB", async () => {
  const folder = mkdtempSync(join(project.folder, "page-"));
  await buildPage(folder);
  const html = readFileSync(join(folder, "index.html"), "utf8");
  const files = readdirSync(folder).map((name) => ({
    first: name === "index.html" || html.includes(`/${name}`),
    size: gzipSync(readFileSync(join(folder, name))).length,
  }));
  rmSync(folder, { recursive: true });
  const sizeOf = (ones: typeof files) => ones.reduce((sum, { size }) => sum + size, 0);
  expect(sizeOf(files.filter(({ first }) => first))).toBeLessThan(150 * 1024);
  expect(sizeOf(files)).toBeLessThan(350 * 1024);
  // The editor is a script of its own, so that both figures say something.
  expect(files.filter(({ first }) => first)).toHaveLength(4);
});
