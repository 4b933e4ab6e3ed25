/** Tests form-draft.ts. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { draftText, removeDrafts, storeDraftText } from "../../lib/device/drafts.ts";
import { mergeDraft, readDraft, storeDraft } from "./form-draft.ts";

const schema = z.object({ title: z.string(), seats: z.nullable(z.int()) });
const draft = { title: "Soup", seats: 4 };
const day = 86_400_000;

beforeEach(() => {
  const kept: Record<string, string> = {};
  vi.stubGlobal(
    "localStorage",
    Object.create(
      {
        getItem: (key: string) => kept[key] ?? null,
        setItem(this: Record<string, string>, key: string, value: string) {
          kept[key] = value;
          this[key] = value;
        },
        removeItem(this: Record<string, string>, key: string) {
          delete kept[key];
          delete this[key];
        },
      },
      {},
    ),
  );
});
afterEach(() => vi.unstubAllGlobals());

it("returns a stored draft for its person and name only", () => {
  storeDraft("ana", "new-plan", draft);
  expect(readDraft("ana", "new-plan", schema)).toEqual(draft);
  expect(readDraft("ben", "new-plan", schema)).toBeNull();
  expect(readDraft("ana", "new-place", schema)).toBeNull();
  storeDraft("ana", "new-plan", null);
  expect(readDraft("ana", "new-plan", schema)).toBeNull();
});

it("ignores drafts that are a month old, have another shape, or are malformed", () => {
  const now = Date.now();
  storeDraft("ana", "new-plan", draft, now - 29 * day);
  expect(readDraft("ana", "new-plan", schema, now)).toEqual(draft);
  storeDraft("ana", "new-plan", draft, now - 31 * day);
  expect(readDraft("ana", "new-plan", schema, now)).toBeNull();
  storeDraft("ana", "new-plan", { title: "Soup", seats: "four" }, now);
  expect(readDraft("ana", "new-plan", schema, now)).toBeNull();
  storeDraftText("ana", "new-plan", "{ half");
  expect(readDraft("ana", "new-plan", schema, now)).toBeNull();
});

it("removes all drafts on sign-out, and no other data of the device", () => {
  localStorage.setItem("nosh.theme", "dark");
  storeDraft("ana", "new-plan", draft);
  storeDraftText("ana", "chat", "Half a sen");
  removeDrafts();
  expect([draftText("ana", "new-plan"), draftText("ana", "chat")]).toEqual([null, null]);
  expect(localStorage.getItem("nosh.theme")).toBe("dark");
});

it("applies what was typed to the form's current start values", () => {
  const before = { title: "", times: ["Friday"], price: 2 };
  const typed = { title: "Soup", times: ["Friday"], price: 2 };
  expect(mergeDraft({ title: "", times: ["next Friday"], price: 3 }, before, typed)).toEqual({
    title: "Soup",
    times: ["next Friday"],
    price: 3,
  });
});
