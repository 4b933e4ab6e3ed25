/**
 * Nosh's own mails, from the row to the delivered mail: invitations, reminders, and opting out. The inbox is
 * the local stack's, with the API that the functions use.
 */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createBackend } from "../target/integration.ts";
import { type Received, startMailService } from "./mail-service.ts";
import { clientOf, dataOf, guest, type NoshClient, people, plans, signedIn } from "./people.ts";

const SITE = "https://nosh.test";

/** The provider's status, and a promise that delays its responses; a test may change both. */
let answer = 200;
let open: Promise<void> = Promise.resolve();
let waiting = 0;

const inbox = await startMailService(async () => {
  waiting += 1;
  await open;
  waiting -= 1;
  return answer;
});
const received = inbox.received;
const backend = await createBackend({
  config: {
    edge_runtime: { secrets: { MAIL_URL: inbox.url, SITE_URL: SITE } },
  },
});
const ana = await signedIn(backend, "ana");
beforeAll(async () => {
  // Mails wait until a decision can no longer be undone.
  await backend.sql("update private.limits set value = 1 where name = 'undo_seconds'");
  // Mails due in the seed's plans are not part of these tests.
  await backend.sql("select private.remind()");
  await backend.sql("delete from private.outgoing_mail");
});
afterAll(async () => {
  await backend.drop();
  inbox?.close();
});
afterEach(async () => {
  answer = 200;
  received.length = 0;
  await backend.sql("delete from private.outgoing_mail");
});

/** Waits until no mail is being sent or waits for its first attempt. */
const settled = () =>
  expect
    .poll(() =>
      backend.sql(
        `select address from private.outgoing_mail
         where sent_at is null and (failure is null or attempts = 0) and attempts < 5`,
      ),
    )
    .toEqual([]);

async function invite(client: NoshClient, addresses: unknown, plan: string = plans.dinner) {
  const said = await ask(client, addresses, plan);
  await settled();
  return said;
}
async function ask(client: NoshClient, addresses: unknown, plan: string = plans.dinner) {
  const { data, error } = await client.functions.invoke("send-invites", {
    body: { plan_id: plan, addresses },
  });
  if (error) return { status: error.context?.status, ...(await error.context?.json()) };
  return data;
}
const scheduleSecret = async () => {
  const [row] = await backend.sql<{ secret: string }>(
    "select decrypted_secret as secret from vault.decrypted_secrets where name = 'reminders_secret'",
  );
  return { "x-reminders-secret": row?.secret ?? "" };
};
const reminders = async (secret?: Record<string, string>) => {
  const response = await fetch(`${backend.url}/functions/v1/plan-reminders`, {
    method: "POST",
    headers: { apikey: backend.publishableKey, ...(secret ?? (await scheduleSecret())) },
  });
  return { status: response.status, body: (await response.json()) as object };
};
/** Sets the URL at which the database calls the functions; with null nothing is delivered. */
async function setProjectUrl(url: string | null): Promise<void> {
  await backend.sql(
    "select vault.update_secret((select id from vault.secrets where name in ('project_url', 'off')), $1, $2)",
    [url, url === null ? "off" : "project_url"],
  );
}
const tokenOf = (mail: Received | undefined) => /\/mail\/([0-9a-f-]{36})/.exec(mail?.text ?? "")?.[1] ?? "";

test("only who knows the vault's secret has mail delivered", async () => {
  expect((await reminders({})).status).toBe(401);
  expect((await reminders({ "x-reminders-secret": "guess" })).status).toBe(403);
  expect(await reminders()).toEqual({ status: 202, body: { accepted: true } });
  const { error } = await ana.rpc("is_reminders_secret", { given: "guess" });
  expect(error?.code).toBe("42501");
});

