/** A plan's own link: what it shows to others, asking for a seat, the hosts' answer, and a link that is open. */
import { expect, signIn, test } from "../fixtures.ts";
import { layTable } from "../tables.ts";

test("a stranger sees a plan's name, host and number of people, asks with a name, and is let in or declined by the host", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Pot luck", guests: ["ben"] });
  const { page: anas } = await ana();
  await anas.goto(table.path);
  await expect(anas.getByRole("heading", { level: 1, name: "Pot luck" })).toBeVisible();
  const { page } = await person("Lea", { device: "phone" });
  await page.clock.install();
  await page.goto(table.path);
  await page.waitForURL(`${table.path}/join`);
  await expect(page.getByRole("heading", { level: 1, name: "Pot luck" })).toBeVisible();
  await expect(page.getByText("Hosted by Ana. 1 person has joined.")).toBeVisible();
  for (const hidden of ["Ben", "Okafor", "Rocha", "19:00"])
    await expect(page.getByText(hidden)).toHaveCount(0);
  await page.getByRole("button", { name: "Ask to join" }).click();
  await expect(page.getByRole("textbox", { name: "Your name" })).toBeFocused();
  await page.getByRole("textbox", { name: "Your name" }).fill("Lea");
  await page.getByRole("button", { name: "Ask to join" }).click();
  await expect(page.getByText("You've asked to join")).toBeVisible();
  await page.reload();
  await expect(page.getByText("You've asked to join")).toBeVisible();

  const asking = anas.getByRole("region", { name: "Asking to join" });
  await expect(asking.getByText("Lea")).toBeVisible();
  await asking.getByRole("button", { name: "Let in Lea" }).click();
  await expect(asking).toHaveCount(0);
  await page.clock.runFor(11_000);
  await page.waitForURL((url) => url.pathname === table.path);
  await expect(page.getByRole("tab", { name: "When" })).toBeVisible();

  const { page: finns } = await person("Finn", { device: "small" });
  await finns.clock.install();
  await finns.goto(`${table.path}?tab=chat`);
  await finns.getByRole("textbox", { name: "Your name" }).fill("Finn");
  await finns.getByRole("button", { name: "Ask to join" }).click();
  await asking.getByRole("button", { name: "Decline Finn" }).click();
  await expect(asking).toHaveCount(0);
  await finns.clock.runFor(11_000);
  await expect(finns.getByText("You weren't let in")).toBeVisible();
  await finns.getByRole("button", { name: "Ask again" }).click();
  await expect(finns.getByText("You've asked to join")).toBeVisible();
  await asking.getByRole("button", { name: "Decline Finn" }).click();
  // A host thinks better of it.
  await anas.getByRole("button", { name: "Declined" }).click();
  await anas.getByRole("button", { name: "Let in Finn" }).click();
  await expect(anas.getByRole("button", { name: "Declined" })).toHaveCount(0);
  await finns.clock.runFor(11_000);
  await finns.waitForURL((url) => url.pathname === table.path);
});

test("a person whom the hosts have declined three times cannot ask again", async ({ person, stack }) => {
  const table = await layTable(stack, { title: "Often asked" });
  const { page } = await person("Dev");
  await stack.backend.sql(
    `insert into private.join_requests (plan_id, user_id, declined_at, times_asked)
     values ('${table.id}', '00000000-0000-4000-8000-0000000000a4', now(), 3)`,
  );
  await page.goto(`/sign-in?next=${table.path}`);
  await signIn(page, "dev@nosh.test", table.path);
  await expect(page.getByText("You've asked as often as you can.")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Ask/ })).toHaveCount(0);
});

test("a mail about a request leads a host to it", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Asked by mail" });
  await stack.backend.sql(
    `insert into private.join_requests (plan_id, user_id) values ('${table.id}', '00000000-0000-4000-8000-0000000000a4')`,
  );
  const { page } = await ana({ device: "small" });
  await page.goto(`${table.path}#asking`);
  const asking = page.getByRole("region", { name: "Asking to join" });
  await expect(asking).toBeFocused();
  await expect(asking).toBeInViewport();
});

