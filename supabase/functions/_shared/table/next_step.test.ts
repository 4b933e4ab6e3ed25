/** Tests next_step.ts. */
import { expect, test } from "vitest";
import { nextStep, openQuestion } from "./next_step.ts";
import { nextStepCases, questionCases } from "./next_step_cases.ts";

test.each(questionCases)("open question: $name", ({ rsvp, times, places, suggested, question }) => {
  expect(openQuestion({ rsvp }, { times, places }, suggested)).toBe(question);
});

test.each(nextStepCases)("$name", ({ facts, step }) => {
  expect(nextStep(facts)).toBe(step);
});
