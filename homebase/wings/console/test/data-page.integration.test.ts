/** The Data view in a real browser: tables as a lens sees them, staged edits, users, by mouse, keyboard and screen reader. */
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stage = new Stage({
  "migrations/20260103000000_data.sql": `create type public.mood as enum ('good', 'bad');
create table public.plans (id int primary key, title text not null, host uuid references auth.users, mood public.mood,
  team_id int references public.teams, note text, open boolean default true, added timestamptz not null default '2026-11-02 10:04Z');
insert into public.plans (id, title, host, mood, team_id, note) values
  (1, 'Sunday brunch', '00000000-0000-4000-8000-0000000000a1', 'good', 1, null),
  (2, 'Office pizza', '00000000-0000-4000-8000-0000000000a2', null, 2, repeat('A long note. ', 40)),
  (7, 'Friday dinner', '00000000-0000-4000-8000-0000000000a1', 'bad', 1, '');
alter table public.plans enable row level security;
grant select, insert, update, delete on public.plans to authenticated;
create policy "hosts read" on public.plans for select to authenticated using (host = auth.uid());
create policy "hosts edit" on public.plans for update to authenticated using (host = auth.uid());
create table public."odd names" ("the key" text primary key, "a note" text);
insert into public."odd names" values (repeat('k', 200), 'short'), (repeat('k', 300), E'two\\nlines'), ('turned', E'\\u202Eevil'), ('say "x" = y', repeat('x', 70000));
create table public.followers (id int primary key, "its odd" text references public."odd names");
insert into public.followers values (1, 'say "x" = y');
grant all on public."odd names", public.followers to service_role;
create view public.heads as select title from public.plans;
create materialized view public."old heads" as select title from public.plans with no data;`,
});

const at = async (path: string) => {
  await stage.page.goto(stage.console + path);
  await stage.page.getByRole("searchbox").waitFor();
};
const cell = (text: string) => stage.page.getByRole("gridcell", { name: text }).first();
const pane = () => stage.page.getByRole("region", { name: "Details" });
const ANA = "user:00000000-0000-4000-8000-0000000000a1:ana@notes.example";
const asAna = `/data/public.plans?as=${encodeURIComponent(ANA)}`;
const grid = () => stage.page.getByRole("grid", { name: "Rows of plans" });
const titles = () => grid().locator(".td:nth-child(2)").allInnerTexts();
const stored = async (query: string) => (await stage.project.rest(`plans?${query}`)).json();