test("an invitation is a mail with a link that seats one person", async () => {
  expect(await invite(ana, ["Greta@Example.org", "greta@example.org "])).toEqual({
    invites: [{ address: "greta@example.org", outcome: "waiting" }],
  });
  expect(received.length).toBe(1);
  const [mail] = received;
  expect(mail).toMatchObject({
    to: "greta@example.org",
    subject: "Ana invited you: Dinner before the holidays",
  });
  const token = new RegExp(`${SITE}/join/([\\w-]+)`).exec(mail?.text ?? "")?.[1] ?? "";
  const greta = await guest(backend, "Greta");
  expect(dataOf(await greta.client.rpc("accept_invite", { token }))).toEqual([
    { kind: "plan", target: plans.dinner },
  ]);
  const second = await guest(backend, "Somebody else");
  expect((await second.client.rpc("accept_invite", { token })).error).toMatchObject({
    details: "invite_used_up",
  });
  // Only the mail has the link.
  expect(
    await backend.sql("select secret from private.outgoing_mail where address = 'greta@example.org'"),
  ).toEqual([{ secret: null }]);
});

test("who is no host, or a guest, or asks for nonsense, invites nobody", async () => {
  const dev = await signedIn(backend, "dev");
  expect(await invite(dev, ["x@example.org"])).toMatchObject({ status: 403, code: "not_host" });
  const stranger = await guest(backend, "Stranger");
  expect(await invite(stranger.client, ["x@example.org"])).toMatchObject({
    status: 404,
    code: "plan_not_found",
  });
  expect(await invite(ana, ["not an address"])).toMatchObject({ status: 400, code: "mail_bad_address" });
  expect(await invite(ana, ["a@example.org, b@example.org"])).toMatchObject({
    status: 400,
    code: "mail_bad_address",
  });
  expect(await invite(ana, [])).toMatchObject({ status: 400, code: "mail_bad_address" });
  expect(await invite(ana, "x@example.org")).toMatchObject({ status: 400, code: "invalid_request" });
  expect(await invite(ana, ["x@example.org"], "nonsense")).toMatchObject({
    status: 400,
    code: "invalid_request",
  });
  const many = Array.from({ length: 21 }, (_, index) => `p${index}@example.org`);
  expect(await invite(ana, many)).toMatchObject({ status: 429, code: "too_many_mails" });
  expect(received).toEqual([]);
});

test("a provider that takes its time holds up nobody, and the mail comes later", async () => {
  let release: () => void = () => undefined;
  open = new Promise((resolve) => {
    release = resolve;
  });
  try {
    expect(await ask(ana, ["slow@example.org"])).toEqual({
      invites: [{ address: "slow@example.org", outcome: "waiting" }],
    });
    await expect.poll(() => waiting).toBe(1);
    // The schedule also gets its response while the first mail is still being sent.
    await backend.sql(
      `insert into private.outgoing_mail (address, kind, plan_id, language)
       values ('slow@example.org', 'plan_reopened', $1, 'en')`,
      [plans.dinner],
    );
    expect(await reminders()).toEqual({ status: 202, body: { accepted: true } });
    await expect.poll(() => waiting).toBe(2);
    expect(received).toEqual([]);
    expect(await backend.sql("select sent_at from private.outgoing_mail where sent_at is not null")).toEqual(
      [],
    );
  } finally {
    release();
    open = Promise.resolve();
  }
  await settled();
  expect(received.map(({ to }) => to)).toEqual(["slow@example.org", "slow@example.org"]);
});

test("a provider that is down loses no mail, and none goes out twice", async () => {
  answer = 503;
  expect(await invite(ana, ["later@example.org"])).toEqual({
    invites: [{ address: "later@example.org", outcome: "waiting" }],
  });
  const later = () =>
    backend.sql<{ attempts: number; failure: string | null }>(
      "select attempts, failure from private.outgoing_mail where address = 'later@example.org'",
    );
  expect(await later()).toEqual([{ attempts: 1, failure: expect.stringContaining("503") }]);
  answer = 200;
  // Retried only after a while, so that a slow first attempt is not overtaken: another mail is sent before
  // it.
  await invite(ana, ["other@example.org"]);
  expect(received.map(({ to }) => to)).toEqual(["other@example.org"]);
  expect(await later()).toMatchObject([{ attempts: 1 }]);
  await backend.sql(
    "update private.outgoing_mail set taken_at = now() - interval '11 minutes', failure = null",
  );
  await Promise.all([reminders(), reminders()]);
  await settled();
  expect(received.map(({ to }) => to)).toEqual(["other@example.org", "later@example.org"]);
  expect(await later()).toEqual([{ attempts: 2, failure: null }]);
});

