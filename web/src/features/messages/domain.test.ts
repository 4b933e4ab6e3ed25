/** Tests domain.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BLOCK,
  blocksOf,
  byPosition,
  type Conversation,
  continues,
  firstPage,
  firstUnread,
  keyOf,
  newerThan,
  newest,
  shown,
  withChanges,
  withOlder,
  withReaction,
  withStored,
} from "./domain.ts";
import type { Emoji, Message, StoredMessage, WaitingMessage } from "./schema.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const ben = "00000000-0000-4000-8000-0000000000a2";
const PAGE = 4;

function row(id: string, more: Partial<StoredMessage> = {}): StoredMessage {
  return {
    id,
    plan_id: "p",
    author_id: ana,
    client_id: `client-${id}`,
    body: id,
    reply_to: null,
    photo_id: null,
    edited_at: null,
    deleted_at: null,
    created_at: "2026-11-27T10:00:00+00:00",
    revision: 1,
    text_revision: 1,
    reactions: [],
    ...more,
  };
}

function waits(clientId: string, more: Partial<WaitingMessage> = {}): WaitingMessage {
  return {
    client_id: clientId,
    body: clientId,
    reply_to: null,
    photo_id: null,
    created_at: "2026-11-27T09:00:00Z",
    refused: null,
    ...more,
  };
}

const nothing: Conversation = { rows: [], from: null, upTo: 0 };
const bodies = (list: readonly Message[]) => list.map((message) => `${message.body} ${message.delivery}`);

describe("a conversation", () => {
  it("shows a message once, whether its row or its place in the outbox goes first", () => {
    const stored = row("s", { client_id: "c1", body: "hello" });
    const { after } = withStored(nothing, stored);
    expect(bodies(shown(after, [waits("c1")], ana))).toEqual(["hello sent"]);
    expect(bodies(shown(nothing, [waits("c1")], ana))).toEqual(["c1 pending"]);
    expect(bodies(shown(after, [], ana))).toEqual(["hello sent"]);
  });

  it("does not take another person's client id for its own", () => {
    const { after } = withStored(nothing, row("s", { client_id: "c1", author_id: ben }));
    expect(shown(after, [waits("c1")], ana)).toHaveLength(2);
  });

  it("says which of its messages were refused", () => {
    const refused = waits("c1", { refused: { message: "no", hint: "" } });
    expect(bodies(shown(nothing, [refused], ana))).toEqual(["c1 failed"]);
  });

  it("is in the order of the server's clock to the microsecond, equal times in a fixed order", () => {
    const rows = [
      row("late", { created_at: "2026-11-27T10:00:00.5+00:00", revision: 1 }),
      row("b", { created_at: "2026-11-27T10:00:00.123457+00:00", revision: 2 }),
      row("a", { created_at: "2026-11-27T10:00:00.123457+00:00", revision: 3 }),
      row("first", { created_at: "2026-11-27T10:00:00.123456+00:00", revision: 4 }),
    ];
    expect(firstPage(rows, 60).rows.map(({ id }) => id)).toEqual(["first", "a", "b", "late"]);
  });

  it("takes the very next new message as it is, and knows of a gap by its number", () => {
    const one = withStored(nothing, row("a", { revision: 1 }));
    expect(one.complete).toBe(true);
    expect(one.after.upTo).toBe(1);
    const third = withStored(one.after, row("c", { revision: 3, text_revision: 3 }));
    expect(third.complete).toBe(false);
    expect(third.after.upTo).toBe(1);
    expect(third.after.rows).toHaveLength(2);
  });

  it("does not let an older state of a message come back", () => {
    const edited = withChanges(nothing, [row("a", { body: "friday", revision: 5, text_revision: 5 })]);
    const late = withStored(edited, row("a", { body: "thursday", revision: 4, text_revision: 4 }));
    expect(late.after.rows[0]?.body).toBe("friday");
    expect(withOlder(edited, [row("a", { body: "thursday" })], 2).rows[0]?.body).toBe("friday");
  });

  it("keeps only its newest part for the next time, and knows that there is more", () => {
    const rows = [1, 2, 3].map((n) =>
      row(`m${n}`, { revision: n, created_at: `2026-11-27T10:0${n}:00+00:00` }),
    );
    const kept = newest(firstPage(rows, 60), 2);
    expect(kept.rows.map(({ id }) => id)).toEqual(["m2", "m3"]);
    expect(kept.from?.id).toBe("m2");
    expect(kept.upTo).toBe(3);
  });

  it("has one's own reaction at once, and off again", () => {
    const on = withReaction(withChanges(nothing, [row("a")]), "a", ana, "😋", true);
    expect(on.rows[0]?.reactions).toEqual([{ user_id: ana, emoji: "😋" }]);
    expect(withReaction(on, "a", ana, "😋", true).rows[0]?.reactions).toHaveLength(1);
    expect(withReaction(on, "a", ana, "😋", false).rows[0]?.reactions).toEqual([]);
  });

  it("is the server's, whatever was lost, doubled or late on the way", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const server = new Server();
        const client = new Client(server);
        for (const each of steps) each(server, client);
        client.settle();
        const expected = server.all();
        expect(client.conversation.rows).toEqual(expected);
        expect(bodies(shown(client.conversation, client.waiting, ana))).toEqual([
          ...expected.map(({ body }) => `${body} sent`),
          ...client.waiting.filter(({ client_id }) => !server.has(client_id)).map((w) => `${w.body} pending`),
        ]);
      }),
      { numRuns: 400 },
    );
  });

  it("never shows one message twice on the way there", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const server = new Server();
        const client = new Client(server);
        for (const each of steps) {
          each(server, client);
          const keys = shown(client.conversation, client.waiting, ana).map(keyOf);
          expect(new Set(keys).size).toBe(keys.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** What the database does: one number for each change, in the order in which they become true. */
