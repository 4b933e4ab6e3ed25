/** Tests new-plan-form.ts. */
import { expect, it } from "vitest";
import { type NewPlanDraft, newPlanDraftSchema, withoutPastTimes } from "./new-plan-form.ts";
import { usualRules } from "./rules.ts";

const now = Date.parse("2026-11-27T19:00:00Z");
const draft: NewPlanDraft = {
  title: "Soup",
  note: "",
  circle: null,
  people: null,
  times: [
    { date: "2026-11-26", from: "19:30", until: "22:00" },
    { date: "", from: "19:30", until: "22:00" },
    { date: "2026-11-28", from: "19:30", until: "22:00" },
  ],
  places: [],
  newPlaces: [],
  rules: { ...usualRules, until: "exact", date: "2026-11-28", clock: "20:00", capacity: 6 },
};

it("is read back unchanged", () => {
  expect(newPlanDraftSchema.parse(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
});

it("is read back from a version without an option", () => {
  const { options, ...rules } = draft.rules;
  const { results_hidden, ...others } = options;
  expect(newPlanDraftSchema.parse({ ...draft, rules: { ...rules, options: others } })).toEqual(draft);
  expect(newPlanDraftSchema.parse({ ...draft, rules })).toEqual(draft);
});

it("leaves out past times, but no incomplete ones", () => {
  expect(withoutPastTimes(draft, "Asia/Kathmandu", now).times.map(({ date }) => date)).toEqual([
    "",
    "2026-11-28",
  ]);
});
