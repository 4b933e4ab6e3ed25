/**
 * One evening of five people without an account, in a place of which nothing is known: from the landing page to the
 * rating. After each step, what each person is to the plan, and what it waits for from them, is the same on all five
 * screens, on the home screen, in the database, in the calendars, in the mails of the two people who get some, and on the
 * device of the one who gets notifications.
 */
import type { Page } from "@playwright/test";
import { type Device, newDevice } from "../../integration/push-service.ts";
import { sitDown } from "../entry/links.ts";
import { expect, giveStars, test, wholeBrowser } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { messages, say } from "./conversation.ts";
import { subscribeAs } from "./push-device.ts";

test.use(wholeBrowser);

const TITLE = "Soup at the harbour";
const NAMES = ["Hedda", "Phil", "Kay", "Max", "Lea"] as const;
type Name = (typeof NAMES)[number];
type States = Partial<Record<Name, string>>;
/** The step that waits for a person; null for nothing. */
type Waits = Partial<Record<Name, string | null>>;

/** The words of a seat, by the state that they stand for. */
const SEATS: Record<string, RegExp> = {
  asked: /hasn't answered yet/,
  voted: /is free at|can come if need be|said no so far|has answered/,
  expected: /is coming/,
  maybe: /might come|said maybe/,
  not_coming: /isn't coming|wasn't there/,
  on_the_way: /is on the way/,
  here: /is here/,
  was_there: /was there/,
};
/** How calendars show a state: confirmed, tentative, or free time. */
const inCalendar = (state: string) =>
  ["expected", "on_the_way", "here", "was_there"].includes(state)
    ? "confirmed"
    : state === "not_coming"
      ? "free"
      : "tentative";