describe("a table", () => {
  test("is reached from the menu, and marks the rows that the lens does not get", async () => {
    const { page } = stage;
    await page.getByRole("button", { name: "Data", exact: true }).click();
    await page.getByRole("button", { name: "plans", exact: true }).click();
    await expect.poll(titles).toEqual(["Sunday brunch", "Office pizza", "Friday dinner"]);
    await page.getByLabel("Look as").selectOption("as a user…");
    await page.getByRole("button", { name: "ana@notes.example" }).click();
    await page.getByText("3 rows; ana@notes.example gets 2 of these 3").waitFor();
    await expect
      .poll(() => grid().locator(".tr.hidden").allInnerTexts())
      .toEqual([expect.stringContaining("Office pizza")]);
    expect(new URL(page.url()).searchParams.get("as")).toBe(ANA);
  });

  test("says by itself why a row is hidden, shows it whole, and leads where its keys do, with the same lens", async () => {
    const { page } = stage;
    await at(asAna);
    await cell("Office pizza").click();
    await pane().locator(".reasons", { hasText: 'policy "hosts read"' }).waitFor();
    await pane().locator(".rail li", { hasText: "Policy" }).getByText("shut").waitFor();
    await expect
      .poll(() => pane().locator(".value", { hasText: "A long note." }).innerText())
      .toHaveLength(520);
    await pane().getByRole("button", { name: "Bar in teams" }).click();
    await page.getByRole("grid", { name: "Rows of teams" }).waitFor();
    const url = new URL(page.url());
    expect([url.pathname, url.searchParams.get("q"), url.searchParams.get("as")]).toEqual([
      "/data/public.teams",
      "id=2",
      ANA,
    ]);
    await cell("Bar").click();
    await pane()
      .getByRole("button", { name: /^plans 1 row by team_id/ })
      .click();
    await expect.poll(titles).toEqual(["Office pizza"]);
    await page.goBack();
    await page.getByRole("grid", { name: "Rows of teams" }).waitFor();
  });

  test("says of a view where its rows are changed, and of a materialized one when they are read", async () => {
    const { page } = stage;
    await at("/data/public.heads");
    await page.getByText("A view's rows are changed in the tables that it reads.").waitFor();
    await at("/data/public.old%20heads");
    await page
      .getByText(
        "A materialized view has the rows of its last refresh: run refresh materialized view for newer ones.",
      )
      .waitFor();
  });

  test("keeps the chosen row where rows before it are gone, and says that it is gone itself", async () => {
    const { page, project } = stage;
    const remove = (id: number) => project.rest(`plans?id=eq.${id}`, { method: "DELETE" });
    const chosen = () => grid().locator('[aria-selected="true"] .td:nth-child(2)').allInnerTexts();
    const plan = (id: number) => ({ id, title: `Plan ${id}` });
    await project.rest("plans", { method: "POST", body: JSON.stringify([plan(101), plan(102)]) });
    await at("/data/public.plans");
    await cell("102").click();
    await pane().getByText("id 102").waitFor();
    await remove(101);
    await page.getByRole("button", { name: "Refresh" }).click();
    await expect.poll(titles).not.toContain("Plan 101");
    await expect.poll(chosen).toEqual(["Plan 102"]);
    await expect.poll(() => pane().getByRole("heading").first().innerText()).toContain("id 102");
    await remove(102);
    await page.getByRole("button", { name: "Refresh" }).click();
    await pane().getByText("This row is not there any more.").waitFor();
    // The details ask by themselves, and may know it before the grid does.
    await expect.poll(chosen).toEqual([]);
  });

  test("is filtered and sorted, and a wrong filter says what is wrong with it", async () => {
    const { page } = stage;
    await at("/data/public.plans");
    await page.getByRole("button", { name: /^title/ }).click();
    await expect.poll(titles).toEqual(["Friday dinner", "Office pizza", "Sunday brunch"]);
    await page.getByRole("searchbox").fill("mood!=null id<7");
    await expect.poll(titles).toEqual(["Sunday brunch"]);
    await page.getByRole("searchbox").fill("mod=good");
    await page.getByRole("alert").getByText("plans has no column mod.").waitFor();
    await page.getByRole("searchbox").fill("nothing here");
    await page.getByRole("button", { name: "Clear the filter" }).click();
    await expect.poll(titles).toHaveLength(3);
  });
});