test("a member with an account, signed out, gets back to the plan and its tab; a stranger with an account asks within the frame", async ({
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Back to it", guests: ["ben"] });
  const { page } = await person("Ben");
  await page.goto(`${table.path}?tab=best`);
  await page.getByRole("link", { name: "I have an account" }).click();
  await signIn(page, "ben@nosh.test", `${table.path}?tab=best`);
  await expect(page.getByRole("heading", { level: 1, name: "Back to it" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Best" })).toHaveAttribute("aria-selected", "true");

  const { page: devs } = await person("Dev");
  await devs.goto(`/sign-in?next=${table.path}`);
  await signIn(devs, "dev@nosh.test", table.path);
  await expect(devs.getByText("Hosted by Ana. 1 person has joined.")).toBeVisible();
  await expect(devs.getByText("Asking as Dev")).toBeVisible();
  await expect(devs.getByText("Ben Okafor")).toHaveCount(0);
  await devs.getByRole("button", { name: "Ask to join" }).click();
  await expect(devs.getByText("You've asked to join")).toBeVisible();
});

test("a host opens the plan's link, and a name is enough from then on", async ({ ana, person, stack }) => {
  const table = await layTable(stack, { title: "Open table" });
  const { page: anas } = await ana();
  await anas.goto(table.path);
  await anas.getByRole("button", { name: "Invite", exact: true }).click();
  const sheet = anas.getByRole("dialog");
  await expect(sheet.getByRole("textbox", { name: "Plan link" })).toHaveValue(new RegExp(`${table.path}$`));
  const open = sheet.getByRole("switch", { name: "Others can join with a name, without asking" });
  await expect(open).not.toBeChecked();
  await sheet.getByText("Others can join with a name, without asking").click();
  await expect(open).toBeChecked();
  await expect
    .poll(() => stack.backend.sql(`select joins_by_link from public.plans where id = '${table.id}'`))
    .toEqual([{ joins_by_link: true }]);

  const { page } = await person("Noor", { device: "small" });
  await page.goto(table.path);
  await page.getByRole("textbox", { name: "Your name" }).fill("Noor");
  await page.getByRole("button", { name: "Take a seat" }).click();
  await page.waitForURL((url) => url.pathname === table.path);
  await expect(page.getByRole("tab", { name: "When" })).toBeVisible();
});

test("a plan's link has its own text where there is no plan, the plan is over or cancelled, or the person was removed", async ({
  person,
  stack,
}) => {
  const { page, watch } = await person("Dev");
  watch.expect(/404/);
  const cancelled = await layTable(stack, { title: "Table that is off" });
  await stack.backend.sql(`update public.plans set status = 'cancelled' where id = '${cancelled.id}'`);
  for (const [path, heading] of [
    [`/plans/${crypto.randomUUID()}`, "There's no plan at this address"],
    ["/plans/nonsense/join", "There's no plan at this address"],
    [cancelled.path, "This plan is cancelled"],
  ] as const) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }
  const removed = await layTable(stack, { title: "Without Dev" });
  await stack.backend.sql(
    `insert into private.removals (plan_id, user_id) values ('${removed.id}', '00000000-0000-4000-8000-0000000000a4')`,
  );
  await page.goto(`/sign-in?next=${removed.path}`);
  await signIn(page, "dev@nosh.test", removed.path);
  await expect(page.getByRole("heading", { level: 1, name: "You're not on this plan" })).toBeVisible();
  await expect(page.getByText("Without Dev")).toHaveCount(0);
});

test("the page of a plan's link has its title, host and picture for chats, and not its date", async ({
  stack,
}) => {
  const table = await layTable(stack, { title: "Table in a chat", withPlaces: true });
  await stack.backend.sql(`update public.plans set status = 'confirmed', chosen_time_id = (select id from public.time_options where plan_id = '${table.id}' limit 1)
      where id = '${table.id}'`);
  for (const path of [table.path, `${table.path}/join`, `${table.path}?tab=chat`]) {
    const page = await (await fetch(`${stack.app}${path}`)).text();
    expect(page).toContain('<meta property="og:title" content="Table in a chat" />');
    expect(page).toContain('<meta name="description" content="Hosted by Ana. 1 person has joined." />');
    expect(page).toContain(`<meta property="og:url" content="${stack.app}${table.path}" />`);
    expect(page).toContain(`/functions/v1/invite-picture?plan=${table.id}&#38;v=`);
  }
  for (const path of ["/plans/new", `/plans/${crypto.randomUUID()}`])
    expect(await (await fetch(`${stack.app}${path}`)).text()).not.toContain("og:title");
});