test("a mail that is given up does not keep its invite's token", async () => {
  answer = 503;
  await invite(ana, ["never@example.org"]);
  const secret = () =>
    backend.sql<{ kept: boolean }>(
      "select secret is not null as kept from private.outgoing_mail where address = 'never@example.org'",
    );
  expect(await secret()).toEqual([{ kept: true }]);
  await backend.sql(
    "update private.outgoing_mail set attempts = 4, taken_at = now() - interval '11 minutes', failure = null",
  );
  await reminders();
  await settled();
  await expect.poll(secret).toEqual([{ kept: false }]);
});

test("a guest who leaves an address confirms it in one mail, one click ends it, and it goes with the seat", async () => {
  await setProjectUrl(backend.url);
  const [link] = dataOf(await ana.rpc("create_invite", { plan: plans.dinner }));
  const kim = await guest(backend, "Kim");
  dataOf(await kim.client.rpc("accept_invite", { token: link?.token ?? "" }));
  expect(
    dataOf(await kim.client.rpc("leave_address", { plan: plans.dinner, address: "kim@example.org" })),
  ).toBe("asked");
  await expect.poll(() => received.map(({ to }) => to)).toEqual(["kim@example.org"]);
  await settled();
  const [mail] = received;
  expect(mail?.subject).toBe("Confirm your address: Dinner before the holidays");
  expect(mail?.text).toContain("Kim would like emails about “Dinner before the holidays” sent here");
  const token = new RegExp(`${SITE}/mail/confirm/([\\w-]+)`).exec(mail?.text ?? "")?.[1] ?? "";
  expect(dataOf(await clientOf(backend).rpc("confirm_address", { token }))).toBe(plans.dinner);
  expect(mail?.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
  const unsubscribe = `${backend.url}/functions/v1/unsubscribe?token=${tokenOf(mail)}`;
  expect((await fetch(unsubscribe, { method: "POST" })).ok).toBe(true);
  expect(
    await backend.sql(
      "select no_reminders_since is not null as stopped from private.mail_recipients where address = 'kim@example.org'",
    ),
  ).toEqual([{ stopped: true }]);
  await backend.sql(`delete from public.plan_members where user_id = '${kim.id}'`);
  expect(await backend.sql("select 1 from private.left_addresses where address = 'kim@example.org'")).toEqual(
    [],
  );
  await setProjectUrl(null);
  // A link of another time, and an address that is asked too often.
  expect((await clientOf(backend).rpc("confirm_address", { token })).error).toMatchObject({
    details: "confirmation_gone",
  });
  const leave = async (plan: string) => {
    const { client } = await guest(backend, "Many");
    dataOf(await client.rpc("accept_invite", { token: link?.token ?? "" }));
    return (await client.rpc("leave_address", { plan, address: "often@example.org" })).error;
  };
  for (const _ of [1, 2, 3]) expect(await leave(plans.dinner)).toBeNull();
  expect(await leave(plans.dinner)).toMatchObject({ code: "PT429", details: "too_many_confirmations" });
  await backend.sql(
    "delete from public.plan_members where user_id in (select id from public.profiles where display_name = 'Many')",
  );
});

test("without a provider nobody is told that a mail is on its way", async () => {
  await using without = await createBackend();
  const host = await signedIn(without, "ana");
  expect(await ask(host, ["x@example.org"])).toMatchObject({ status: 503, code: "mail_not_configured" });
  expect(await without.sql("select 1 from private.outgoing_mail where address = 'x@example.org'")).toEqual(
    [],
  );
});

test("one click in the mail program stops mails to that address, and a page turns them on again", async () => {
  await invite(ana, ["enough@example.org"]);
  const [mail] = received;
  expect(mail?.headers["List-Unsubscribe-Post"]).toBe("List-Unsubscribe=One-Click");
  const oneClick = mail?.headers["List-Unsubscribe"]?.replace(/[<>]/g, "") ?? "";
  // Scanners follow links: GET changes nothing, and redirects to the settings page.
  const looked = await fetch(oneClick, { redirect: "manual" });
  expect([looked.status, looked.headers.get("location")]).toEqual([303, `${SITE}/mail/${tokenOf(mail)}`]);
  expect((await fetch(oneClick, { method: "POST", body: "List-Unsubscribe=One-Click" })).status).toBe(200);
  received.length = 0;
  expect(await invite(ana, ["enough@example.org"])).toEqual({
    invites: [{ address: "enough@example.org", outcome: "not_sent" }],
  });
  expect(received).toEqual([]);

  const anybody = clientOf(backend);
  const token = tokenOf(mail);
  expect(dataOf(await anybody.rpc("mail_choice", { token }))).toEqual([
    { address: "e…@example.org", invites: false, reminders: false },
  ]);
  await anybody.rpc("choose_mail", { token, invites: true, reminders: false });
  expect(await invite(ana, ["enough@example.org"])).toMatchObject({ invites: [{ outcome: "waiting" }] });
  expect((await anybody.rpc("mail_choice", { token: people.ana })).error).toMatchObject({
    details: "mail_link_gone",
  });
});

/** The person has said nothing yet. */
async function takeVotesBack(person: string): Promise<void> {
  for (const votes of ["time_votes", "place_votes"]) {
    await backend.sql(`delete from public.${votes} where plan_id = $1 and user_id = $2`, [
      plans.dinner,
      person,
    ]);
  }
}

test("who is missing before the deadline is reminded once, in their language, and again when it moves", async () => {
  await backend.sql("update public.plans set vote_deadline = now() + interval '3 hours' where id = $1", [
    plans.dinner,
  ]);
  await takeVotesBack(people.dev);
  const dev = await signedIn(backend, "dev");
  dataOf(await dev.from("private_profiles").update({ language: "de" }).eq("id", people.dev).select());
  await backend.sql("select private.remind()");
  await backend.sql("select private.remind()");
  expect((await reminders()).status).toBe(202);
  await settled();
  const mine = received.filter(({ to }) => to === "dev@nosh.test");
  expect(mine.map(({ subject }) => subject)).toEqual(["Denk ans Abstimmen: Dinner before the holidays"]);
  const told = dataOf(await dev.from("notifications").select("kind").eq("kind", "vote_reminder"));
  expect(told.length).toBe(1);

  received.length = 0;
  await backend.sql("update public.plans set vote_deadline = now() + interval '5 hours' where id = $1", [
    plans.dinner,
  ]);
  dataOf(await dev.from("private_profiles").update({ mail_reminders: false }).eq("id", people.dev).select());
  await backend.sql("select private.remind()");
  await reminders();
  await settled();
  expect(received.filter(({ to }) => to === "dev@nosh.test")).toEqual([]);
  expect(dataOf(await dev.from("notifications").select("kind").eq("kind", "vote_reminder")).length).toBe(2);
});

test("what people wrote is text in a mail, never markup or a header", async () => {
  const title = `<b>Ha</b> & "more"\nBcc: x@y.z`;
  await backend.sql("update public.plans set title = $2 where id = $1", [plans.dinner, title]);
  await invite(ana, ["markup@example.org"]);
  await backend.sql("update public.plans set title = 'Dinner before the holidays' where id = $1", [
    plans.dinner,
  ]);
  expect(received[0]?.html).not.toContain("<b>Ha</b>");
  expect(received[0]?.subject).not.toContain("\n");
});

const sequenceOf = (mail: Received | undefined) =>
  Number(/SEQUENCE:(\d+)/.exec(mail?.files[0]?.text ?? "")?.[1]);

test("a nudge is mailed at once to people who have not voted", async () => {
  await setProjectUrl(backend.url);
  await takeVotesBack(people.ben);
  const nudged = dataOf(await ana.rpc("nudge_voters", { plan: plans.dinner }));
  expect(nudged).toBeGreaterThan(0);
  await expect.poll(() => received.map(({ to }) => to)).toContain("ben@nosh.test");
  await settled();
  const mail = received.find(({ to }) => to === "ben@nosh.test");
  expect(mail?.subject).toBe("When can you make it? Dinner before the holidays");
  expect(mail?.text).toContain("Ana is waiting for your vote");
  expect(received.length).toBeLessThanOrEqual(nudged);
});

/** The organiser and the attendees of the entry in a mail. */
function peopleIn(mail: Received | undefined): string[] {
  const lines = (mail?.files[0]?.text ?? "").replaceAll("\r\n ", "").split("\r\n");
  return lines
    .filter((line) => /^(ORGANIZER|ATTENDEE)/.test(line))
    .map((line) =>
      line.replace(/;CN="(.*)":mailto:/, " $1 ").replace(/;.*PARTSTAT=([\w-]+).*:mailto:/, " $1 "),
    );
}

test("what becomes of a plan is told by mail at once, with an entry that moves in calendars", async () => {
  const [option] = await backend.sql<{ time: string; later: string; place: string }>(
    `select (select id from public.time_options where plan_id = '${plans.dinner}' order by starts_at limit 1) as time,
       (select id from public.time_options where plan_id = '${plans.dinner}' order by starts_at desc limit 1) as later,
       (select id from public.place_options where plan_id = '${plans.dinner}' order by id limit 1) as place`,
  );
  await backend.sql("delete from public.place_hours");
  await backend.sql("update public.time_votes set answer = 'yes' where plan_id = $1 and user_id = $2", [
    plans.dinner,
    people.ana,
  ]);
  await setProjectUrl(backend.url);
  const everybody = await backend.sql<{ user_id: string }>(
    `select user_id from public.plan_members where plan_id = '${plans.dinner}' and user_id <> '${people.ana}'`,
  );
  // The time alone: the place follows.
  const confirmed = await ana.rpc("confirm_plan", { plan: plans.dinner, time_option: option?.time ?? "" });
  expect(confirmed.error).toBeNull();
  await expect.poll(() => received.map(({ to }) => to).sort()).toContain("ben@nosh.test");
  await settled();
  const first = received.find(({ to }) => to === "ben@nosh.test");
  expect(first?.subject).toMatch(/^It's on: Dinner before the holidays, /);
  // The host who decided gets the calendar's entry, and is not asked whether they come.
  const own = received.find(({ to }) => to === "ana@nosh.test");
  expect(own?.files[0]?.text).toContain("STATUS:CONFIRMED");
  expect(own?.text).not.toContain("Are you coming?");
  const [file] = first?.files ?? [];
  expect(file?.name).toBe("nosh.ics");
  expect(file?.text).toContain(`UID:${plans.dinner}@nosh`);
  expect(file?.type).toBe("text/calendar; charset=utf-8; method=REQUEST");
  // The service invites this person, and nobody else's address is in their entry.
  expect(peopleIn(first)).toEqual([
    "ORGANIZER Nosh table@nosh.invalid",
    "ATTENDEE NEEDS-ACTION ben@nosh.test",
  ]);
  expect(peopleIn(own)).toEqual(["ORGANIZER Nosh table@nosh.invalid", "ATTENDEE ACCEPTED ana@nosh.test"]);
  expect(first?.text).toContain("The place is still to be decided.");
  expect(file?.text).not.toContain("LOCATION");
  let sequence = sequenceOf(first);

  received.length = 0;
  const placed = await ana.rpc("change_choice", {
    plan: plans.dinner,
    was_time: option?.time ?? "",
    time_option: option?.time ?? "",
    place_option: option?.place ?? "",
    unsafe_for: everybody.map(({ user_id }) => user_id),
  });
  expect(placed.error).toBeNull();
  await backend.sql("select private.deliver_mail()");
  await expect.poll(() => received.map(({ to }) => to)).toContain("ben@nosh.test");
  await settled();
  const place = received.find(({ to }) => to === "ben@nosh.test");
  expect(place?.subject).toMatch(/^The place is \w.*: Dinner before the holidays$/);
  expect(place?.files[0]?.text).toContain(`UID:${plans.dinner}@nosh`);
  expect(place?.files[0]?.text).toContain("LOCATION:");
  expect(sequenceOf(place)).toBeGreaterThan(sequence);
  sequence = sequenceOf(place);

  received.length = 0;
  // A changed note waits for the schedule, so that two corrections are one mail. Both are made at once, because the
  // delivery of the decision may look for further mails until now.
  await backend.sql(`do $$ begin
    perform set_config('request.jwt.claims', '{"sub": "${people.ana}"}', true);
    update public.plans set note = 'Back entrance' where id = '${plans.dinner}';
    update public.plans set note = 'Entrance in the yard' where id = '${plans.dinner}';
  end $$`);
  await backend.sql("select private.deliver_mail()");
  await expect.poll(() => received.map(({ to }) => to)).toContain("ben@nosh.test");
  await settled();
  const changes = received.filter(({ to }) => to === "ben@nosh.test");
  expect(changes.map(({ subject }) => subject)).toEqual(["Changed: Dinner before the holidays"]);
  expect(changes[0]?.text).toContain("Note: Entrance in the yard");
  expect(changes[0]?.files[0]?.text).toContain(`UID:${plans.dinner}@nosh`);
  expect(sequenceOf(changes[0])).toBeGreaterThan(sequence);
  sequence = sequenceOf(changes[0]);
  const ben = await signedIn(backend, "ben");
  const told = dataOf(await ben.from("notifications").select("kind").eq("kind", "plan_changed"));
  expect(told.length).toBe(1);

  received.length = 0;
  const moved = await ana.rpc("change_choice", {
    plan: plans.dinner,
    was_time: option?.time ?? "",
    was_place: option?.place ?? "",
    time_option: option?.later ?? "",
    place_option: option?.place ?? "",
    unsafe_for: everybody.map(({ user_id }) => user_id),
  });
  expect(moved.error).toBeNull();
  await expect.poll(() => received.map(({ to }) => to)).toContain("ben@nosh.test");
  await settled();
  const move = received.find(({ to }) => to === "ben@nosh.test");
  expect(move?.subject).toMatch(/^Changed: Dinner before the holidays, now \w+,? \d+ \w+/);
  expect(move?.text).toContain("Please say again whether you're coming.");
  const startsIn = (mail: Received | undefined) => /DTSTART:\w+/.exec(mail?.files[0]?.text ?? "")?.[0];
  expect(move?.files[0]?.text).toContain(`UID:${plans.dinner}@nosh`);
  expect(startsIn(move)).not.toBe(startsIn(first));
  // Ben is asked again.
  expect(peopleIn(move)).toContain("ATTENDEE NEEDS-ACTION ben@nosh.test");
  expect(sequenceOf(move)).toBeGreaterThan(sequence);
  sequence = sequenceOf(move);

  received.length = 0;
  expect((await ana.rpc("cancel_plan", { plan: plans.dinner })).error).toBeNull();
  await expect.poll(() => received.map(({ to }) => to)).toContain("ben@nosh.test");
  await settled();
  const second = received.find(({ to }) => to === "ben@nosh.test");
  expect(second?.subject).toBe("Cancelled: Dinner before the holidays");
  expect(second?.files[0]?.text).toContain("STATUS:CANCELLED");
  expect(second?.files[0]?.type).toContain("method=CANCEL");
  expect(sequenceOf(second)).toBeGreaterThan(sequence);
});

test("who wants no reminders hears of no decision, and of several that wait only the newest goes out", async () => {
  await setProjectUrl(null);
  await backend.sql(`update public.private_profiles set mail_reminders = false where id = '${people.ben}'`);
  expect((await ana.rpc("restore_plan", { plan: plans.dinner })).error).toBeNull();
  expect((await ana.rpc("cancel_plan", { plan: plans.dinner })).error).toBeNull();
  const waiting = await backend.sql<{ address: string; kind: string }>(
    "select address, kind::text from private.outgoing_mail where sent_at is null",
  );
  expect(waiting.length).toBeGreaterThan(0);
  expect(new Set(waiting.map(({ kind }) => kind))).toEqual(new Set(["plan_cancelled"]));
  expect(waiting.some(({ address }) => address === "ben@nosh.test")).toBe(false);
});
