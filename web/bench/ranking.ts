/**
 * How long it takes to rank the largest plan there can be: 20 people, 30 times, 20 places. Run it with
 * `node web/bench/ranking.ts`; it prints the median and the slowest of a hundred rankings, in ms.
 */
import { diets } from "../../supabase/functions/_shared/ranking/diets.ts";
import {
  type Answer,
  type RankingInput,
  rankPairs,
} from "../../supabase/functions/_shared/ranking/ranking.ts";

const [PEOPLE, TIMES, PLACES, ROUNDS] = [20, 30, 20, 100];
const DAY_MS = 86_400_000;
const answers: readonly (Answer | undefined)[] = ["yes", "yes", "if_need_be", "no", undefined];

/** The same table on every machine. */
function largestTable(): RankingInput {
  const people = Array.from({ length: PEOPLE }, (_, index) => ({
    id: `person ${index}`,
    name: `Person ${index}`,
    diets: diets.filter((_diet, position) => (index + position) % 9 === 0),
    budget: 1 + (index % 4),
    required: index < 2,
  }));
  const votes = (seed: number) =>
    Object.fromEntries(
      people.flatMap((person, index) => {
        const answer = answers[(index * 7 + seed * 3) % answers.length];
        return answer ? [[person.id, answer]] : [];
      }),
    );
  const start = Date.parse("2026-11-27T12:00:00Z");
  return {
    people,
    times: Array.from({ length: TIMES }, (_, index) => {
      const starts = start + Math.floor(index / 3) * DAY_MS + (index % 3) * 3 * 3_600_000;
      return {
        id: `time ${index}`,
        startsAt: new Date(starts).toISOString(),
        endsAt: new Date(starts + 2 * 3_600_000).toISOString(),
        votes: votes(index),
      };
    }),
    places: Array.from({ length: PLACES }, (_, index) => ({
      id: `place ${index}`,
      name: `Place ${index}`,
      safeDiets: diets.filter((_diet, position) => (index + position) % 3 > 0),
      price: 1 + (index % 4),
      timeZone: index % 2 === 0 ? "Europe/Lisbon" : "Asia/Kathmandu",
      hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "08:00", closes: "04:00" })),
      votes: votes(index + 11),
      trips: Object.fromEntries(people.map((person, at) => [person.id, 5 + ((at * 5 + index * 10) % 60)])),
      ratings: index % 3 === 0 ? [4, 5, 3] : [],
    })),
  };
}

const table = largestTable();
const first = performance.now();
const pairs = rankPairs(table).length;
const cold = performance.now() - first;
const took = Array.from({ length: ROUNDS }, () => {
  const began = performance.now();
  rankPairs(table);
  return performance.now() - began;
}).sort((a, b) => a - b);
const ms = (value: number | undefined) => `${(value ?? 0).toFixed(1)} ms`;
console.log(
  `${pairs} pairs of ${TIMES} times and ${PLACES} places for ${PEOPLE} people: ` +
    `median ${ms(took[ROUNDS / 2])}, slowest of ${ROUNDS} ${ms(took.at(-1))}, the very first ${ms(cold)}`,
);
