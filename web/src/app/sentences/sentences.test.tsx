// @vitest-environment jsdom
/** Tests that what the app says about a table is so: each sentence of random tables against the raw rows. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import fc from "fast-check";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
  compromiseTexts,
  reasonsFor,
  reasonText,
} from "../../../../supabase/functions/_shared/ranking/reasons.ts";
import { arrivalsOf } from "../../features/day/arrivals.ts";
import { ArrivalBoard, statusWords } from "../../features/day/components/arrival-board.tsx";
import { dayWords } from "../../features/day/words.ts";
import { turnoutOf } from "../../features/hosting/choice.ts";
import { defaultsFrom, takenOver } from "../../features/hosting/plan-defaults.ts";
import { newPlanWords } from "../../features/hosting/words.ts";
import { objectors } from "../../features/matches/components/doubtful-choice.tsx";
import { MenuCard } from "../../features/matches/components/menu-card.tsx";
import { speakerOf } from "../../features/matches/components/reason-texts.ts";
import { RunnerUp } from "../../features/matches/components/runner-up.tsx";
import { inputOf, rankPairs } from "../../features/matches/ranking.ts";
import { bestWords } from "../../features/matches/words.ts";
import { PlaceOptionCard } from "../../features/place-options/components/place-option-card.tsx";
import { cardOf } from "../../features/plans/cards/of-plan.ts";
import { TallyList } from "../../features/plans/components/heat.tsx";
import { doneText } from "../../features/plans/components/next-card.tsx";
import { missingText } from "../../features/plans/components/waiting.tsx";
import { isHost, isMoved, seatedOf, seatOf, stateOf } from "../../features/plans/domain.ts";
import { firstName } from "../../features/plans/names.ts";
import { planQueries } from "../../features/plans/queries.ts";
import { acceptsAnswers, nextOf, tallyOf } from "../../features/plans/tally.ts";
import { nextWords } from "../../features/plans/words/next.ts";
import { placeOptionWords } from "../../features/plans/words/place-options.ts";
import { planWords } from "../../features/plans/words/plan.ts";
import { tableWords } from "../../features/plans/words/table.ts";
import { timeOptionWords } from "../../features/plans/words/time-options.ts";
import { Booking } from "../../features/table/components/booking.tsx";
import { HostNotes } from "../../features/table/components/host-notes.tsx";
import { PlanCard } from "../../features/table/components/plan-card.tsx";
import { Ticket } from "../../features/table/components/ticket.tsx";
import { hostWords } from "../../features/table/words.ts";
import { speak } from "../../lib/i18n/language.ts";
import { homeWords } from "../words/home-words.ts";
import { claims } from "./claims.ts";
import { functionsOf, otherValues, recording, type Said } from "./record.ts";
import { isOver, type Subject } from "./rows.ts";
import { silent } from "./silent.ts";
import { NOW, type Table, tables } from "./tables.ts";

/** The words that speak of a table; each of their functions has a claim or is named in `silent`. */
const spoken = {
  best: bestWords(),
  day: dayWords(),
  home: homeWords(),
  hosts: hostWords(),
  "new-plan": newPlanWords(),
  "place-options": placeOptionWords(),
  plan: planWords(),
  next: nextWords(),
  table: tableWords(),
  "time-options": timeOptionWords(),
};

let said: Said[] = [];
beforeAll(() => {
  // The app tells a month of another year with its year.
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  const noted = Object.entries(spoken).map(([noun, words]) => [
    noun,
    recording(words, noun, (word) => said.push(word)),
  ]);
  speak({ language: "en", locale: "en-GB", catalogue: Object.fromEntries(noted) });
});
afterAll(() => {
  vi.useRealTimers();
  speak({ language: "en", locale: "en-GB", catalogue: {} });
});

const queries = new QueryClient();
const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
const rendered = (node: ReactNode) =>
  renderToStaticMarkup(
    <QueryClientProvider client={queries}>
      <RouterContextProvider router={router}>{node}</RouterContextProvider>
    </QueryClientProvider>,
  );

