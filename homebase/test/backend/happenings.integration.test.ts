/** What the parts of a Backend note of what happened: mails, jobs, calls, channels, changes, broadcasts and log lines. */
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import { expect, test } from "vitest";
import { happeningText } from "../../src/core/happening-text.ts";
import type { HappeningKind, ReadHappening } from "../../src/core/happenings.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig, on } from "../realtime/change-rig.ts";

const BEN = "22222222-2222-2222-2222-222222222222";
const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);
const { happenings } = backend.backend;
const found = (kind: HappeningKind) => happenings.list({ kinds: [kind] }).happenings;
/** The texts of what came since a cursor. */
const since = (after: number, kind: HappeningKind) =>
  happenings.list({ after, kinds: [kind] }).happenings.map(happeningText);
const now = () => happenings.list().cursor;

test("a mail has the id of the request that sent it", async () => {
  const client = createClient(backend.url, backend.publishableKey);
  await client.auth.signInWithOtp({ email: "ana@example.com" });
  const [request] = backend.requests({ service: "auth" }).slice(-1);
  expect(happenings.list({ request: request?.id ?? "" }).happenings).toMatchObject([
    { kind: "mail", to: "ana@example.com", subject: expect.stringContaining("code") },
  ]);
});

test("a job's run is kept with its result, and a failed one with its error", async () => {
  await backend.sql("create extension pg_cron");
  await backend.sql("select cron.schedule('good', '1 second', 'select 1 union select 2')");
  await backend.sql("select cron.schedule('bad', '1 second', 'select 1 / 0')");
  await expect.poll(() => new Set(found("job").map((one) => one.kind === "job" && one.status)).size).toBe(2);
  await backend.sql("select cron.unschedule(jobname) from cron.job");
  const texts = found("job").map(happeningText);
  expect(texts).toContainEqual(
    expect.stringMatching(/^\d+ \(good\) of postgres succeeded after \d+ ms: 2 rows$/),
  );
  expect(texts).toContainEqual(expect.stringMatching(/failed after \d+ ms: ERROR: {2}division by zero$/));
});

test("a call of pg_net is kept without its query's values", async () => {
  await backend.sql("create extension pg_net");
  await backend.sql("select net.http_get('http://127.0.0.1:1/hook?key=secret-value')");
  await expect.poll(() => found("net").length).toBe(1);
  const [text] = found("net").map(happeningText);
  expect(text).toMatch(/^1 GET http:\/\/127\.0\.0\.1:1\/hook\?key=\(string, 12 characters\) .*ECONNREFUSED/);
});

/** A client with the token of a user, and a channel that has joined, or why it has not. */
async function joined(
  user: string,
  topic: string,
  options: Record<string, unknown> = {},
): Promise<RealtimeChannel> {
  const client = createClient(backend.url, backend.publishableKey, {
    accessToken: () => rig.token(user),
  });
  await client.realtime.setAuth();
  const channel = client.channel(topic, { config: { private: true, ...options } });
  channel.on("broadcast", { event: "*" }, () => {});
  await new Promise<void>((resolve) => channel.subscribe(() => resolve()));
  return channel;
}

test("a join and its refusal are kept with role and user, and a leave", async () => {
  await backend.sql(
    `create policy "Ana reads" on realtime.messages for select to authenticated using (auth.uid() = '${ANA}')`,
  );
  const before = now();
  const channel = await joined(ANA, "team");
  await joined(BEN, "team");
  await channel.unsubscribe();
  await expect.poll(() => since(before, "join").length).toBe(3);
  expect(since(before, "join")).toEqual([
    `team (private) joined by authenticated ${ANA}`,
    expect.stringMatching(
      `^team \\(private\\) refused to authenticated ${BEN}: Unauthorized: You do not have permissions`,
    ),
    `team (private) left by authenticated ${ANA}`,
  ]);
});

test("a broadcast is one entry with how many got it, from a client, a request and the database", async () => {
  const channel = await joined(ANA, "cursors", { private: false, broadcast: { ack: true, self: true } });
  const others = await Promise.all([1, 2, 3].map(() => joined(BEN, "cursors", { private: false })));
  await joined(ANA, "cursors");
  const before = now();
  expect(await channel.send({ type: "broadcast", event: "moved", payload: { x: 1 } })).toBe("ok");
  await others[0]?.httpSend("posted", { x: 1 });
  await backend.sql(`select realtime.send('{"x": 1}', 'stored', 'cursors', false)`);
  await expect.poll(() => since(before, "broadcast").length).toBe(3);
  expect(since(before, "broadcast")).toEqual([
    `moved on cursors (public) from authenticated ${ANA} to 4 of 4; 1 joined it as private`,
    `posted on cursors (public) from a request of authenticated ${BEN} to 4 of 4; 1 joined it as private`,
    "stored on cursors (public) from the database to 4 of 4; 1 joined it as private",
  ]);
});

