import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PlanEdit } from "../plans/mutations.ts";
import { changesOf, mergeEdits, planFields } from "./merge.ts";

const drafts: fc.Arbitrary<PlanEdit> = fc.record({
  title: fc.constantFrom("Dinner", "Lunch", "Picnic"),
  note: fc.constantFrom("", "Bring bread"),
  vote_deadline: fc.constantFrom(null, "2026-11-27T20:00:00Z", "2026-11-27T20:00:00+00:00"),
  capacity: fc.constantFrom(null, 4, 6),
  guests_may_propose: fc.boolean(),
  results_hidden: fc.boolean(),
});

describe("mergeDrafts", () => {
  it("takes over what only they changed, keeps what one typed, and names what both changed", () => {
    const base: PlanEdit = {
      title: "Dinner",
      note: "",
      vote_deadline: "2026-11-27T20:00:00Z",
      capacity: null,
      guests_may_propose: true,
      results_hidden: false,
    };
    const merged = mergeEdits(
      base,
      { ...base, title: "Mine", capacity: 6 },
      { ...base, title: "Theirs", note: "Theirs too", vote_deadline: "2026-11-27T20:00:00+00:00" },
    );
    expect(merged.draft).toEqual({ ...base, title: "Mine", capacity: 6, note: "Theirs too" });
    expect(merged.taken).toEqual(["note"]);
    expect(merged.conflicts).toEqual(["title"]);
  });

  it("never changes what one has changed, and never loses what only they changed", () => {
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

  it("asks nothing when nobody else changed anything", () => {
    fc.assert(
      fc.property(drafts, drafts, (base, mine) => {
        expect(mergeEdits(base, mine, base)).toEqual({ draft: mine, taken: [], conflicts: [] });
      }),
    );
  });
});
