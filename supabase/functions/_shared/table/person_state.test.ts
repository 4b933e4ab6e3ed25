/** Tests person_state.ts. */
import { expect, test } from "vitest";
import { personState } from "./person_state.ts";
import { personStateCases } from "./person_state_cases.ts";

test.each(personStateCases)("$name", ({ facts, state }) => {
  expect(personState(facts)).toBe(state);
});
