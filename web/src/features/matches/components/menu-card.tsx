/** Owns: the best pair as a menu card: place (or that it is to be decided), time, what the pair means for each person, and the trade-offs. */

import type { ReactNode } from "react";
import type { RankingInput } from "../../../../../supabase/functions/_shared/ranking/ranking.ts";
import {
  compromiseTexts,
  type PersonalView,
  personalViews,
  reasonsFor,
  reasonText,
} from "../../../../../supabase/functions/_shared/ranking/reasons.ts";
import { listOf } from "../../../lib/i18n/words.ts";
import { clockOf, dayOf, formatTime, monthOf, yourTime } from "../../../lib/time.ts";
import { Avatar } from "../../../ui/avatar.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { faceOf } from "../../people/queries.ts";
import { peopleWords } from "../../people/words.ts";
import { cuisineNames } from "../../places/cuisines.ts";
import { AnswerMark } from "../../plans/components/answer-mark.tsx";
import { choiceMark } from "../../plans/decision.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { tableWords } from "../../plans/words/table.ts";
import type { Pair } from "../ranking.ts";
import { bestWords } from "../words.ts";
import { speakerOf } from "./reason-texts.ts";

export interface PairProps {
  pair: Pair;
  plan: Plan;
  /** The table that was ranked: the real one, or the one of *what if*. */
  input: RankingInput;
  viewerZone: string;
  /** Null for who may not choose. */
  choose: (() => void) | null;
  busy: boolean;
}

