/** The database and the app agree on the state of a person in a plan: one table of cases for both. */
import { expect, test } from "vitest";
import { personStateCases } from "../../../supabase/functions/_shared/table/person_state_cases.ts";
import { createBackend } from "../../target/integration.ts";

test("a person's state", async () => {
  const backend = await createBackend();
  try {
    const rows = await backend.sql<{ state: string }>(
      `select private.person_state(
         c.plan, c.moved, c.role, c.rsvp, c.answered, c.answer, c.place_answer, c.arrival) as state
       from jsonb_array_elements($1) with ordinality as given (facts, number)
       cross join lateral jsonb_to_record(facts) as c (plan text, moved boolean, role public.plan_role,
         rsvp public.rsvp_status, answered boolean, answer public.vote_answer, place_answer public.vote_answer,
         arrival public.arrival_status)
       order by number`,
      [JSON.stringify(personStateCases.map(({ facts }) => facts))],
    );
    expect(rows.map(({ state }, at) => [personStateCases[at]?.name, state])).toEqual(
      personStateCases.map(({ name, state }) => [name, state]),
    );
  } finally {
    await backend.drop();
  }
});
