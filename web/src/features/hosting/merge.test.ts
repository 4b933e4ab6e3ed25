/** Tests merge.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlanEdit, type PlanField, planFields, settings, textFields } from "../plans/fields.ts";
import { changesOf, mergeEdits } from "./merge.ts";

const values: Partial<Record<PlanField, readonly unknown[]>> = {
  ...Object.fromEntries(textFields.map((field) => [field, ["", "Dinner", "Picnic"]])),
  vote_deadline: [null, "2026-11-27T20:00:00Z", "2026-11-27T20:00:00+00:00"],
  capacity: [null, 4, 6],
};
/** A field without values here is on or off. */
const drafts = fc.record(
  Object.fromEntries(
    planFields.map((field) => [field, fc.constantFrom(...(values[field] ?? [true, false]))]),
  ),
) as unknown as fc.Arbitrary<PlanEdit>;

describe("mergeEdits", () => {
  it("takes fields that only they changed, keeps the person's own, and lists fields that both changed", () => {
    const base: PlanEdit = { ...settings, title: "Dinner", vote_deadline: "2026-11-27T20:00:00Z" };
    const merged = mergeEdits(
      base,
      { ...base, title: "Mine", capacity: 6 },
      { ...base, title: "Theirs", note: "Theirs too", vote_deadline: "2026-11-27T20:00:00+00:00" },
    );
    expect(merged.draft).toEqual({ ...base, title: "Mine", capacity: 6, note: "Theirs too" });
    expect(merged.taken).toEqual(["note"]);
    expect(merged.conflicts).toEqual(["title"]);
  });

  it("never overwrites the person's changes, and never loses changes that only they made", () => {
    fc.assert(
      fc.property(drafts, drafts, drafts, (base, mine, theirs) => {
        const { draft, conflicts } = mergeEdits(base, mine, theirs);
        const own = changesOf(base, mine);
        expect(draft).toMatchObject(own);
        for (const field of planFields) {
          if (field in own) continue;
          expect(changesOf({ ...base, [field]: theirs[field] }, { ...base, [field]: draft[field] })).toEqual(
            {},
          );
        }
        expect(conflicts.every((field) => field in own)).toBe(true);
      }),
    );
  });

  it("reports nothing when nobody else changed anything", () => {
    fc.assert(
      fc.property(drafts, drafts, (base, mine) => {
        expect(mergeEdits(base, mine, base)).toEqual({ draft: mine, taken: [], conflicts: [] });
      }),
    );
  });
});
