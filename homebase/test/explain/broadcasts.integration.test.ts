/** Explanations of broadcasts that do not come, each held against what a client hears. */
import { createClient, type RealtimeChannel } from "@supabase/supabase-js";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { explain, sentenceTexts } from "../../src/explain/index.ts";
import { createBackend } from "../../src/testing/index.ts";
import { forThisFile } from "../for-this-file.ts";
import { ANA, ChangeRig, on } from "../realtime/change-rig.ts";

const BEN = "22222222-2222-2222-2222-222222222222";
const backend = await forThisFile(createBackend({ bare: true }));
const rig = new ChangeRig(backend);
let db: pg.Client;
let topic = "";

beforeAll(async () => {
  await backend.sql(`
    create table public.team_members (team text, user_id uuid, speaks boolean);
    insert into public.team_members values ('team', '${ANA}', true), ('team', '${BEN}', false);
    grant select on public.team_members to authenticated;
    create policy "members listen" on realtime.messages for select to authenticated using (exists (
      select 1 from public.team_members m where m.team = split_part(realtime.topic(), '-', 1) and m.user_id = auth.uid()));
    create policy "speakers speak" on realtime.messages for insert to authenticated with check (exists (
      select 1 from public.team_members m where m.team = split_part(realtime.topic(), '-', 1) and m.user_id = auth.uid() and m.speaks));
    create function public.send(topic text) returns void language sql as $$ select realtime.send('{}', 'moved', topic) $$`);
  db = new pg.Client(backend.databaseUrl);
  await db.connect();
});
afterAll(() => db.end());
beforeEach(() => {
  topic = `team-${Math.random()}`;
});

interface Heard {
  channel: RealtimeChannel;
  events: string[];
  status: string;
}

async function join(user: string, config: Record<string, unknown> = { private: true }): Promise<Heard> {
  const client = createClient(backend.url, backend.publishableKey, { accessToken: () => rig.token(user) });
  await client.realtime.setAuth();
  const channel = client.channel(topic, { config });
  const events: string[] = [];
  channel.on("broadcast", { event: "*" }, ({ event }) => events.push(event));
  const status = await new Promise<string>((resolve) => channel.subscribe((one) => resolve(one)));
  return { channel, events, status };
}

const send = ({ channel }: Heard, event = "moved", payload: object = {}) =>
  channel.send({ type: "broadcast", event, payload });

/** The sentences that a user gets. */
async function why(user: string, more = ""): Promise<string> {
  const asked = {
    method: "EVENT",
    path: `realtime:${topic}${more}`,
    role: "authenticated",
    claims: { sub: user, role: "authenticated" },
  };
  const { happenings } = backend.backend.happenings.list({ kinds: ["join", "change", "broadcast"] });
  return sentenceTexts(await explain(db, asked, { happened: happenings })).join("\n");
}

/** Resolves when the stack has noted so many broadcasts of this test. */
const noted = (count: number) =>
  expect
    .poll(() => {
      const { happenings } = backend.backend.happenings.list({ kinds: ["broadcast"] });
      return happenings.filter((one) => one.kind === "broadcast" && one.topic === topic).length;
    })
    .toBe(count);

