import { describe, expect, it } from "vitest";
import { withFailure, withMessage, withPending, withRead } from "./domain.ts";
import type { Message, MessageRow } from "./schema.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const ben = "00000000-0000-4000-8000-0000000000a2";

function row(id: string, more: Partial<MessageRow> = {}): MessageRow {
  return {
    id,
    plan_id: "p",
    author_id: ana,
    client_id: `client-${id}`,
    body: id,
    reply_to: null,
    edited_at: null,
    deleted_at: null,
    created_at: "2026-11-27T10:00:00Z",
    ...more,
  };
}

const pending: Message = { ...row("temporary", { client_id: "c1" }), delivery: "pending" };
const bodies = (list: readonly Message[]) => list.map((message) => `${message.body} ${message.delivery}`);

describe("a conversation", () => {
  it("replaces a pending message by the row that confirms it, whichever way it comes first", () => {
    const stored = row("stored", { client_id: "c1", body: "hello" });
    expect(bodies(withMessage(withPending([], pending), stored))).toEqual(["hello sent"]);
    expect(bodies(withMessage(withMessage(withPending([], pending), stored), stored))).toEqual([
      "hello sent",
    ]);
  });

  it("does not take another person's client id for its own", () => {
    const foreign = row("foreign", { client_id: "c1", author_id: ben });
    expect(withMessage(withPending([], pending), foreign)).toHaveLength(2);
  });

  it("keeps what is on its way, and what failed, when it is read anew", () => {
    const failed = withFailure(withPending([], pending), "c1");
    expect(bodies(withRead([row("old")], failed))).toEqual(["old sent", "temporary failed"]);
    expect(bodies(withRead([row("stored", { client_id: "c1" })], failed))).toEqual(["stored sent"]);
  });

  it("is in the order of the server's clock, with equal times in a fixed order", () => {
    const late = row("b", { created_at: "2026-11-27T10:01:00Z" });
    const list = [late, row("c"), row("a")].reduce<Message[]>((all, one) => withMessage(all, one), []);
    expect(list.map((message) => message.id)).toEqual(["a", "c", "b"]);
  });

  it("shows an edit in place", () => {
    const first = withMessage([], row("a", { body: "thursday" }));
    expect(bodies(withMessage(first, row("a", { body: "friday" })))).toEqual(["friday sent"]);
  });
});
