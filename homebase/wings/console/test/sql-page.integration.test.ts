/** The SQL view in a real browser: running as a lens, errors in the text, edits of results, snippets, by keyboard, for all readers. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const ANA = "user:00000000-0000-4000-8000-0000000000a1:ana@notes.example";
const stage = new Stage({
  "migrations/20260103000000_data.sql": `create table public.plans (id int primary key, title text not null, host uuid references auth.users, status text default 'open', seats int);
insert into public.plans (id, title, host, seats) values
  (1, 'Sunday brunch', '00000000-0000-4000-8000-0000000000a1', 6),
  (2, 'Office pizza', '00000000-0000-4000-8000-0000000000a2', 12),
  (7, 'Friday dinner', '00000000-0000-4000-8000-0000000000a1', null);
alter table public.plans enable row level security;
grant select, insert, update, delete on public.plans to authenticated;
create policy "hosts read" on public.plans for select to authenticated using (host = auth.uid());`,
  "snippets/Open plans.sql": "select id, title, seats from plans order by id",
});

const open = async (path = "/sql") => {
  await stage.page.evaluate(() =>
    sessionStorage.setItem("sql-draft:", JSON.stringify({ text: "", saved: "" })),
  );
  await stage.page.goto(stage.console + path);
  await editor().waitFor();
};
const editor = () => stage.page.getByRole("textbox", { name: "SQL", exact: true });
const alert = () => stage.page.getByRole("alert");
const grid = () => stage.page.getByRole("grid", { name: "Result" });
const rows = async () =>
  (await grid().locator(".tbody .tr").allInnerTexts()).map((row) => row.split(/\s*\t\s*|\n/).join("|"));
const type = async (text: string) => {
  await editor().fill(text);
  await stage.page.keyboard.press("Escape");
};
const run = async (text: string) => {
  await type(text);
  await stage.page.keyboard.press("Control+Enter");
  await stage.page.getByRole("button", { name: "Run", exact: false }).waitFor();
};
const snippet = (name: string) => join(stage.project.folder, "supabase", "snippets", `${name}.sql`);

test("is reached from the menu, runs by the keyboard alone, and completes names of the project", async () => {
  const { page } = stage;
  const refused: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") refused.push(message.text());
  });
  await page.getByRole("button", { name: "SQL", exact: true }).click();
  await editor().focus();
  // Letters are text here, and no keys of the page.
  await page.keyboard.type("select n.ti from pla");
  await page.getByRole("option", { name: "plans" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.type(" n where seats > 1 order by id");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Home");
  for (let at = 0; at < "select n.ti".length; at += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.type("t");
  await page.getByRole("option", { name: "title" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+Enter");
  await expect.poll(rows).toEqual(["Sunday brunch", "Office pizza"]);
  await page.getByText("Committed as postgres").waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate(() => document.activeElement?.className)).not.toContain("editor");
  expect(refused).toEqual([]);
  await page.reload();
  await page.getByText("select n.title from plans n where").waitFor();
});

test("runs as the lens of the address, and says what stays", async () => {
  const { page } = stage;
  await open(`/sql?as=${encodeURIComponent(ANA)}`);
  await run("select id from plans order by id; select auth.uid() as me");
  await expect.poll(rows).toEqual(["00000000-0000-4000-8000-0000000000a1"]);
  await page.getByRole("button", { name: "1 select 2 rows" }).click();
  await expect.poll(rows).toEqual(["1", "7"]);
  await page.getByText("Committed as ana@notes.example").waitFor();
  await run("delete from plans; commit");
  await alert().getByText("cannot begin or end").waitFor();
  await page.getByText("Nothing was saved").waitFor();
});

test("shows an error under its place, with the name that is there", async () => {
  await open();
  await run("select id,\n  p.stauts\nfrom plans p");
  await alert().getByText("column p.stauts does not exist (42703). There is p.status.").waitFor();
  await expect.poll(() => stage.page.locator(".cm-wrong").innerText()).toBe("p.stauts");
  await stage.page.locator(".cm-wrong-text", { hasText: "There is p.status." }).waitFor();
});

test("typing over a selection keeps to the page's policy, which allows no inline style", async () => {
  const blocked: string[] = [];
  stage.page.on("console", (message) => {
    if (message.text().includes("inline style")) blocked.push(message.text());
  });
  await open();
  await run("select p.stauts from plans p");
  await stage.page.locator(".cm-wrong").waitFor();
  for (const text of ["select 1", "x"]) {
    await stage.page.keyboard.press("Control+a");
    await stage.page.keyboard.type(text);
    await expect.poll(() => editor().innerText()).toBe(text);
  }
  expect(blocked).toEqual([]);
});

test("edits a result through staged changes, which touch their rows alone", async () => {
  const { page } = stage;
  await open();
  await run("select title, upper(title) as loud, id from plans order by id");
  const cell = (text: string) => page.getByRole("gridcell", { name: text, exact: true });
  await cell("Office pizza").dblclick();
  await page.getByRole("textbox", { name: "title" }).fill("Office sushi");
  await page.keyboard.press("Enter");
  await cell("FRIDAY DINNER").dblclick();
  await page.getByRole("region", { name: "Details" }).getByText("auth.users").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+s");
  await page.locator(".changes").waitFor({ state: "detached" });
  await expect
    .poll(rows)
    .toEqual([
      "Sunday brunch|SUNDAY BRUNCH|1",
      "Office sushi|OFFICE PIZZA|2",
      "Friday dinner|FRIDAY DINNER|7",
    ]);
  const stored = await (await stage.project.rest("plans?select=title&order=id")).json();
  expect(stored).toEqual([{ title: "Sunday brunch" }, { title: "Office sushi" }, { title: "Friday dinner" }]);
  await stage.project.rest("plans?id=eq.2", { method: "PATCH", body: '{"title":"Office pizza"}' });
});

test("cancels a statement that takes long", async () => {
  await open();
  await type("select pg_sleep(60)");
  await stage.page.keyboard.press("Control+Enter");
  await stage.page.getByRole("button", { name: "Cancel" }).click();
  await alert().getByText("Cancelled.").waitFor();
});

test("opens, saves, renames and deletes snippets, and asks before it replaces what another program wrote", async () => {
  const { page } = stage;
  const dialog = page.getByRole("dialog");
  await open();
  await page.getByRole("button", { name: "Open plans" }).click();
  await page.getByText("select id, title, seats from plans").waitFor();
  await type("select 'mine'");
  await page.keyboard.press("Control+s");
  await expect.poll(() => readFileSync(snippet("Open plans"), "utf8")).toBe("select 'mine'");
  writeFileSync(snippet("Open plans"), "select 'theirs'");
  await type("select 'mine again'");
  await page.keyboard.press("Control+s");
  await dialog.getByText("Another program has changed").waitFor();
  expect(readFileSync(snippet("Open plans"), "utf8")).toBe("select 'theirs'");
  await dialog.getByRole("button", { name: "Open the file's text" }).click();
  await page.getByText("select 'theirs'").waitFor();
  await type("select 'mine at last'");
  writeFileSync(snippet("Open plans"), "select 'theirs again'");
  await page.keyboard.press("Control+s");
  await dialog.getByRole("button", { name: "Replace the file" }).click();
  await expect.poll(() => readFileSync(snippet("Open plans"), "utf8")).toBe("select 'mine at last'");
  await page.getByRole("button", { name: "Rename" }).click();
  await dialog.getByLabel("Name").fill("../plans");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await dialog.getByRole("alert").getByText("A name has letters").waitFor();
  await dialog.getByLabel("Name").fill("Plans");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Plans", exact: true }).waitFor();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/sql/Plans");
  expect(existsSync(snippet("Open plans"))).toBe(false);
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog.getByRole("button", { name: "Delete snippet" }).click();
  await page.getByRole("button", { name: "Plans", exact: true }).waitFor({ state: "detached" });
  expect(existsSync(snippet("Plans"))).toBe(false);
  await type("select 'from history'");
  await page.keyboard.press("Control+Enter");
  await type("");
  await page.getByRole("button", { name: "History" }).click();
  await dialog.getByRole("button", { name: "select 'from history'" }).click();
  await page.keyboard.press("Control+s");
  await dialog.getByLabel("Name").fill("Open plans");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => new URL(page.url()).pathname).toBe("/sql/Open%20plans");
  expect(readFileSync(snippet("Open plans"), "utf8")).toBe("select 'from history'");
});

test("axe finds nothing in any state, at 1280 and 390 px, light and dark, and nothing is wider than the window", async () => {
  const { page } = stage;
  await open();
  await stage.check("sql empty");
  await run(
    "select id, title, host, status, seats from plans order by id; update plans set seats = seats; select i, md5(i::text) as hash from generate_series(1, 12000) i",
  );
  await page.getByText("10,000 rows, and more").waitFor();
  await stage.check("sql results");
  await page.getByRole("button", { name: "1 select 3 rows" }).click();
  await page.getByRole("gridcell", { name: "Friday dinner" }).dblclick();
  await page.getByRole("textbox", { name: "title" }).fill("Friday lunch");
  await page.keyboard.press("Enter");
  await page.locator(".changes pre", { hasText: "update" }).waitFor();
  await stage.check("sql changes");
  await page.keyboard.press(" ");
  await page.getByRole("region", { name: "Details" }).getByText("Friday lunch").waitFor();
  await stage.check("sql row");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard" }).click();
  await run("select p.id, p.stauts\nfrom plans p\nwhere p.seats > 2");
  await alert().waitFor();
  await stage.check("sql error");
  await type("select p.title, u.email from plans p join auth.users u on u.id = p.host order by p.title");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.locator(".costliest").waitFor();
  await stage.check("sql plan");
  await editor().focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(" limit 3; select * from pl");
  await page.getByRole("listbox").getByRole("option", { name: "plans" }).first().waitFor();
  await stage.check("sql completion");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "History" }).click();
  await stage.check("sql history");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save" }).click();
  await stage.check("sql save");
  await page.keyboard.press("Escape");
  await open("/sql/Open%20plans");
  await stage.check("sql snippet");
  await open(`/sql?as=${encodeURIComponent(ANA)}`);
  await run("update plans set seats = 1");
  await page.getByText("Committed as ana@notes.example").waitFor();
  await stage.check("sql as a user");
});