type Sentences = Generator<[Subject, () => unknown]>;

/** What the app knows of the reader beside the plan. */
const knownOf = ({ plan, me, asked, unread, unreached }: Table) => ({
  rated: false,
  diet: !asked && !plan.plan_members.some((one) => one.user_id === me && one.profiles?.diets_known),
  unread,
  unreached: isHost(plan, me) ? unreached.filter((one) => one !== me) : [],
});

/** The sentences that are made without a screen, each group with what it is about. */
function* sentencesOf(table: Table): Sentences {
  const { plan, me, now, ratings } = table;
  for (const { pair, input, about } of pairsOf(table, 3)) {
    const speaker = speakerOf(plan);
    yield [about, () => reasonsFor(pair, input.people).map((reason) => reasonText(reason, speaker))];
    for (const one of pair.compromises) {
      const alone = { ...pair, compromises: [one] };
      yield [{ ...about, person: one.personId }, () => compromiseTexts(alone, speaker)];
    }
    // A host is asked about them before a choice, not after it.
    if (plan.status !== "polling") continue;
    const { absent, unwilling } = objectors(plan, pair);
    yield [about, () => bestWords().doubtful.absent(absent.map(speaker.name))];
    yield [about, () => bestWords().doubtful.refused(unwilling.map(speaker.name))];
    yield [about, () => placeOptionWords().refused(unwilling.map(speaker.name))];
  }
  for (const time of plan.time_options) {
    const { can, asked } = turnoutOf(plan, time, now);
    yield [{ ...table, time }, () => planWords().change.turnout(can, asked)];
    const tally = tallyOf(time.time_votes, plan.plan_members);
    const { requiredOut } = tally;
    yield [{ ...table, time }, () => rendered(<TallyList tally={tally} open={acceptsAnswers(plan, now)} />)];
    if (requiredOut.length > 0)
      yield [
        { ...table, time },
        () => timeOptionWords().board.requiredOut(requiredOut.map((id) => firstName(plan, id))),
      ];
  }
  yield [table, () => takenOver(plan, defaultsFrom(plan, ratings, me, now), undefined)];
  for (const member of plan.plan_members) {
    const about = { ...table, person: member.user_id };
    yield [about, () => seatOf(seatedOf(plan, member), stateOf(plan, now), isMoved(plan))];
  }
  if (plan.status === "polling") {
    yield [table, () => missingText(plan, me, now, "times")];
    yield [table, () => missingText(plan, me, now, "places")];
    const mine = plan.plan_members.find(({ user_id }) => user_id === me);
    const reach = table.unreached.includes(me) ? null : "mail";
    if (nextOf(plan, me, now, knownOf(table)) === null)
      yield [table, () => doneText(plan, me, now, mine?.role !== "guest", reach)];
  }
  if (plan.status !== "confirmed") return;
  for (const member of arrivalsOf(plan, now))
    yield [{ ...table, person: member.user_id }, () => statusWords(plan, member, now)];
}

/** The sentences of parts of screens, which take longer to make. */
function* screensOf(table: Table): Sentences {
  const { plan, me, now, trips, ratings, unreached } = table;
  queries.setQueryData(planQueries.ratings().queryKey, [...ratings]);
  const viewerZone = "UTC";
  for (const { pair, input, about } of pairsOf(table, 1)) {
    const shown = { pair, plan, input, me, viewerZone, choose: null, busy: false };
    yield [about, () => rendered(<RunnerUp {...shown} />)];
    yield [about, () => rendered(<MenuCard {...shown} supposing={false} decided={false} />)];
  }
  for (const place of plan.place_options) {
    const shown = {
      option: place,
      plan,
      me,
      trips,
      marked: false,
      over: isOver(table),
      mayWithdraw: false,
      foldable: false,
      toggle: null,
    };
    yield [{ ...table, place }, () => rendered(<PlaceOptionCard {...shown} />)];
  }
  const card = {
    plan: cardOf(plan, me, nextOf(plan, me, now, knownOf(table))),
    now,
    viewerZone,
    peopleDrawn: false,
  };
  yield [table, () => rendered(<PlanCard {...card} />)];
  if (plan.status !== "cancelled")
    yield [table, () => rendered(<HostNotes plan={plan} me={me} now={now} unreached={unreached} />)];
  if (plan.status === "confirmed") {
    yield [
      table,
      () => rendered(<Ticket {...card} plan={plan} me={me} host={isHost(plan, me)} share={null} />),
    ];
    // The ticket loads it later.
    yield [table, () => rendered(<Booking plan={plan} me={me} now={now} host={isHost(plan, me)} />)];
    yield [table, () => rendered(<ArrivalBoard plan={plan} me={me} now={now} positions={new Map()} />)];
  }
}