describe("odd names and values", () => {
  const odd = async () =>
    (await (await stage.project.rest("odd%20names?select=key:the%20key,note:a%20note")).json()) as {
      key: string;
      note: string;
    }[];
  const rows = () => stage.page.getByRole("grid", { name: "Rows of odd names" }).locator(".tbody .tr");

  test("lead to each other, and a value that is not whole says so and is not edited", async () => {
    const { page } = stage;
    await at("/data/public.followers");
    await cell("1").click();
    await pane()
      .getByRole("button", { name: /in odd names/ })
      .click();
    await expect.poll(() => rows().count()).toBe(1);
    expect(new URL(page.url()).searchParams.get("q")).toBe('"the key"="say ""x"" = y"');
    await cell('say "x" = y').click();
    await pane().getByText("The first 65,536 characters of it. Export has all.").waitFor();
    expect(await pane().getByRole("button", { name: "Edit a note" }).count()).toBe(0);
    await stage.check("value cut");
    await pane()
      .getByRole("button", { name: /^followers 1 row by its odd/ })
      .click();
    await page.getByRole("grid", { name: "Rows of followers" }).waitFor();
    await expect.poll(() => page.locator(".tbody .tr").count()).toBe(1);
  });

  test("lines of a value stay when it is edited, and a row with a long key is the one that is deleted", async () => {
    const { page } = stage;
    await at("/data/public.odd%20names");
    await rows().filter({ hasText: "lines" }).locator(".td").nth(1).dblclick();
    const text = page.getByRole("dialog").getByRole("textbox");
    await expect.poll(() => text.inputValue()).toBe("two\nlines");
    await text.fill("three\nnew\nlines");
    await page.getByRole("button", { name: "Stage change" }).click();
    await page.keyboard.press("Control+s");
    await page.locator(".changes").waitFor({ state: "detached" });
    const long = "k".repeat(300);
    expect((await odd()).find(({ key }) => key === long)?.note).toBe("three\nnew\nlines");
    await rows().filter({ hasText: "lines" }).locator(".td").nth(1).click();
    await page.keyboard.press("d");
    await page.getByRole("button", { name: "Save as postgres" }).click();
    await page.locator(".changes").waitFor({ state: "detached" });
    expect((await odd()).map(({ key }) => key.length).sort()).toEqual([11, 200, 6]);
    // The rows of after the save: those that follow have moved up.
    await expect.poll(() => rows().count()).toBe(3);
    await cell("turned").click();
    await cell("\\u{202e}evil").waitFor();
    await pane().getByText("\\u{202e}evil").waitFor();
  });
});

describe("an edit", () => {
  test("by keyboard alone is staged, shown as SQL, and saved", async () => {
    const { page } = stage;
    await at("/data/public.plans");
    await grid().focus();
    for (const key of ["ArrowDown", "ArrowRight", "Enter"]) await page.keyboard.press(key);
    await page.keyboard.type("Monday brunch");
    await page.keyboard.press("Enter");
    await page.keyboard.press(" ");
    await pane().getByText("Monday brunch").waitFor();
    await page.keyboard.press(" ");
    await pane().waitFor({ state: "detached" });
    await page
      .locator(".changes", { hasText: `update "public"."plans" set "title" = 'Monday brunch'` })
      .waitFor();
    expect((await stored("id=eq.1"))[0].title).toBe("Sunday brunch");
    await page.keyboard.press("Control+s");
    await page.locator(".changes").waitFor({ state: "detached" });
    await expect.poll(titles).toContain("Monday brunch");
    expect((await stored("id=eq.1"))[0].title).toBe("Monday brunch");
    await stage.project.rest("plans?id=eq.1", { method: "PATCH", body: '{"title":"Sunday brunch"}' });
  });

  test("as the lens of a row that a policy hides is undone with all others, and stays staged", async () => {
    const { page } = stage;
    await at(asAna);
    for (const [from, to] of [
      ["Friday dinner", "Friday lunch"],
      ["Office pizza", "Mine now"],
    ] as const) {
      await cell(from).dblclick();
      await page.getByRole("textbox", { name: "title" }).fill(to);
      await page.keyboard.press("Enter");
    }
    await page.getByRole("button", { name: "Save as ana@notes.example" }).click();
    await page.getByRole("alert").getByText("Nothing was saved.").waitFor();
    expect(await stored("select=title&order=id")).toEqual([
      { title: "Sunday brunch" },
      { title: "Office pizza" },
      { title: "Friday dinner" },
    ]);
    await expect
      .poll(() => page.locator(".td.changed").allInnerTexts())
      .toEqual(["Mine now", "Friday lunch"]);
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => grid().evaluate((one) => one === document.activeElement)).toBe(true);
    await expect.poll(titles).toContain("Friday dinner");
  });

  test("inserts a row and deletes one, in one save", async () => {
    const { page } = stage;
    await at("/data/public.plans");
    await cell("Office pizza").click();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: "Insert a row" });
    await dialog.getByLabel("id integer", { exact: true }).fill("8");
    await dialog.getByLabel("title text").fill("New <b>plan</b>");
    await dialog.getByLabel("mood").selectOption("good");
    await dialog.getByRole("button", { name: "Stage row" }).click();
    await cell("Friday dinner").click();
    await page.keyboard.press("d");
    await page.locator(".tr.deleted", { hasText: "Friday dinner" }).waitFor();
    // Staged changes outlive a look at another table.
    await page.getByRole("button", { name: "teams", exact: true }).click();
    await page.locator(".changes", { hasText: "2 changes" }).waitFor();
    await page.getByRole("button", { name: "plans", exact: true }).click();
    await page.getByRole("button", { name: "Save as postgres" }).click();
    await expect.poll(titles).toEqual(["Sunday brunch", "Office pizza", "New <b>plan</b>"]);
    const body =
      '{"id":7,"title":"Friday dinner","host":"00000000-0000-4000-8000-0000000000a1","mood":"bad","team_id":1,"note":""}';
    await stage.project.rest("plans?id=eq.8", { method: "PATCH", body });
  });
});

