/** Chat: two people, lost connections, and conversations of any length. */
import type { Page } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { demoPassword } from "../../../scripts/demo-accounts.ts";
import { expect, type Person, signIn, test } from "../fixtures.ts";
import type { Stack } from "../stack.ts";
import { layTable, people } from "../tables.ts";
import { choose, composer, messages, say } from "./conversation.ts";

const id = (number: number) => `00000000-0000-4000-8000-0000000000b${number}`;
const NOODLES = `/plans/${id(2)}`;

/** Ana and Ben at one table, both with the chat open. */
async function together(
  ana: () => Promise<Person>,
  person: (name: string) => Promise<Person>,
): Promise<[Person, Person]> {
  const [one, two] = await Promise.all([ana(), person("Ben")]);
  await two.page.goto(`/sign-in?next=${NOODLES}`);
  await Promise.all([signIn(two.page, "ben@nosh.test", NOODLES), one.page.goto(NOODLES)]);
  for (const { page } of [one, two]) {
    await expect(messages(page, "Noodles after?")).toBeVisible();
    await expect(page.getByText("Connecting")).toHaveCount(0);
  }
  return [one, two];
}

const texts = (page: Page) =>
  page
    .getByRole("list", { name: "Messages" })
    .getByRole("listitem")
    .evaluateAll((rows) => rows.map((row) => row.querySelector("p.whitespace-pre-wrap")?.textContent));

test("two people write while one is offline; afterwards both see the same, each message once", async ({
  ana,
  person,
}) => {
  const [{ page: anas, watch }, { page: bens }] = await together(ana, person);
  watch.expect(/ERR_INTERNET_DISCONNECTED|WebSocket/);
  await anas.context().setOffline(true);
  await say(anas, "From the tunnel, one");
  await say(anas, "From the tunnel, two");
  await say(bens, "Still there?");
  await choose(bens, "Still there?", "Edit");
  await composer(bens).fill("Are you still there?");
  await bens.getByRole("button", { name: "Save changes" }).click();
  await expect(messages(bens, "Are you still there?")).toContainText("edited");
  await choose(bens, "Noodles after?", "Tasty");

  await anas.context().setOffline(false);
  await expect(messages(bens, "From the tunnel, two")).toHaveCount(1);
  await expect(messages(anas, "Are you still there?")).toHaveCount(1);
  await expect(messages(anas, "Noodles after?").getByRole("button", { name: /^Tasty/ })).toBeVisible();
  await expect.poll(() => texts(anas)).toEqual(await texts(bens));
  expect((await texts(bens)).slice(-3)).toEqual([
    "Are you still there?",
    "From the tunnel, one",
    "From the tunnel, two",
  ]);
});

