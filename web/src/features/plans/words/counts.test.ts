/** Tests the words of a plan that count people: one person has the singular, in both languages. */
import { afterEach, expect, it } from "vitest";
import { speak } from "../../../lib/i18n/language.ts";
import { plan } from "./plan.de.ts";
import { planWords } from "./plan.ts";
import { table } from "./table.de.ts";
import { tableWords } from "./table.ts";
import * as timeOptions from "./time-options.de.ts";
import { timeOptionWords } from "./time-options.ts";

afterEach(() => speak({ language: "en", locale: "en-GB", catalogue: {} }));

const counted = () => [
  planWords().ticket.coming(1, null),
  planWords().ticket.coming(2, null),
  planWords().ticket.coming(1, 8),
  tableWords().card.came(1),
  timeOptionWords().heat.of(1),
  timeOptionWords().waitingFor(["Ines"], 0, "times"),
  timeOptionWords().waitingFor(["Ines", "Ben"], 1, "places"),
];

it("counts people in English", () => {
  expect(counted()).toEqual([
    "1 person is coming",
    "2 people are coming",
    "1 of 8 coming",
    "1 person was there",
    "Answers from 1 person",
    "Waiting for Ines to vote on the times.",
    "Waiting for Ines, Ben and 1 other to vote on the places.",
  ]);
});

it("counts people in German", () => {
  speak({ language: "de", locale: "de-DE", catalogue: { plan, table, ...timeOptions } });
  expect(counted()).toEqual([
    "1 Person kommt",
    "2 Leute kommen",
    "1 von 8 kommt",
    "1 Person war da",
    "Antworten von 1 Person",
    "Ines hat noch nicht über die Termine abgestimmt.",
    "Ines, Ben und 1 weitere Person haben noch nicht über die Orte abgestimmt.",
  ]);
});
