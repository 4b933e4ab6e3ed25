/** Owns: the cases of a person's state that the database (private.person_state) and personState both have to pass. */
import type { PersonFacts, PersonState } from "./person_state.ts";

export interface PersonStateCase {
  name: string;
  facts: PersonFacts;
  state: PersonState;
}

const silent: PersonFacts = {
  plan: "confirmed",
  moved: false,
  role: "guest",
  rsvp: "pending",
  answered: false,
  answer: null,
  place_answer: null,
  arrival: null,
};
const of = (name: string, facts: Partial<PersonFacts>, state: PersonState): PersonStateCase => ({
  name,
  facts: { ...silent, ...facts },
  state,
});

export const personStateCases: readonly PersonStateCase[] = [
  of("in voting: nothing said", { plan: "polling" }, "asked"),
  of("in voting: an answer to a time or a place", { plan: "polling", answered: true }, "voted"),
  of("in voting: said yes to the plan", { plan: "polling", rsvp: "going" }, "voted"),
  of("in voting: said no to the plan", { plan: "polling", answered: true, rsvp: "declined" }, "not_coming"),
  of("in voting: a host who is silent", { plan: "polling", role: "host" }, "asked"),

  of("decided: nothing said", {}, "asked"),
  of("decided: yes to the time", { answered: true, answer: "yes" }, "expected"),
  of("decided: yes to time and place", { answered: true, answer: "yes", place_answer: "yes" }, "expected"),
  of(
    "decided: if need be to the place",
    { answered: true, answer: "yes", place_answer: "if_need_be" },
    "expected",
  ),
  of(
    "decided: yes to the time, no to the place",
    { answered: true, answer: "yes", place_answer: "no" },
    "asked",
  ),
  of("decided: if need be to the time", { answered: true, answer: "if_need_be" }, "maybe"),
  of(
    "decided: if need be to the time, no to the place",
    { answer: "if_need_be", place_answer: "no" },
    "asked",
  ),
  of("decided: no to the time", { answered: true, answer: "no", place_answer: "yes" }, "not_coming"),
  of("decided: answers to other times only", { answered: true }, "asked"),
  of("decided: answers to the place only", { answered: true, place_answer: "yes" }, "asked"),

  of("said yes after a no to the time", { answer: "no", rsvp: "going" }, "expected"),
  of("said maybe after a yes to the time", { answer: "yes", rsvp: "maybe" }, "maybe"),
  of("said no after a yes to the time", { answer: "yes", rsvp: "declined" }, "not_coming"),
  of("waits for a seat", { answer: "yes", rsvp: "waitlisted" }, "waitlisted"),

  of("a host who is silent comes", { role: "host" }, "expected"),
  of("a host who voted no does not come", { role: "host", answer: "no" }, "not_coming"),
  of("a host who voted if need be", { role: "host", answer: "if_need_be" }, "maybe"),
  of("a cohost who is silent is asked", { role: "cohost" }, "asked"),

  of("moved: an earlier yes counts no more", { moved: true, answered: true, answer: "yes" }, "asked"),
  of("moved: an earlier no counts no more", { moved: true, answered: true, answer: "no" }, "asked"),
  of("moved: a host is asked, too", { moved: true, role: "host" }, "asked"),
  of("moved: what was said since counts", { moved: true, answer: "no", rsvp: "going" }, "expected"),

  of("the day: has not left", { answer: "yes", arrival: "not_left" }, "expected"),
  of("the day: on the way", { answer: "yes", arrival: "on_the_way" }, "on_the_way"),
  of("the day: here", { answer: "yes", arrival: "arrived" }, "here"),
  of("the day: here without an answer", { arrival: "arrived" }, "here"),
  of("the day: on the way after a no", { rsvp: "declined", arrival: "on_the_way" }, "on_the_way"),
  of("the day: here from the waitlist", { rsvp: "waitlisted", arrival: "arrived" }, "here"),

  of("over: was expected", { plan: "done", answer: "yes" }, "was_there"),
  of("over: said yes", { plan: "done", rsvp: "going" }, "was_there"),
  of("over: arrived without an answer", { plan: "done", arrival: "arrived" }, "was_there"),
  of("over: was on the way", { plan: "done", rsvp: "maybe", arrival: "on_the_way" }, "was_there"),
  of("over: said maybe", { plan: "done", rsvp: "maybe" }, "maybe"),
  of("over: never answered", { plan: "done" }, "not_coming"),
  of("over: voted no", { plan: "done", answer: "no" }, "not_coming"),
  of("over: still waited for a seat", { plan: "done", rsvp: "waitlisted" }, "not_coming"),
  of("over: a host who was silent", { plan: "done", role: "host" }, "was_there"),

  of("cancelled: said yes", { plan: "cancelled", rsvp: "going", answer: "yes" }, "not_coming"),
  of("cancelled: was here already", { plan: "cancelled", arrival: "arrived" }, "not_coming"),
];