test("a forged broadcast is shown to nobody, and hides no message", async ({ ana, person, stack }) => {
  const [{ page: anas }, { page: bens }] = await together(ana, person);
  const fatou = createClient(stack.backend.url, stack.backend.publishableKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  await fatou.auth.signInWithPassword({ email: "fatou@nosh.test", password: demoPassword });
  const channel = fatou.channel(`plan:${id(2)}:0:${people.fatou}`, {
    config: { private: true, broadcast: { ack: true } },
  });
  await new Promise<void>((resolve) => {
    channel.subscribe((status) => {
      if (status === "SUBSCRIBED") resolve();
    });
  });
  const [last] = await stack.backend.sql<{ revision: string }>(
    `select max(revision) as revision from public.messages where plan_id = '${id(2)}'`,
  );
  const revision = Number(last?.revision) + 1;
  const record = {
    id: crypto.randomUUID(),
    plan_id: id(2),
    author_id: people.ben,
    client_id: crypto.randomUUID(),
    body: "Dinner is on me",
    reply_to: null,
    photo_id: null,
    edited_at: null,
    deleted_at: null,
    created_at: new Date().toISOString(),
    revision,
    text_revision: revision,
  };
  const payload = { table: "messages", operation: "INSERT", record };
  expect(await channel.send({ type: "broadcast", event: "INSERT", payload })).toBe("ok");
  await say(bens, "I said this myself");
  await expect(messages(anas, "I said this myself")).toHaveCount(1);
  await expect(anas.getByText("Dinner is on me")).toHaveCount(0);
  await fatou.removeAllChannels();
});

test("replies, reactions, edits and deletions appear for the other at once", async ({ ana, person }) => {
  const [{ page: anas }, { page: bens }] = await together(ana, person);
  await say(anas, "Ramen or pho? See https://example.com/pho.");
  const link = messages(bens, "Ramen or pho?").getByRole("link");
  await expect(link).toHaveAttribute("href", "https://example.com/pho");
  await expect(link).toHaveAttribute("rel", /noopener/);

  await choose(bens, "Ramen or pho?", "Reply");
  await expect(bens.getByText("Replying to Ana")).toBeVisible();
  await say(bens, "Pho, always");
  await expect(
    messages(anas, "Pho, always").getByRole("button", { name: /Go to the message from You/ }),
  ).toBeVisible();

  await choose(anas, "Pho, always", "Love it");
  const heart = messages(bens, "Pho, always").getByRole("button", { name: "Love it: Ana" });
  await expect(heart).toBeVisible();
  await heart.click();
  await expect(
    messages(anas, "Pho, always").getByRole("button", { name: "Love it: You and Ben" }),
  ).toBeVisible();

  // Arrow up in an empty composer edits the last own message.
  await composer(bens).press("ArrowUp");
  await expect(composer(bens)).toHaveValue("Pho, always");
  await composer(bens).fill("Pho, nearly always");
  await composer(bens).press("Enter");
  await expect(messages(anas, "Pho, nearly always")).toContainText("edited");
  await expect(messages(anas, "Pho, nearly always").getByRole("button", { name: /^Love it/ })).toBeVisible();

  await choose(anas, "Ramen or pho?", "Delete");
  await expect(messages(bens, "Message deleted").last()).toBeVisible();
  await expect(messages(bens, "Ramen or pho?")).toHaveCount(0);
});

test("by keyboard: enter the message list, move to a message, open its menu, and return", async ({ ana }) => {
  const { page } = await ana();
  await page.goto(NOODLES);
  await say(page, "first for the keys");
  await say(page, "second for the keys");
  await expect(messages(page, "second for the keys")).not.toContainText("Sending");
  await messages(page, "second for the keys").getByRole("button").last().focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("button", { name: "Love it" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(
    messages(page, "first for the keys").getByRole("button", { name: "Love it: You" }),
  ).toBeVisible();
});

test("a message edited in two tabs at once: the later tab is told, and keeps what was typed", async ({
  ana,
}) => {
  const { page: one, watch } = await ana();
  watch.expect(/409/);
  await one.goto(NOODLES);
  const two = await one.context().newPage();
  await two.goto(NOODLES);
  await say(one, "At seven");
  await expect(messages(two, "At seven")).toBeVisible();
  await expect(messages(one, "At seven")).not.toContainText("Sending");
  for (const page of [one, two]) await choose(page, "At seven", "Edit");
  await composer(one).fill("At eight");
  await composer(two).fill("At nine");
  await one.getByRole("button", { name: "Save changes" }).click();
  await expect(messages(two, "At eight")).toBeVisible();
  await two.getByRole("button", { name: "Save changes" }).click();
  await expect(two.getByRole("alert")).toContainText("changed since you opened it");
  await expect(composer(two)).toHaveValue("At nine");
  await expect(two.getByText("It now says:")).toBeVisible();
  await two.getByRole("button", { name: "Use mine" }).click();
  await expect(messages(one, "At nine")).toHaveCount(1);
  await two.close();
});

test("unread messages begin at a line; new ones are counted when scrolled up; a reply links to its message", async ({
  ana,
  person,
  stack,
}) => {
  const table = await layTable(stack, { title: "Much was said", guests: ["ben"] });
  await stack.backend.sql(`
    insert into public.messages (plan_id, author_id, client_id, body, created_at)
    select '${table.id}', '00000000-0000-4000-8000-0000000000a2', gen_random_uuid(), 'Point ' || n || '.',
      now() - make_interval(mins => 200 - n)
    from generate_series(1, 150) as n`);
  await stack.backend.sql(`
    insert into public.message_reads (plan_id, user_id, read_at)
    select plan_id, '00000000-0000-4000-8000-0000000000a1', created_at from public.messages
    where plan_id = '${table.id}' and body = 'Point 120.'`);
  const [{ page: anas }, { page: bens }] = await Promise.all([ana(), person("Ben")]);
  await bens.goto(`/sign-in?next=${table.path}`);
  await Promise.all([signIn(bens, "ben@nosh.test", table.path), anas.goto(table.path)]);

  await expect(messages(anas, "Point 121.")).toContainText("New messages");
  await expect(messages(anas, "Point 121.")).toBeInViewport();
  await expect(messages(anas, "Point 150.")).not.toBeInViewport();
  await stack.backend.sql(`
    insert into public.messages (plan_id, author_id, client_id, body, reply_to)
    select plan_id, author_id, gen_random_uuid(), 'See my point three', id from public.messages
    where plan_id = '${table.id}' and body = 'Point 3.'`);
  await anas.getByRole("button", { name: "1 new message" }).click();
  await expect(messages(anas, "See my point three")).toBeInViewport();
  await expect
    .poll(() =>
      stack.backend.sql(
        `select 1 from public.message_reads as r join public.messages as m using (plan_id)
         where r.plan_id = '${table.id}' and user_id = '00000000-0000-4000-8000-0000000000a1'
           and m.body = 'See my point three' and r.read_at >= m.created_at`,
      ),
    )
    .toHaveLength(1);

  // The quoted message is two pages back.
  await messages(anas, "See my point three")
    .getByRole("button", { name: "Go to the message from Ben that this replies to" })
    .click();
  await expect(messages(anas, /Point 3\./).first()).toBeInViewport();
});

test("a message between the first read and the joined channel is not missed", async ({ ana, stack }) => {
  const table = await layTable(stack, { title: "Slow to join", guests: ["ben"] });
  const { page } = await ana();
  let join = () => {};
  const held = new Promise<void>((resolve) => {
    join = resolve;
  });
  await page.routeWebSocket(/\/realtime\/v1\/websocket/, async (socket) => {
    await held;
    socket.connectToServer();
  });
  await page.goto(table.path);
  await expect(page.getByText("No messages yet")).toBeVisible();
  await stack.backend.sql(`
    insert into public.messages (plan_id, author_id, client_id, body)
    values ('${table.id}', '00000000-0000-4000-8000-0000000000a2', gen_random_uuid(), 'Too early')`);
  join();
  await expect(messages(page, "Too early")).toBeVisible();
});

/** Inserts ten thousand messages at Ana's confirmed dinner, one a minute, without notifications. */
async function insertMessages(stack: Stack, count: number): Promise<void> {
  await stack.backend.sql(`
    do $$ begin
      alter table public.messages disable trigger announce_insert;
      insert into public.messages (plan_id, author_id, client_id, body, created_at)
        select '${id(3)}', case when n % 3 = 0 then '00000000-0000-4000-8000-0000000000a1'::uuid
            else '00000000-0000-4000-8000-0000000000a2'::uuid end,
          gen_random_uuid(), 'Line ' || n || repeat(' and so on', n % 7), now() - make_interval(mins => ${count} - n)
        from generate_series(1, ${count}) as n;
      alter table public.messages enable trigger announce_insert;
    end $$`);
}

test("ten thousand messages: opened at once, scrolled to the first, with few in the document", async ({
  ana,
  stack,
}) => {
  test.setTimeout(90_000);
  await insertMessages(stack, 10_000);
  const { page } = await ana();
  await page.goto(`/plans/${id(3)}`);
  await expect(messages(page, /Line \d/).last()).toBeVisible();
  const list = page.getByRole("list", { name: "Messages" });
  const drawn = () => list.getByRole("listitem").count();
  // Unread since then: the loaded messages begin at the line of the unread.
  await page
    .getByRole("button", { name: "Go to the newest message" })
    .click()
    .catch(() => undefined);
  await expect(messages(page, "Line 10000")).toBeVisible();
  await expect.poll(drawn).toBeLessThan(250);

  await test.step("what one reads stays where it is while older ones come in", async () => {
    let letGo = () => undefined as unknown;
    const held = new Promise((resolve) => {
      letGo = () => resolve(undefined);
    });
    await page.route(/rest\/v1\/messages.*created_at\.lt/, async (route) => {
      await held;
      await route.continue();
    });
    await list.evaluate((box) => box.scrollTo({ top: 300 }));
    // Only rows near the scroll position are rendered.
    await expect.poll(async () => (await firstInView(page)).below).toBeLessThan(150);
    const before = await firstInView(page);
    letGo();
    await expect.poll(() => list.evaluate((box) => box.scrollTop)).toBeGreaterThan(900);
    await expect
      .poll(() =>
        page.locator(`[data-message="${before.id}"]`).evaluate((row) => row.getBoundingClientRect().top),
      )
      .toBeCloseTo(before.top, -1);
    await page.unroute(/rest\/v1\/messages.*created_at\.lt/);
  });

  const longest = await page.evaluate(async () => {
    const box = document.querySelector('[role="list"][aria-label="Messages"]') as HTMLElement;
    const tasks: number[] = [];
    new PerformanceObserver((seen) => {
      for (const entry of seen.getEntries()) tasks.push(entry.duration);
    }).observe({ type: "longtask" });
    for (let step = 0; step < 60; step += 1) {
      box.scrollTop = Math.max(0, box.scrollTop - 700);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    return Math.max(0, ...tasks);
  });
  console.log(`longest task while scrolling up sixty steps: ${Math.round(longest)} ms`);

  // To the very first one, page by page.
  await expect
    .poll(
      async () => {
        await list.evaluate((box) => box.scrollTo({ top: 0 }));
        return page.getByText("This is the start of the chat.").count();
      },
      { timeout: 60_000, intervals: [60] },
    )
    .toBe(1);
  // The last loaded page kept the scroll position: the very first message is above it.
  await expect(async () => {
    await list.evaluate((box) => box.scrollTo({ top: 0 }));
    await expect(messages(page, "Line 1 and so on")).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect.poll(drawn).toBeLessThan(250);
});

/** The first completely visible message, and its position. */
async function firstInView(page: Page): Promise<{ id: string; top: number; below: number }> {
  return page.evaluate(() => {
    const box = document.querySelector('[role="list"][aria-label="Messages"]') as HTMLElement;
    const edge = box.getBoundingClientRect().top;
    for (const row of box.querySelectorAll<HTMLElement>("[data-message]")) {
      const { top } = row.getBoundingClientRect();
      if (top >= edge) return { id: row.dataset.message ?? "", top, below: top - edge };
    }
    throw new Error("No message is in view.");
  });
}
