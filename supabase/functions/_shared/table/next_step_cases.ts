/** Owns: the cases of an open question and of the next step that the database and the app both have to pass. */
import type { NextFacts } from "./next_step.ts";
import type { PersonFacts } from "./person_state.ts";
import type { NextStep, Question } from "./steps.ts";

export interface QuestionCase {
  name: string;
  rsvp: PersonFacts["rsvp"];
  times: boolean;
  places: boolean;
  suggested: number;
  question: Question | null;
}

const asked = (
  name: string,
  [rsvp, times, places, suggested]: [PersonFacts["rsvp"], boolean, boolean, number],
  question: Question | null,
): QuestionCase => ({ name, rsvp, times, places, suggested, question });

export const questionCases: readonly QuestionCase[] = [
  asked("nothing answered", ["pending", false, false, 3], "times"),
  asked("only places answered", ["pending", false, true, 3], "times"),
  asked("only times answered", ["pending", true, false, 3], "places"),
  asked("times answered, no place suggested", ["pending", true, false, 0], null),
  asked("one of each answered", ["pending", true, true, 3], null),
  asked("said yes to the plan, and to no time", ["going", false, false, 0], "times"),
  asked("said no to the plan", ["declined", false, false, 3], null),
];

export interface NextStepCase {
  name: string;
  facts: NextFacts;
  step: NextStep | null;
}

const nothing: NextFacts = {
  plan: "polling",
  state: "voted",
  question: null,
  hosts: false,
  alone: false,
  accepts: true,
  decides: false,
  placed: true,
  today: false,
  rates: false,
  diet: false,
  shares: false,
  books: false,
  unread: false,
};
const of = (name: string, facts: Partial<NextFacts>, step: NextStep | null): NextStepCase => ({
  name,
  facts: { ...nothing, ...facts },
  step,
});
const confirmed = { plan: "confirmed", state: "expected" } as const;
const done = { plan: "done", state: "was_there" } as const;

export const nextStepCases: readonly NextStepCase[] = [
  of("in voting: the times", { state: "asked", question: "times" }, "times"),
  of("in voting: the places", { question: "places" }, "places"),
  of("in voting: all answered", {}, null),
  of("in voting: no answers are taken", { state: "asked", question: "times", accepts: false }, null),
  of("in voting: a host alone", { hosts: true, alone: true, question: "times" }, "invite"),
  of("in voting: a guest whose host has left", { alone: true, question: "times" }, "times"),
  of(
    "in voting: a host answers before deciding",
    { hosts: true, question: "places", decides: true },
    "places",
  ),
  of("in voting: a host decides", { hosts: true, decides: true }, "decide"),
  of(
    "in voting: a host decides after the deadline, without an own answer",
    { hosts: true, question: "times", accepts: false, decides: true },
    "decide",
  ),
  of(
    "in voting: a host who stays away decides",
    { state: "not_coming", hosts: true, decides: true },
    "decide",
  ),
  of("in voting: a guest does not decide", { decides: true }, null),
  of("in voting: the places before what one eats", { question: "places", diet: true }, "places"),
  of("in voting: what one eats before the decision", { hosts: true, decides: true, diet: true }, "diet"),
  of(
    "in voting: closed, what one eats is no longer asked",
    { accepts: false, diet: true, unread: true },
    "chat",
  ),
  of("in voting: what one eats is not asked of who stays away", { state: "not_coming", diet: true }, null),
  of("in voting: a host asks whom no message reaches", { hosts: true, shares: true, unread: true }, "share"),
  of("in voting: closed, nobody is asked any more", { hosts: true, accepts: false, shares: true }, null),
  of("in voting: a guest asks nobody", { shares: true }, null),
  of("in voting: new messages come last", { unread: true }, "chat"),
  of("in voting: who stays away has nothing to read", { state: "not_coming", unread: true }, null),

  of("decided: asked", { ...confirmed, state: "asked" }, "rsvp"),
  of("decided: expected", confirmed, null),
  of("decided: maybe", { ...confirmed, state: "maybe" }, null),
  of(
    "decided: a host is asked before the place",
    { ...confirmed, state: "asked", hosts: true, placed: false },
    "rsvp",
  ),
  of("decided: a host adds the place", { ...confirmed, hosts: true, placed: false, today: true }, "place"),
  of("decided: a guest does not add the place", { ...confirmed, placed: false }, null),
  of(
    "decided: a host tells whom no message reaches before booking",
    { ...confirmed, hosts: true, shares: true, books: true },
    "share",
  ),
  of(
    "decided: a host books before reading",
    { ...confirmed, hosts: true, books: true, unread: true },
    "book",
  ),
  of(
    "decided: a host who stays away books",
    { ...confirmed, state: "not_coming", hosts: true, books: true },
    "book",
  ),
  of("decided: a guest neither tells nor books", { ...confirmed, shares: true, books: true }, null),
  of("decided: what one eats is no longer asked", { ...confirmed, diet: true }, null),
  of("decided: new messages", { ...confirmed, unread: true }, "chat"),
  of("decided: new messages come after the answer", { ...confirmed, state: "asked", unread: true }, "rsvp"),
  of(
    "the day: setting out comes before booking",
    { ...confirmed, hosts: true, today: true, books: true },
    "set_out",
  ),
  of("the day: expected", { ...confirmed, today: true }, "set_out"),
  of("the day: on the way", { ...confirmed, state: "on_the_way", today: true }, null),
  of("the day: not coming", { ...confirmed, state: "not_coming", today: true }, null),

  of("over: was there", { ...done, rates: true }, "rate"),
  of("over: rated, or too long ago", { ...done, unread: true }, null),
  of("over: was not there", { ...done, state: "not_coming", rates: true }, null),
  of("cancelled", { plan: "cancelled", state: "not_coming", hosts: true, decides: true, rates: true }, null),
];