test("a broadcast that policies refuse, or that is too large, says why, though its sender is told nothing", async () => {
  const channel = await joined(ANA, "read-only");
  const before = now();
  await channel.send({ type: "broadcast", event: "moved", payload: {} });
  await expect.poll(() => since(before, "broadcast").length).toBe(1);
  const open = await joined(ANA, "large", { private: false });
  await open.send({ type: "broadcast", event: "moved", payload: { text: "x".repeat(4_000_000) } });
  await expect.poll(() => since(before, "broadcast").length).toBe(2);
  expect(since(before, "broadcast")).toEqual([
    `moved on read-only (private) from authenticated ${ANA} refused: unauthorized`,
    `moved on large (public) from authenticated ${ANA} refused: payload_size_exceeded`,
  ]);
  expect(found("broadcast").at(-1)).toMatchObject({ told: false });
});

test("presence is an entry for each track that says something new, its end, and its refusal", async () => {
  const channel = await joined(ANA, "here", { private: false, presence: { key: "ana", enabled: true } });
  await joined(BEN, "here", { private: false });
  const locked = await joined(ANA, "read-only");
  const before = now();
  expect(await channel.track({ typing: true })).toBe("ok");
  expect(await channel.track({ typing: true })).toBe("ok");
  expect(await channel.untrack()).toBe("ok");
  await locked.track({ typing: true });
  await expect.poll(() => since(before, "presence").length).toBe(3);
  expect(since(before, "presence")).toEqual([
    `here (public) tracked as ana by authenticated ${ANA} to 2 of 2`,
    `here (public) untracked as ana by authenticated ${ANA} to 2 of 2`,
    `read-only (private) refused by authenticated ${ANA}: unauthorized`,
  ]);
});

test("a change is one entry with the subscriptions by gate, and who was refused", async () => {
  await rig.table(
    "places",
    "id int primary key, owner uuid, city text",
    `alter table public.places enable row level security;
     create policy "own" on public.places for select using (owner = auth.uid()); grant select on public.places to authenticated`,
  );
  const token = await rig.token(BEN);
  await rig.listener([on("places")]);
  await rig.listener([on("places", { filter: "city=eq.Bonn" })]);
  await rig.listener([on("places", { event: "DELETE" })]);
  await rig.listener([on("places")], { access_token: token });
  const before = now();
  await backend.sql(`insert into public.places values (7, '${ANA}', 'Rome')`);
  await expect
    .poll(() => since(before, "change"))
    .toEqual(["INSERT public.places (7) to 1 of 4; 1 for another kind of change, 1 by filter, 1 by policy"]);
  const change = happenings.list({ after: before, kinds: ["change"] }).happenings[0] as ReadHappening & {
    kind: "change";
  };
  expect(change.refused.map(({ gate, receiver }) => [gate, receiver.user]).sort()).toEqual([
    ["filter", ANA],
    ["policy", BEN],
  ]);
});

test("ten thousand changed rows take twenty entries a second at most", async () => {
  const before = now();
  await backend.sql(
    `insert into public.places select n, '${ANA}', 'Rome' from generate_series(100, 10099) n`,
  );
  const total = () =>
    happenings
      .list({ after: before, kinds: ["change"] })
      .happenings.reduce((sum, { times }) => sum + times, 0);
  await expect.poll(total, { timeout: 20_000 }).toBe(10_000);
  expect(since(before, "change").length).toBeLessThan(500);
});

test("at most twenty of the refused are named", async () => {
  const token = await rig.token(BEN);
  await Promise.all(Array.from({ length: 25 }, () => rig.listener([on("places")], { access_token: token })));
  const before = now();
  // Another kind than the ten thousand before, which are counted by the second.
  await backend.sql("update public.places set city = 'Lima' where id = 7");
  await expect.poll(() => since(before, "change").length).toBe(1);
  const [change] = happenings.list({ after: before, kinds: ["change"] }).happenings;
  expect(change).toMatchObject({ hidden: 26 });
  expect(change?.kind === "change" && change.refused).toHaveLength(20);
});

test("the log's lines are kept", () => {
  backend.backend.log.named("rest").warn("watch out");
  expect(found("log").map(happeningText)).toContain("warn rest: watch out");
});