function pairsOf(table: Table, most: number) {
  const { plan, now, ratings, photos, trips } = table;
  const input = inputOf(plan, trips, { ratings, photos }, now);
  return rankPairs(input)
    .slice(0, most)
    .map((pair) => ({
      pair,
      input,
      about: {
        ...table,
        time: plan.time_options.find(({ id }) => id === pair.timeId),
        place: plan.place_options.find(({ id }) => id === pair.placeId),
      },
    }));
}

const made = new Set<string>();
/** The claims that did not hold of other values, of another reader or of an earlier table. */
const failed = new Set<string>();
const earlier: Subject[] = [];
/** Claims about one person are held where that person is known: a drawing names everybody at once. */
const OF_A_PERSON = /^(table\.seats|best\.compromises\.(?!of|longest|cannot)|day\.board\.(?!hereOf))/;

/** The sentences that are not so, with their values. */
function untrueOf(sentences: Sentences): string[] {
  const untrue = new Set<string>();
  let about: Subject | undefined;
  for (const [subject, make] of sentences) {
    said = [];
    make();
    for (const { path, values } of said) {
      made.add(path);
      const claim = claims[path];
      if (!claim || (OF_A_PERSON.test(path) && !subject.person)) continue;
      const holds = claim as (on: Subject, ...of: readonly unknown[]) => boolean;
      if (!holds(subject, ...values)) untrue.add(`${path}(${values.join(", ")})`);
      if (failed.has(path)) continue;
      const readers = subject.plan.plan_members.map(({ user_id }) => ({ ...subject, me: user_id }));
      const isRule =
        !holds(subject, ...otherValues(values)) ||
        [...readers, ...earlier].some((other) => !holds(other, ...values));
      if (isRule) failed.add(path);
    }
    about = subject;
  }
  // One of each table, so that they differ.
  if (about) earlier.push(about);
  if (earlier.length > 20) earlier.shift();
  return [...untrue];
}

it("gives each function of these words a claim, or a reason to have none", () => {
  const all = Object.entries(spoken).flatMap(([noun, words]) => functionsOf(words, noun));
  const unlisted = all.filter((path) => !claims[path] && !silent.has(path));
  expect(unlisted).toEqual([]);
  expect([...silent].filter((path) => !all.includes(path))).toEqual([]);
});

it("says only what is so, of 2,000 tables", () => {
  fc.assert(
    fc.property(tables, (table) => {
      expect(untrueOf(sentencesOf(table))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  // A machine at a load of 60 took more than a minute.
}, 300_000);

it("shows only what is so", () => {
  fc.assert(
    fc.property(tables, (table) => {
      expect(untrueOf(screensOf(table))).toEqual([]);
    }),
    // The same tables each time, so that each sentence is among them.
    { numRuns: 300, seed: 4 },
  );
  // No claim waits for a table that is never made.
  expect(Object.keys(claims).filter((path) => !made.has(path))).toEqual([]);
  // And none holds whatever the rows are.
  expect(Object.keys(claims).filter((path) => !failed.has(path))).toEqual([]);
});