export function MenuCard({
  pair,
  plan,
  input,
  viewerZone,
  choose,
  busy,
  me,
  supposing,
  decided,
  over = false,
  picture,
  chooseTime = null,
}: PairProps & {
  me: string;
  /** Decides the time alone; null where the pair has no place, and for who may not choose. */
  chooseTime?: (() => void) | null;
  supposing: boolean;
  /** Whether the hosts chose this pair. */
  decided: boolean;
  /** Whether the meal is over, or cancelled: then nothing is left to weigh. */
  over?: boolean;
  /** The place's picture, in the size of the drawn plate that stands in for it. */
  picture?: ReactNode;
}) {
  const words = bestWords().card;
  const time = plan.time_options.find((option) => option.id === pair.timeId);
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.places;
  const ranked = {
    time: input.times.find((option) => option.id === pair.timeId),
    place: input.places.find((option) => option.id === pair.placeId),
  };
  if (!time || !ranked.time || (pair.placeId !== null && !(place && ranked.place))) return null;
  const speaker = speakerOf(plan);
  const compromises = compromiseTexts(pair, speaker);
  const yours = yourTime(time.starts_at, plan.time_zone, viewerZone);
  return (
    <article
      {...(decided ? {} : choiceMark)}
      aria-label={decided ? words.decided : words.name}
      className="turn mx-auto w-full max-w-xl rounded-m border border-line bg-card p-2 shadow-lift"
    >
      <div className="flex flex-col items-center gap-4 rounded-s border border-edge/60 px-4 py-7 text-center sm:px-5">
        <p className="text-sm text-ink-soft italic">
          {supposing
            ? words.whatIf
            : decided
              ? words.decided
              : pair.notSafeFor.length > 0
                ? words.question
                : pair.requiredOut.length > 0
                  ? words.withoutRequired
                  : pair.canCome.length === 0
                    ? words.nobodyYet
                    : words.choice}
        </p>
        {picture ?? <Dish seed={place?.id ?? plan.id} className="w-24" />}
        <div>
          <h3 className="text-xl break-words">{place?.name ?? tableWords().placeOpen}</h3>
          {place ? <p className="text-sm text-ink-soft">{cuisineNames(place.cuisines).join(" · ")}</p> : null}
        </div>
        <p className="numerals text-lg leading-tight">
          <span aria-hidden>
            {dayOf(time.starts_at, plan.time_zone)}
            <br />
            <span className="text-2xl font-semibold">{clockOf(time.starts_at, plan.time_zone)}</span>
            {yours ? <span className="block pt-1 text-sm text-ink-soft">{yours}</span> : null}
          </span>
          <span className="sr-only">{formatTime(time.starts_at, plan.time_zone, viewerZone)}</span>
        </p>
        {over ? null : (
          <ul className="flex w-full max-w-md flex-col gap-1">
            {reasonsFor(pair, input.people).map((reason) => (
              <li key={reason.code}>{reasonText(reason, speaker)}</li>
            ))}
            {pair.tripSpread > 0 ? (
              <li className="text-sm text-ink-soft">{words.spread(pair.tripSpread)}</li>
            ) : null}
          </ul>
        )}
        {choose ? (
          <Button look="action" onPress={choose} busy={busy}>
            {words.choose}
          </Button>
        ) : null}
        {chooseTime ? (
          <Button look="plain" onPress={chooseTime} isDisabled={busy} className="-mt-3">
            {words.chooseTime}
          </Button>
        ) : null}
        {over ? null : (
          <div className="w-full border-t border-dashed border-edge pt-3 text-left text-sm">
            <h4 className="mb-2 text-center font-semibold">{words.forEach}</h4>
            <ul className="@container flex flex-col">
              {personalViews(input.people, ranked.time, ranked.place ?? null).map((view) => (
                <PersonLine key={view.personId} view={view} plan={plan} me={me} />
              ))}
            </ul>
          </div>
        )}
        {compromises.length > 0 && !over ? (
          <div className="w-full border-t border-dashed border-edge pt-3 text-sm text-ink-soft">
            <h4 className="mb-1 font-semibold text-ink">{words.compromises}</h4>
            <ul className="flex flex-col gap-0.5">
              {compromises.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </div>
        ) : null}
      </div>
    </article>
  );
}

/** As on a menu: the name, dots, and what it comes to. */
function PersonLine({ view, plan, me }: { view: PersonalView; plan: Plan; me: string }) {
  const words = bestWords().person;
  const { diets } = peopleWords();
  const { you, required } = tableWords();
  const profile = plan.plan_members.find((member) => member.user_id === view.personId)?.profiles ?? null;
  const name = firstName(plan, view.personId);
  const say = (list: readonly (keyof typeof diets)[]) => listOf(list.map((diet) => diets[diet]));
  const notes = [
    view.required ? required : null,
    view.unknown.length > 0 ? words.unknown(say(view.unknown)) : null,
    view.safe.length > 0 ? words.safe(say(view.safe)) : null,
    ...view.eaten.map(({ diet, at }) => words.ate(diets[diet], monthOf(at, Date.now(), plan.time_zone))),
  ].filter((note) => note !== null);
  const gone = view.time === "no";
  return (
    <li
      className={`flex items-start gap-2 @max-[12rem]:flex-wrap border-b border-line py-1.5 last:border-b-0 ${gone ? "text-ink-soft" : ""}`}
    >
      <Avatar face={faceOf(view.personId, profile)} size={26} />
      <span className="min-w-23 flex-1">
        <span className="flex flex-wrap items-baseline justify-between gap-x-3">
          <span className="font-semibold wrap-anywhere">{view.personId === me ? you(name) : name}</span>
          <span className="numerals text-ink-soft">
            {view.minutes === null || gone ? "" : words.minutes(view.minutes)}
          </span>
        </span>
        {notes.length > 0 ? (
          <span
            className={`block ${view.unknown.length > 0 && !gone ? "font-semibold text-ink" : "text-ink-soft"}`}
          >
            {notes.join(" · ")}
          </span>
        ) : null}
      </span>
      <span className="ml-auto flex items-center sm:min-w-32 justify-end gap-1.5 text-right leading-tight">
        {words[view.time ?? "unanswered"]}
        <AnswerMark answer={view.time} size={18} />
      </span>
    </li>
  );
}