class Server {
  rows: StoredMessage[] = [];
  revision = 0;
  told: StoredMessage[] = [];

  send(clientId: string, author: string, second: number): void {
    if (this.has(clientId)) return;
    this.revision += 1;
    const added = row(`id-${String(this.revision).padStart(3, "0")}`, {
      client_id: clientId,
      author_id: author,
      body: `said ${this.revision}`,
      revision: this.revision,
      text_revision: this.revision,
      created_at: `2026-11-27T10:00:${String(second).padStart(2, "0")}.5+00:00`,
    });
    this.rows.push(added);
    this.told.push(added);
  }

  change(index: number, how: (row: StoredMessage, revision: number) => Partial<StoredMessage>): void {
    const old = this.rows[index % Math.max(1, this.rows.length)];
    if (!old) return;
    this.revision += 1;
    const next = { ...old, ...how(old, this.revision), revision: this.revision };
    this.rows = this.rows.map((each) => (each === old ? next : each));
    this.told.push(next);
  }

  has(clientId: string): boolean {
    return this.rows.some((each) => each.client_id === clientId);
  }

  all(): StoredMessage[] {
    return this.rows.toSorted(byPosition);
  }
}

/** What the app does with it: broadcasts in order or lost, and reads whose answers come later than they were made. */
class Client {
  conversation: Conversation;
  waiting: WaitingMessage[] = [];
  heard = 0;
  answers: (() => void)[] = [];
  readonly server: Server;

  constructor(server: Server) {
    this.server = server;
    this.conversation = firstPage(server.all().toReversed().slice(0, PAGE), PAGE);
  }

  hear(lost: boolean): void {
    const next = this.server.told[this.heard];
    if (!next) return;
    this.heard += 1;
    if (!lost)
      this.conversation = withStored(this.conversation, { ...next, reactions: [] } as StoredMessage).after;
  }

  askChanges(): void {
    const changed = this.server.rows.filter((each) => each.revision > this.conversation.upTo);
    this.answers.push(() => {
      this.conversation = withChanges(this.conversation, changed);
    });
  }

  askOlder(): void {
    const { from } = this.conversation;
    if (from === null) return;
    const older = this.server
      .all()
      .filter((each) => byPosition(each, from) < 0)
      .toReversed()
      .slice(0, PAGE);
    this.answers.push(() => {
      // One page at a time: an answer to an older question is not a page that joins on.
      if (this.conversation.from === from) this.conversation = withOlder(this.conversation, older, PAGE);
    });
  }