/** What a mail's words and its entry for the calendar say of its reader. */
const IN_MAIL: Record<string, { partstat: string; words?: RegExp }> = {
  asked: { partstat: "NEEDS-ACTION" },
  expected: { partstat: "ACCEPTED", words: /We're expecting you/ },
  not_coming: { partstat: "DECLINED", words: /You said that you can't make it/ },
};
/** The people who leave an address. */
const MAILED = { Phil: "phil@nosh.test", Max: "max@nosh.test" } as const;

/** Checks that the newest mail to each of them is the one about this step, and says these states. */
async function agreeInMails({ backend, mail }: Stack, subject: RegExp, states: States) {
  // As the schedule does every minute.
  await backend.sql("select private.deliver_mail()");
  for (const [name, address] of Object.entries(MAILED) as [keyof typeof MAILED, string][]) {
    const newest = () => mail.received.findLast(({ to }) => to === address);
    // A decision's mail waits as long as it can be undone.
    await expect.poll(() => newest()?.subject, { timeout: 40_000 }).toMatch(subject);
    const { partstat, words } = IN_MAIL[states[name] ?? ""] ?? { partstat: "nothing" };
    const entry = newest()?.files[0]?.text.replaceAll("\r\n ", "");
    expect(entry, name).toContain(`PARTSTAT=${partstat};RSVP=FALSE:mailto:${address}`);
    if (words && /^It's on/.test(newest()?.subject ?? "")) expect(newest()?.text, name).toMatch(words);
  }
}

/** Checks that the newest notification on a person's device says this of the plan. */
async function agreeInPush({ push }: Stack, device: Device, path: string, words: RegExp) {
  // As in mails: a decision waits as long as it can be undone.
  await expect.poll(() => device.messages(push).at(-1)?.body, { timeout: 40_000 }).toMatch(words);
  expect(device.messages(push).at(-1)).toMatchObject({ title: TITLE, path });
}

const table = (page: Page) => page.getByRole("img", { name: new RegExp(`^${TITLE}\\.`) }).first();
const ticket = (page: Page) => page.getByRole("article", { name: "Ticket" });
const answerRow = (page: Page, row: number) =>
  page
    .getByRole("tabpanel")
    .getByRole("listitem")
    .filter({ has: page.getByRole("radiogroup") })
    .nth(row);
const vote = (page: Page, row: number, answer: string) =>
  answerRow(page, row).getByRole("radio", { name: answer, exact: true }).click();

/** Checks that every place that says what people are says these states. */
async function agree(
  stack: Stack,
  plan: string,
  pages: Partial<Record<Name, Page>>,
  states: States,
  waits: Waits,
) {
  const names = Object.keys(states) as Name[];
  const read = () =>
    stack.backend.sql<{ name: Name; state: string; event: string | null; person: string }>(
      `select p.display_name as name, who.state, private.calendar_events(who.user_id, '${plan}') -> 0 ->> 'state' as event
       from private.plan_people('${plan}') as who join public.profiles as p on p.id = who.user_id`,
    );
  // A screen shows an answer before the outbox has sent it.
  await expect
    .poll(async () => Object.fromEntries((await read()).map(({ name, state }) => [name, state])))
    .toEqual(states);
  const rows = await read();
  for (const { name, event } of rows) {
    if (event !== null) expect([name, inCalendar(event)]).toEqual([name, inCalendar(states[name] ?? "")]);
  }
  const next = () =>
    stack.backend.sql<{ name: Name; step: string | null }>(
      `select p.display_name as name, who.step from private.plan_next('${plan}') as who
       join public.profiles as p on p.id = who.user_id`,
    );
  // A conversation counts as read once it was on the screen for a moment.
  await expect
    .poll(async () => Object.fromEntries((await next()).map(({ name, step }) => [name, step])))
    .toEqual(Object.fromEntries(names.map((name) => [name, waits[name] ?? null])));
  for (const [viewer, page] of Object.entries(pages) as [Name, Page][]) {
    await saysNext(page, waits[viewer] ?? null);
    for (const name of names) {
      const words = new RegExp(
        `${name}( \\(you\\))? ${SEATS[states[name] ?? ""]?.source.replaceAll("|", `|${name}( \\(you\\))? `)}`,
      );
      await expect(table(page), `${viewer} sees ${name}`).toHaveAccessibleName(words);
    }
  }
}

/** What a plan's page shows of a step: the card above the tabs, and the tab that is marked. */
const NEXT: Record<string, { card?: string; tab?: string; mark?: string }> = {
  // Alone, a host has the times open, too.
  invite: { tab: "When" },
  times: { card: "Which times can you make?", tab: "When" },
  diet: { card: "What do you eat?" },
  decide: { card: "It's time to decide.", tab: "Best" },
  share: { card: "Message those we can't reach" },
  chat: { card: "Read what's new", tab: "Chat", mark: "1 new message" },
  set_out: { tab: "On the day" },
};

/** Checks that the page, a plan's or the home screen, says what waits for its reader, and nothing else. */
async function saysNext(page: Page, step: string | null) {
  if (page.url().endsWith("/home")) {
    await expect(page.getByText("How was it?")).toHaveCount(step === "rate" ? 1 : 0);
    return;
  }
  const { card, tab, mark = "Waiting for you" } = NEXT[step ?? ""] ?? {};
  // Of a decided plan the ticket is the card.
  const decided = await ticket(page).isVisible();
  const next = page.getByRole("region", { name: "What's next" });
  await expect(next.getByRole("button")).toHaveCount(card && !decided ? 1 : 0);
  if (card && !decided) await expect(next.getByText(card)).toBeVisible();
  if (!decided && step !== null) await expect(next.getByText("You're done.")).not.toBeVisible();
  for (const name of ["When", "Where", "Best", "On the day"])
    await expect(page.getByRole("tab", { name })).toHaveAccessibleDescription(name === tab ? mark : "");
  // Beside the tabs of a wide screen the conversation is open.
  const chat = page.getByRole("tab", { name: "Chat" });
  if (await chat.isVisible()) await expect(chat).toHaveAccessibleDescription(step === "chat" ? mark : "");
  if (step === "book") await expect(ticket(page).getByRole("button", { name: /^Booked for/ })).toBeVisible();
  const rating = ticket(page).getByRole("radiogroup", { name: "How was it?" });
  await expect(rating).toHaveCount(step === "rate" ? 1 : 0);
}

test("five people without an account, from the landing page to the rating: what each is, is the same everywhere", async ({
  person,
  stack,
}) => {
  test.setTimeout(300_000);
  const pages: Partial<Record<Name, Page>> = {};
  const kays = newDevice(stack.push.publicKey);
  const open = async (name: Name, device: "phone" | "desktop") => {
    const { page } = await person(name, {
      device,
      ...(name === "Kay" ? { serviceWorkers: "allow", permissions: ["notifications"] } : {}),
    });
    if (name === "Kay") await subscribeAs(page, kays);
    pages[name] = page;
    return page;
  };
  await stack.callFunctions();
  const hedda = await open("Hedda", "desktop");
  let plan = "";
  const same = (states: States, waits: Waits = {}) => agree(stack, plan, pages, states, waits);

  const link = await test.step("Hedda makes a plan with a name only", async () => {
    await hedda.goto("/");
    await hedda.getByRole("link", { name: "Plan a meal" }).first().click();
    await hedda.getByRole("textbox", { name: "Your name" }).fill("Hedda");
    await hedda.getByRole("button", { name: "Continue" }).click();
    await hedda.getByRole("textbox", { name: "Plan name" }).fill(TITLE);
    await hedda.getByRole("button", { name: "Create plan" }).click();
    await hedda.waitForURL(/\/plans\/[0-9a-f]{8}-/);
    plan = new URL(hedda.url()).pathname.split("/").at(-1) ?? "";
    await same({ Hedda: "asked" }, { Hedda: "invite" });
    return hedda.getByRole("textbox", { name: "Invite link" }).first().inputValue();
  });

  await test.step("three join with a name: on a phone, with the keyboard alone, and one who wants mail", async () => {
    await sitDown(await open("Phil", "phone"), link, "Phil");
    const kay = await open("Kay", "desktop");
    await kay.goto(link);
    await kay.getByRole("textbox", { name: "Your name" }).focus();
    await kay.keyboard.type("Kay");
    await kay.keyboard.press("Enter");
    await kay.waitForURL(/\/plans\//);
    await sitDown(await open("Max", "phone"), link, "Max");
    await same(
      { Hedda: "asked", Phil: "asked", Kay: "asked", Max: "asked" },
      { Hedda: "times", Phil: "times", Kay: "times", Max: "times" },
    );
  });
  const voted = { Hedda: "voted", Phil: "voted", Kay: "voted", Max: "voted" };
  const { Phil: phil, Kay: kay, Max: max } = pages;
  if (!phil || !kay || !max) throw new Error("Somebody is missing.");

  await test.step("Hedda votes, says what she eats, and is asked to write to who hears nothing", async () => {
    await vote(hedda, 0, "Yes");
    const asked = { Phil: "times", Kay: "times", Max: "times" };
    const states = { Hedda: "voted", Phil: "asked", Kay: "asked", Max: "asked" };
    await same(states, { Hedda: "diet", ...asked });
    await hedda.getByRole("button", { name: "Answer", exact: true }).click();
    const ask = hedda.getByRole("region", { name: "So the place works for you" });
    await expect(ask).toBeFocused();
    await ask.getByRole("button", { name: "I eat everything" }).click();
    await ask.getByRole("button", { name: "Save" }).click();
    await same(states, { Hedda: "share", ...asked });
    await hedda.getByRole("button", { name: "See it" }).click();
    await expect(hedda.getByText(/Phil, Kay, Max, got two minutes/)).toBeInViewport();
  });

  await test.step("they vote, each in their own way", async () => {
    await vote(phil, 0, "Yes");
    const maybe = answerRow(kay, 0).getByRole("radio", { name: "If need be", exact: true });
    await maybe.focus();
    await kay.keyboard.press("Space");
    await vote(max, 0, "No");
    for (const [page, address, shown] of [
      [phil, MAILED.Phil, "p…@nosh.test"],
      [max, MAILED.Max, "m…@nosh.test"],
    ] as const) {
      const offer = page.getByRole("region", { name: "News by email" });
      await offer.getByRole("textbox", { name: "Get news of this plan by email" }).fill(address);
      await offer.getByRole("button", { name: "Email me" }).click();
      await expect(offer.getByText(`open the email to ${shown}`)).toBeVisible();
      const confirms = () => stack.mail.received.find(({ to }) => to === address)?.text;
      await expect.poll(confirms).toContain("/mail/confirm/");
      await page.goto(/\/mail\/confirm\/\S+/.exec(confirms() ?? "")?.[0] ?? "");
      await page.getByRole("button", { name: "Confirm my address" }).click();
      await expect(page.getByText("Confirmed.", { exact: true })).toBeVisible();
      await expect(page.getByRole("link", { name: "Go to the plan" })).toHaveAttribute("href", /^\/plans\//);
      await page.goto(`/plans/${plan}`);
    }
    await kay
      .getByRole("region", { name: "Notifications" })
      .getByRole("button", { name: "Notify me" })
      .click();
    await expect(kay.getByText("You'll get a notification on this device.")).toBeVisible();
    await same(voted, { Hedda: "decide", Phil: "diet", Kay: "diet", Max: "diet" });
  });

  await test.step("they skip what they eat, and one writes, which the screens with the chat open show", async () => {
    for (const page of [phil, kay, max]) await page.getByRole("button", { name: "Skip" }).click();
    await same(voted, { Hedda: "decide" });
    await phil.goto(`/plans/${plan}?tab=chat`);
    await say(phil, "Shall I bring bread?");
    await expect(messages(phil, "Shall I bring bread?")).toBeVisible();
    await expect(messages(phil, "Shall I bring bread?")).not.toContainText("Sending");
    await phil.goto(`/plans/${plan}`);
    await same(voted, { Hedda: "decide", Max: "chat" });
    await max.getByRole("region", { name: "What's next" }).getByRole("button").click();
    await expect(max.getByText("Shall I bring bread?", { exact: true })).toBeVisible();
    await expect
      .poll(() => stack.backend.sql(`select 1 from public.message_reads where plan_id = '${plan}'`))
      .toHaveLength(3);
    await max.goto(`/plans/${plan}`);
    await same(voted, { Hedda: "decide" });
  });

  const decided = { Hedda: "expected", Phil: "expected", Kay: "maybe", Max: "not_coming" };
  await test.step("Hedda chooses the time alone, takes it back, and chooses it again", async () => {
    const choose = async () => {
      await hedda.getByRole("tab", { name: "Best" }).click();
      await hedda.getByRole("button", { name: "Choose this" }).click();
      await expect(hedda.getByRole("dialog", { name: "Not everyone can come" })).toContainText(
        "Max can't come then.",
      );
      await hedda.getByRole("button", { name: "Choose it anyway" }).click();
      await expect(ticket(hedda)).toContainText("Place to be decided");
    };
    await choose();
    await expect(ticket(phil)).toBeVisible();
    await same(decided, { Hedda: "place" });
    await hedda.getByRole("region", { name: "Undo" }).getByRole("button", { name: "Undo" }).click();
    await expect(ticket(phil)).toHaveCount(0);
    await same(voted, { Hedda: "decide" });
    expect(
      await stack.backend.sql(`select 1 from private.outgoing_mail where kind = 'plan_confirmed'`),
    ).toEqual([]);
    // Nothing else is undone, and the mails of each decision wait as long as it can be.
    await stack.backend.sql("update private.limits set value = 1 where name = 'undo_seconds'");
    await choose();
    await expect(ticket(phil)).toBeVisible();
    await same(decided, { Hedda: "place" });
    await agreeInMails(stack, /^It's on: /, decided);
    await agreeInPush(stack, kays, `/plans/${plan}`, /^It's on: /);
  });

  await test.step("Lea joins late", async () => {
    await sitDown(await open("Lea", "phone"), link, "Lea");
    await same({ ...decided, Lea: "asked" }, { Hedda: "place", Lea: "rsvp" });
  });
  const lea = pages.Lea;
  if (!lea) throw new Error("Lea is missing.");

  await test.step("Hedda adds the place by its name, which moves nobody", async () => {
    await ticket(hedda).getByRole("button", { name: "Add the place" }).click();
    const field = hedda.getByRole("dialog").getByRole("searchbox", { name: "Name of the place" });
    await field.fill("Harbour soup");
    await field.press("Enter");
    await expect(ticket(lea)).toContainText("Harbour soup");
    await same({ ...decided, Lea: "asked" }, { Hedda: "share", Lea: "rsvp" });
    await agreeInMails(stack, /^The place is Harbour soup: /, decided);
    await agreeInPush(stack, kays, `/plans/${plan}`, /Harbour soup/);
  });

  await test.step("she changes the time to a new one: everybody is asked again", async () => {
    await hedda.getByRole("button", { name: "Manage plan" }).first().click();
    await hedda.getByRole("button", { name: "Change time or place" }).click();
    await hedda.getByRole("button", { name: "Add another time" }).click();
    await hedda.getByRole("button", { name: "Suggest", exact: true }).click();
    await expect(hedda.getByRole("radio").last()).toBeAttached();
    await hedda.getByRole("button", { name: "Change it and tell everyone" }).click();
    await expect(ticket(phil)).toContainText("Earlier answers no longer count.");
    const asked = { Hedda: "expected", Phil: "asked", Kay: "asked", Max: "asked", Lea: "asked" };
    await same(asked, { Hedda: "share", Phil: "rsvp", Kay: "rsvp", Max: "rsvp", Lea: "rsvp" });
    await agreeInMails(stack, /^Changed: /, asked);
    await agreeInPush(stack, kays, `/plans/${plan}`, /^Changed to .*Are you still coming\?$/);
  });

  await test.step("they answer", async () => {
    await ticket(phil).getByText("I'm coming").click();
    await ticket(lea).getByText("I'm coming").click();
    await ticket(max).getByText("I can't come").click();
    await ticket(kay).getByRole("radio", { name: "Maybe" }).focus();
    await kay.keyboard.press("Space");
    await expect
      .poll(() =>
        stack.backend.sql(`select 1 from public.plan_members where plan_id = '${plan}' and rsvp = 'pending'`),
      )
      .toEqual([]);
    await same({ Hedda: "expected", Phil: "expected", Kay: "maybe", Max: "not_coming", Lea: "expected" });
  });

  await test.step("the place has a phone: Hedda books for those who come", async () => {
    await stack.backend.sql("update public.places set phone = '+49 561 1234' where name = 'Harbour soup'");
    await hedda.reload();
    const states = { Hedda: "expected", Phil: "expected", Kay: "maybe", Max: "not_coming", Lea: "expected" };
    await same(states, { Hedda: "book" });
    await ticket(hedda).getByRole("button", { name: "Booked for 3 under Hedda" }).click();
    await same(states);
  });

  await test.step("on the day one is on the way, and one is here", async () => {
    await stack.backend.sql(
      `update public.time_options as o set starts_at = now() + interval '1 hour', ends_at = now() + interval '3 hours'
       from public.plans as p where p.id = '${plan}' and o.id = p.chosen_time_id`,
    );
    for (const page of Object.values(pages)) await page.goto(`/plans/${plan}?tab=day`);
    await phil.getByRole("button", { name: "10 min", exact: true }).click();
    await lea.getByRole("button", { name: "I'm here" }).click();
    await expect(lea.getByText("You're here. Enjoy your meal.")).toBeVisible();
    await same(
      { Hedda: "expected", Phil: "on_the_way", Kay: "maybe", Max: "not_coming", Lea: "here" },
      { Hedda: "set_out" },
    );
  });

  await test.step("afterwards who was there is who was there, and rates it", async () => {
    await stack.backend.sql(
      `update public.time_options as o set starts_at = now() - interval '9 hours', ends_at = now() - interval '7 hours'
       from public.plans as p where p.id = '${plan}' and o.id = p.chosen_time_id`,
    );
    for (const page of Object.values(pages)) await page.goto(`/plans/${plan}?tab=day`);
    const over = { Hedda: "was_there", Phil: "was_there", Kay: "maybe", Max: "not_coming", Lea: "was_there" };
    await same(over, { Hedda: "rate", Phil: "rate", Lea: "rate" });
    await expect(phil.getByText("It was good to see you", { exact: true })).toBeVisible();
    await expect(max.getByText("Over", { exact: true })).toBeVisible();
    await giveStars(phil, 5);
    await phil.getByRole("button", { name: "Save rating" }).click();
    await expect(phil.getByRole("tab", { selected: true })).toBeFocused();
    await expect
      .poll(() => stack.backend.sql(`select stars from public.ratings where plan_id = '${plan}'`))
      .toEqual([{ stars: 5 }]);
    for (const page of Object.values(pages)) await page.goto("/home");
    await same(over, { Hedda: "rate", Lea: "rate" });
  });
});
