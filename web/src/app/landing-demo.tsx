/**
 * Owns: the landing page's live example: a board to mark times on and the menu card of the best match, with the
 * components and the ranking of a plan. Made-up friends answer one after the other; nothing leaves the device.
 */
import { useEffect, useMemo, useState } from "react";
import { MenuCard } from "../features/matches/components/menu-card.tsx";
import { inputOf, keyOf, rankPairs } from "../features/matches/ranking.ts";
import type { Answer, Ballot } from "../features/plans/answers.ts";
import { sampleMember, samplePlan } from "../features/plans/sample-plan.ts";
import type { Plan, Trip } from "../features/plans/schema.ts";
import { TimeBoard } from "../features/time-options/components/time-board.tsx";
import { browserZone, dateOf, instantOf } from "../lib/time.ts";
import { landingWords } from "./words/landing-words.ts";

const ME = "you";
const friends = ["Ana", "Ben", "Chiara", "Dev"] as const;
/** Each friend's answers to `times`, in their order; null is no answer. */
const ballots: Record<(typeof friends)[number], (Answer | null)[]> = {
  Ana: ["yes", "yes", "yes", "no", "no", "yes"],
  Ben: ["no", "yes", "if_need_be", "yes", "no", "yes"],
  Chiara: ["yes", "if_need_be", "yes", null, "if_need_be", null],
  Dev: ["if_need_be", "yes", "no", "yes", "yes", "if_need_be"],
};
/** Days from today and the hour that each time begins. */
const times = [
  [3, 18],
  [3, 20],
  [4, 18],
  [4, 20],
  [5, 18],
  [5, 20],
] as const;
const places = [
  {
    id: "momo",
    name: "Momo Sete",
    cuisines: ["Nepali", "Tibetan"],
    safe: ["vegan", "vegetarian"],
    votes: ["Ana", "Dev", "Ben"],
    minutes: [15, 20, 10, 15, 20],
  },
  {
    id: "arroz",
    name: "Arroz Doce",
    cuisines: ["Goan", "Indian"],
    safe: ["vegetarian", "gluten_free"],
    votes: ["Chiara", "Ana"],
    minutes: [25, 10, 20, 15, 30],
  },
] as const;

const FIRST_MS = 600;
const NEXT_MS = 700;

export default function LandingDemo() {
  const words = landingWords().demo;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const [answered, setAnswered] = useState<number>(still ? friends.length : 0);
  const [mine, setMine] = useState<Ballot>({});
  const [now] = useState(() => Date.now());
  const zone = browserZone();
  useEffect(() => {
    if (answered >= friends.length) return;
    const next = setTimeout(() => setAnswered(answered + 1), answered === 0 ? FIRST_MS : NEXT_MS);
    return () => clearTimeout(next);
  }, [answered]);
  const plan = useMemo(
    () => examplePlan(friends.slice(0, answered), mine, now, zone, words.you),
    [answered, mine, now, zone, words.you],
  );
  const input = useMemo(() => inputOf(plan, trips, noPastMeals, now), [plan, now]);
  const [best] = useMemo(() => rankPairs(input), [input]);
  return (
    <div className="grid items-start gap-8 lg:grid-cols-2">
      <TimeBoard
        plan={plan}
        me={ME}
        now={now}
        zone={zone}
        open
        host={false}
        hidden={false}
        only={null}
        busy={nothing}
        details={false}
        answer={(given) => setMine((before) => ({ ...before, ...given }))}
      />
      {best ? (
        <MenuCard
          key={keyOf(best)}
          pair={best}
          plan={plan}
          input={input}
          viewerZone={zone}
          // The person's name is "You" here.
          me=""
          supposing={false}
          decided={false}
          choose={null}
          busy={false}
        />
      ) : null}
    </div>
  );
}

const noPastMeals = { ratings: [], photos: [] };
const nothing: ReadonlySet<string> = new Set();

const trips: Trip[] = places.flatMap(({ id, minutes }) =>
  [ME, ...friends].map((user_id, index) => ({ place_id: id, user_id, minutes: minutes[index] ?? 15 })),
);

function examplePlan(
  answered: readonly (typeof friends)[number][],
  mine: Ballot,
  now: number,
  zone: string,
  you: string,
): Plan {
  const person = (name: string, diets: ("vegan" | "vegetarian")[] = []) => ({
    display_name: name,
    avatar_path: null,
    diets,
    diets_known: true,
    budget: 2,
  });
  return samplePlan({
    time_zone: zone,
    plan_members: [
      sampleMember("Ana", { role: "host", profiles: person("Ana", ["vegetarian"]) }),
      sampleMember("Ben", { profiles: person("Ben") }),
      sampleMember("Chiara", { profiles: person("Chiara") }),
      sampleMember("Dev", { profiles: person("Dev", ["vegan"]) }),
      sampleMember(ME, { profiles: person(you) }),
    ],
    time_options: times.map(([days, hour], index) => {
      const day = dateOf(now + days * 86_400_000, zone);
      const id = `time-${index}`;
      const own = mine[id];
      return {
        id,
        starts_at: instantOf(day, `${hour}:00`, zone),
        ends_at: instantOf(day, `${hour + 2}:00`, zone),
        proposed_by: "Ana",
        time_votes: [
          ...answered.flatMap((name) => {
            const answer = ballots[name][index];
            return answer ? [{ user_id: name, answer }] : [];
          }),
          ...(own ? [{ user_id: ME, answer: own }] : []),
        ],
      };
    }),
    place_options: places.map((place) => ({
      id: place.id,
      place_id: place.id,
      proposed_by: "Ana",
      place_votes: answered
        .filter((name) => (place.votes as readonly string[]).includes(name))
        .map((user_id) => ({ user_id, answer: "yes" as const })),
      places: {
        id: place.id,
        name: place.name,
        about: "",
        cuisines: [...place.cuisines],
        address: "",
        phone: "",
        booking_url: "",
        home: false,
        everybody: true,
        latitude: 38.7,
        longitude: -9.14,
        price: 2,
        safe_diets: [...place.safe],
        time_zone: zone,
        place_hours: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, opens: "12:00", closes: "23:30" })),
      },
    })),
  });
}
