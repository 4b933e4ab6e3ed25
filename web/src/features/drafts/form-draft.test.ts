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

it("gives back what was kept, to its person and under its name only", () => {
  storeDraft("ana", "new-plan", draft);
  expect(readDraft("ana", "new-plan", schema)).toEqual(draft);
  expect(readDraft("ben", "new-plan", schema)).toBeNull();
  expect(readDraft("ana", "new-place", schema)).toBeNull();
  storeDraft("ana", "new-plan", null);
  expect(readDraft("ana", "new-plan", schema)).toBeNull();
});

it("forgets what is a month old, has another shape, or is no draft at all", () => {
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

it("leaves nothing behind for who signs out, and nothing else of the device is touched", () => {
  localStorage.setItem("nosh.theme", "dark");
  storeDraft("ana", "new-plan", draft);
  storeDraftText("ana", "chat", "Half a sen");
  removeDrafts();
  expect([draftText("ana", "new-plan"), draftText("ana", "chat")]).toEqual([null, null]);
  expect(localStorage.getItem("nosh.theme")).toBe("dark");
});

it("lays what was typed over what a form starts from today", () => {
  const before = { title: "", times: ["Friday"], price: 2 };
  const typed = { title: "Soup", times: ["Friday"], price: 2 };
  expect(mergeDraft({ title: "", times: ["next Friday"], price: 3 }, before, typed)).toEqual({
    title: "Soup",
    times: ["next Friday"],
    price: 3,
  });
});
