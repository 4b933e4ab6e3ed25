/** The database and the app agree on a person's state in a plan, their open question and next step: one table of cases for both. */
import { expect, test } from "vitest";
import { nextStepCases, questionCases } from "../../../supabase/functions/_shared/table/next_step_cases.ts";
import { personStateCases } from "../../../supabase/functions/_shared/table/person_state_cases.ts";
import { createBackend, forThisFile } from "../../target/integration.ts";

const backend = await forThisFile(createBackend());

/** What a call returns for each case. @param columns the facts, as columns of a record */
async function each(call: string, columns: string, facts: readonly object[]): Promise<unknown[]> {
  const rows = await backend.sql<{ result: string | null }>(
    `select ${call} as result
     from jsonb_array_elements($1) with ordinality as given (facts, number)
     cross join lateral jsonb_to_record(facts) as c (${columns})
     order by number`,
    [JSON.stringify(facts)],
  );
  return rows.map(({ result }) => result);
}

test("a person's state", async () => {
  const states = await each(
    "private.person_state(c.plan, c.moved, c.role, c.rsvp, c.answered, c.answer, c.place_answer, c.arrival)",
    `plan text, moved boolean, role public.plan_role, rsvp public.rsvp_status, answered boolean,
       answer public.vote_answer, place_answer public.vote_answer, arrival public.arrival_status`,
    personStateCases.map(({ facts }) => facts),
  );
  expect(states.map((state, at) => [personStateCases[at]?.name, state])).toEqual(
    personStateCases.map(({ name, state }) => [name, state]),
  );
});

test("a person's open question", async () => {
  const questions = await each(
    "private.open_question(c.rsvp, c.times, c.places, c.suggested)",
    "rsvp public.rsvp_status, times boolean, places boolean, suggested integer",
    questionCases,
  );
  expect(questions.map((question, at) => [questionCases[at]?.name, question])).toEqual(
    questionCases.map(({ name, question }) => [name, question]),
  );
});

test("a person's next step", async () => {
  const steps = await each(
    `private.next_step(c.plan, c.state, c.question, c.hosts, c.alone, c.accepts, c.decides, c.placed, c.today, c.rates,
       c.diet, c.shares, c.books, c.unread)`,
    `plan text, state public.person_state, question text, hosts boolean, alone boolean, accepts boolean,
       decides boolean, placed boolean, today boolean, rates boolean, diet boolean, shares boolean, books boolean,
       unread boolean`,
    nextStepCases.map(({ facts }) => facts),
  );
  expect(steps.map((step, at) => [nextStepCases[at]?.name, step])).toEqual(
    nextStepCases.map(({ name, step }) => [name, step]),
  );
});