describe("an export", () => {
  test("has all rows of the filter that the lens gets, in a file and in the clipboard, by keyboard", async () => {
    const { page } = stage;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await at(`${asAna}&q=${encodeURIComponent("id>1")}`);
    await cell("Office pizza").waitFor();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Export plans" });
    await dialog.getByText("of the filter that ana@notes.example gets").waitFor();
    await page.keyboard.press("Tab");
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    await dialog.waitFor({ state: "detached" });
    const csv =
      'id,title,host,mood,team_id,note,open,added\r\n7,Friday dinner,00000000-0000-4000-8000-0000000000a1,bad,1,"",true,2026-11-02 10:04:00+00';
    expect([file.suggestedFilename(), await text(await file.createReadStream())]).toEqual(["plans.csv", csv]);
    await page.keyboard.press("e");
    await dialog.getByRole("button", { name: "Copy" }).click();
    await dialog.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(csv);
    await dialog.getByLabel("Format").selectOption("JSON");
    await dialog.getByText("An object a row").waitFor();
    const button = dialog.getByRole("button", { name: "Download" });
    const [json] = await Promise.all([page.waitForEvent("download"), button.click()]);
    expect(JSON.parse(await text(await json.createReadStream()))).toMatchObject([{ id: "7", note: "" }]);
  });

  test("says why there is none, and is not offered where there are no rows", async () => {
    const { page } = stage;
    await at("/data/public.plans");
    await cell("Sunday brunch").waitFor();
    await page.getByRole("searchbox").fill("mod=good");
    await page.getByRole("alert").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export plans" });
    await dialog.getByRole("button", { name: "Download" }).click();
    await dialog.getByRole("alert").getByText("plans has no column mod.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("nothing here");
    await page.getByText("No row matches.").waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor({ state: "detached" });
  });
});

describe("users", () => {
  test("are made, banned, looked as, and opened in the app by a link that signs in", async () => {
    const { page } = stage;
    await at("/data/users");
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill("mia@example.com");
    await dialog.getByLabel("Password").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Make user" }).click();
    await cell("mia@example.com").click();
    const signIn = () =>
      stage.call("/auth/v1/token?grant_type=password", "POST", {
        email: "mia@example.com",
        password: "correct horse battery",
      });
    expect((await signIn()).status).toBe(200);
    await pane().getByRole("button", { name: "Ban" }).click();
    await pane().getByText("banned until").waitFor();
    expect((await signIn()).status).toBe(400);
    await pane().getByRole("button", { name: "Lift the ban" }).click();
    await pane().getByRole("button", { name: "Open the app as" }).click();
    const link = await pane()
      .getByRole("link", { name: "Open the app as mia@example.com" })
      .getAttribute("href");
    const opened = await fetch(link ?? "", { redirect: "manual" });
    expect([opened.status, opened.headers.get("location")]).toEqual([
      303,
      expect.stringContaining("access_token="),
    ]);
    await page.getByRole("button", { name: "Refresh" }).click();
    await pane().getByRole("button", { name: "Sign out" }).click();
    await pane().getByRole("button", { name: "Sign out" }).waitFor({ state: "detached" });
    await pane().getByRole("button", { name: "Set password" }).click();
    await dialog.getByLabel("Password").fill("another horse battery");
    await dialog.getByRole("button", { name: "Set password" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await signIn()).status).toBe(400);
    await pane().getByRole("button", { name: "Look as" }).click();
    await page.getByText("mia@example.com gets").waitFor();
  });

  test("of whom rows of other tables need the row stay, and the refusal says which", async () => {
    const { page } = stage;
    await at("/data/users");
    await cell("ana@notes.example").click();
    await pane().getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Delete user" }).click();
    await dialog.getByRole("alert").getByText('still referenced from table "plans"').waitFor();
  });

  test("that are banned get no link, and a phone says so beside the button", async () => {
    const { page } = stage;
    const details = page.locator(".pane");
    await page.setViewportSize({ width: 390, height: 720 });
    await at("/data/users");
    await cell("mia@example.com").click();
    await details.getByRole("button", { name: "Ban" }).click();
    await details.getByRole("button", { name: "Lift the ban" }).waitFor();
    await details.getByRole("button", { name: "Open the app as" }).click();
    await details.getByRole("alert").getByText("This user is banned, so no link signs them in.").waitFor();
    await stage.check("banned");
    await details.getByRole("button", { name: "Lift the ban" }).click();
    await details.getByRole("button", { name: "Ban", exact: true }).waitFor();
  });

  test("are deleted after a question, and what Auth refuses is said", async () => {
    const { page } = stage;
    await at("/data/users");
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email").fill("eve@example.com");
    await dialog.getByLabel("Password").fill("correct horse battery");
    await dialog.getByRole("button", { name: "Make user" }).click();
    await dialog.getByRole("alert").getByText("already been registered").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox").fill("mia@");
    await expect.poll(() => page.getByRole("grid", { name: "Users" }).locator(".tbody .tr").count()).toBe(1);
    await cell("mia@example.com").click();
    const remove = () => pane().getByRole("button", { name: "Delete" }).click();
    await remove();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await pane().getByText("mia@example.com").first().waitFor();
    await remove();
    await dialog.getByRole("button", { name: "Delete user" }).click();
    await page.getByText("No user has this.").waitFor();
  });
});

test("axe finds nothing in any state, at 1280 and 390 px, light and dark, and nothing is wider than the window", async () => {
  const { page } = stage;
  await at("/data/users");
  await cell("ana@notes.example").dblclick();
  await pane().waitFor();
  await stage.check("users");
  await at(asAna);
  await cell("Office pizza").waitFor();
  await stage.check("table");
  await cell("Office pizza").click();
  await pane().locator(".reasons p:not(.note)").first().waitFor();
  await stage.check("row");
  await page.keyboard.press("Escape");
  await cell("Friday dinner").dblclick();
  await page.getByRole("textbox", { name: "title" }).fill("Friday lunch");
  await page.keyboard.press("Enter");
  await cell("Sunday brunch").click();
  await page.keyboard.press("d");
  await page.locator(".changes pre", { hasText: "delete" }).waitFor();
  await stage.check("changes");
  await page.keyboard.press("e");
  await page.getByText("Changes that are staged").waitFor();
  await stage.check("export");
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("n");
  await page.getByRole("dialog").waitFor();
  await stage.check("insert");
  await page.keyboard.press("Escape");
  await at("/data/public.plans?q=zzz");
  await page.getByText("No row matches.").waitFor();
  await stage.check("no row");
  await at(`/data/public.tags?as=role:anon`);
  await page.getByText("anon gets no row: permission denied for table tags.").waitFor();
  await stage.check("refused");
});