test("one that was sent to the caller is told with what may be wrong in the page", async () => {
  const [ana, ben] = [await join(ANA), await join(BEN)];
  await send(ana);
  await expect.poll(() => ben.events).toEqual(["moved"]);
  const told = await why(BEN);
  expect(told).toMatch(
    /^The last broadcast \(moved, [\d:.]+, private, from a channel's client\) was sent to 1 of 1 channels, /,
  );
  expect(told).toContain(`authenticated ${BEN} among them`);
  expect(told).toContain('the listener is for another event: .on("broadcast", { event: "moved" })');
  expect(told).toContain(`On private channel ${topic}, authenticated may hear broadcasts.`);
  expect(told).toContain('Sends no broadcasts: policy "speakers speak"');
});

test("one's own is not heard without `self`", async () => {
  const ana = await join(ANA);
  await send(ana);
  await noted(1);
  expect(ana.events).toEqual([]);
  expect(await why(ANA)).toMatch(
    /came from this channel itself, which gets its own broadcasts only with config/,
  );
  await ana.channel.unsubscribe();
  const heard = await join(ANA, { private: true, broadcast: { self: true } });
  await send(heard);
  await expect.poll(() => heard.events).toEqual(["moved"]);
  expect(await why(ANA)).toMatch(/was sent to 1 of 1 channels/);
});

test("a sender without the right is told of only where an acknowledgement was asked for", async () => {
  const [ana, ben] = [await join(ANA), await join(BEN)];
  await send(ben);
  await noted(1);
  expect(ana.events).toEqual([]);
  expect(await why(ANA)).toMatch(
    new RegExp(
      `^The last broadcast .* was sent to nobody: ${BEN} may not write broadcasts there \\(policies for insert on realtime\\.messages\\)\\. The sender was not told: with config: \\{ broadcast: \\{ ack: true \\} \\} send\\(\\) gives the error\\.`,
    ),
  );
  expect(await why(BEN)).toContain(
    'Sends no broadcasts: policy "speakers speak" wants a row of team_members with',
  );
  await ben.channel.unsubscribe();
  const told = await join(BEN, { private: true, broadcast: { ack: true } });
  expect(await send(told)).toBe("error");
  await noted(2);
  expect(await why(ANA)).toContain("The sender was told so.");
});

test("one above the size is sent to nobody", async () => {
  const [ana, ben] = [await join(ANA), await join(BEN)];
  await send(ana, "moved", { text: "x".repeat(3_100_000) });
  await noted(1);
  expect(ben.events).toEqual([]);
  expect(await why(BEN)).toContain("was sent to nobody: its payload is larger than 3,000 KB and 500 bytes");
});

test("private and public channels of one name are two", async () => {
  const [ana, ben] = [await join(ANA), await join(BEN, { private: false })];
  await send(ana);
  await noted(1);
  expect(ben.events).toEqual([]);
  expect(await why(BEN)).toContain(
    `who had joined ${topic} as public: the private and the public channel of a name are two. Join with config: { private: true }.`,
  );
  const other = await join(ANA, { private: false });
  await send(other);
  await expect.poll(() => ben.events).toEqual(["moved"]);
  expect(await why(BEN, "?private=false")).toContain("no policy is asked there");
});

test("a refused join, a channel that was left, and one that was joined later are told with their times", async () => {
  topic = `other-${Math.random()}`;
  expect((await join(ANA)).status).toBe("CHANNEL_ERROR");
  await backend.sql(`select realtime.send('{}', 'moved', $1)`, [topic]);
  const none = await why(ANA);
  expect(none).toMatch(
    /The channel was refused at [\d:.]+: Unauthorized: You do not have permissions to read/,
  );
  expect(none).toContain('Hears no broadcasts: policy "members listen" wants a row of team_members');

  topic = `team-${Math.random()}`;
  const [ana, ben] = [await join(ANA), await join(BEN)];
  await ben.channel.unsubscribe();
  await send(ana);
  await noted(1);
  expect(await why(BEN)).toMatch(/was not sent to authenticated \S+, whose channel was left at [\d:.]+\./);

  topic = `team-${Math.random()}`;
  const first = await join(ANA);
  await send(first);
  await noted(1);
  const late = await join(BEN);
  expect(late.events).toEqual([]);
  expect(await why(BEN)).toMatch(/had not joined before [\d:.]+: a later join does not get it/);
});

test("one that never came: of another event, of another topic, or refused in the database", async () => {
  const ana = await join(ANA);
  await send(ana, "typed");
  await noted(1);
  const told = await why(ANA, "?event=moved");
  expect(told).toMatch(/^No broadcast moved has come to the stack on team-/);
  expect(told).toContain("There were broadcasts of other events: typed.");
  const joined = topic;
  topic = `${joined}x`;
  expect(await why(ANA)).toContain(`Nor has authenticated joined ${topic}, but `);

  // `realtime.send` with the rights of Ben, who may not write: only a warning.
  topic = `team-${Math.random()}`;
  const ben = await join(BEN);
  const client = createClient(backend.url, backend.publishableKey, { accessToken: () => rig.token(BEN) });
  expect((await client.rpc("send", { topic })).error).toBeNull();
  expect(ben.events).toEqual([]);
  const database = await why(BEN);
  expect(database).toMatch(/^No broadcast has come to the stack on /);
  expect(database).toContain(
    "So realtime.send and broadcast_changes send nothing either where authenticated calls them",
  );
  const speaker = createClient(backend.url, backend.publishableKey, { accessToken: () => rig.token(ANA) });
  expect((await speaker.rpc("send", { topic })).error).toBeNull();
  await expect.poll(() => ben.events).toEqual(["moved"]);
  expect(await why(BEN)).toMatch(
    /^The last broadcast \(moved, .*, private, from the database\) was sent to 1 of 1/,
  );
});

test("without the stack, what the database has stored and the policies are told", async () => {
  await backend.sql(`select realtime.send('{}', 'moved', $1, false)`, [topic]);
  const asked = {
    method: "EVENT",
    path: `realtime:${topic}`,
    role: "authenticated",
    claims: { sub: BEN, role: "authenticated" },
  };
  const sentences = sentenceTexts(await explain(db, asked));
  expect(sentences[0]).toMatch(/^What the stack has sent is not known here/);
  expect(sentences[1]).toMatch(/^The database has stored a broadcast there \(moved, public, /);
  expect(sentences.join("\n")).toContain("authenticated may hear broadcasts");
});

test("an event of a table ends with what the stack did with its last change", async () => {
  await rig.table(
    "places",
    "id int primary key, owner uuid",
    `alter table public.places enable row level security;
     create policy "own" on public.places for select using (owner = auth.uid()); grant select on public.places to authenticated`,
  );
  await rig.listener([on("places")], { access_token: await rig.token(BEN) });
  await rig.listener([on("places")]);
  await backend.sql(`insert into public.places values (7, '${ANA}')`);
  await expect.poll(() => backend.backend.happenings.list({ kinds: ["change"] }).happenings.length).toBe(1);
  const claims = { sub: BEN, role: "authenticated" };
  const asked = { method: "EVENT", path: "public.places", role: "authenticated", claims };
  const { happenings } = backend.backend.happenings.list();
  const sentences = sentenceTexts(await explain(db, asked, { row: "7", happened: happenings }));
  expect(sentences.at(-1)).toMatch(
    new RegExp(
      `^The last change \\(INSERT, [\\d:.]+\\) was sent to 1 of 2 subscriptions: 1 may not see the row\\. authenticated ${BEN} was stopped by the policy\\.$`,
    ),
  );
});