  answer(): void {
    this.answers.shift()?.();
  }

  settle(): void {
    while (this.answers.length > 0) this.answer();
    this.askChanges();
    this.answer();
    while (this.conversation.from !== null) {
      this.askOlder();
      this.answer();
    }
  }
}

const index = fc.nat(30);
const emoji = fc.constantFrom<Emoji>("❤️", "😋");
type Step = (server: Server, client: Client) => void;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(fc.uuid(), fc.nat(5)).map(
    ([id, second]): Step =>
      (server) =>
        server.send(id, ben, second),
  ),
  fc.tuple(fc.uuid(), fc.nat(5), fc.boolean()).map(
    ([id, second, arrives]): Step =>
      (server, client) => {
        client.waiting.push(waits(id));
        if (arrives) server.send(id, ana, second);
      },
  ),
  index.map(
    (at): Step =>
      (server) =>
        server.change(at, (_old, revision) => ({ body: `edited ${revision}`, text_revision: revision })),
  ),
  index.map(
    (at): Step =>
      (server) =>
        server.change(at, (_old, revision) => ({ body: "", deleted_at: "x", text_revision: revision })),
  ),
  fc.tuple(index, emoji).map(
    ([at, what]): Step =>
      (server) =>
        server.change(at, (old) => ({ reactions: [...old.reactions, { user_id: ben, emoji: what }] })),
  ),
  fc.boolean().map(
    (lost): Step =>
      (_server, client) =>
        client.hear(lost),
  ),
  fc.constant<Step>((_server, client) => client.askChanges()),
  fc.constant<Step>((_server, client) => client.askOlder()),
  fc.constant<Step>((_server, client) => client.answer()),
);

describe("the list", () => {
  const at = (minute: number, more: Partial<StoredMessage> = {}): Message => ({
    ...row(`m${minute}`, {
      created_at: new Date(Date.UTC(2026, 10, 27, 10, minute)).toISOString(),
      ...more,
    }),
    delivery: "sent",
  });

  it("joins what one person says within five minutes, but never an answer", () => {
    expect(continues(at(4), at(0))).toBe(true);
    expect(continues(at(5), at(0))).toBe(false);
    expect(continues(at(1, { author_id: ben }), at(0))).toBe(false);
    expect(continues(at(1, { reply_to: "x" }), at(0))).toBe(false);
  });

  it("begins the unread at the first message of others after one last looked", () => {
    const list = [at(0, { author_id: ben }), at(1), at(2, { author_id: ben }), at(3, { author_id: ben })];
    expect(firstUnread(list, "2026-11-27T10:01:00+00:00", ana)?.id).toBe("m2");
    expect(firstUnread(list, "2026-11-27T10:03:00+00:00", ana)).toBeUndefined();
  });

  it("counts the messages of others below a message, and none when that one was discarded", () => {
    const list = [at(0, { author_id: ben }), at(1), at(2, { author_id: ben }), at(3)];
    expect(newerThan(list, keyOf(at(1)), ana)).toBe(1);
    expect(newerThan(list, keyOf(at(3)), ana)).toBe(0);
    expect(newerThan(list, keyOf(at(9)), ana)).toBe(0);
  });

  it("is cut into blocks that keep their beginnings while messages come in at both ends", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 90 })), { maxLength: 8 }),
        (growth) => {
          let list: Message[] = [];
          let begun = new Set<string>();
          let low = 0;
          let high = 0;
          for (const [above, count] of growth) {
            if (above) {
              low -= count;
              list = [...Array.from({ length: count }, (_, n) => at(low + n)), ...list];
            } else {
              list = [...list, ...Array.from({ length: count }, (_, n) => at(high + n))];
              high += count;
            }
            const blocks = blocksOf(list, begun);
            const starts = new Set(blocks.map(([first]) => (first ? keyOf(first) : "")));
            expect(blocks.flat()).toEqual(list);
            expect(blocks.every((block) => block.length > 0 && block.length <= BLOCK)).toBe(true);
            for (const start of begun) expect(starts).toContain(start);
            begun = starts;
          }
        },
      ),
    );
  });
});
