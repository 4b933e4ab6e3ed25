/** Owns: one suggested place of a plan: diets, distance, opening hours, and answers; short in a long list. */
import { type ReactNode, useState } from "react";
import { monthOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckIcon, ClockIcon, NavigationIcon, UtensilsIcon } from "../../../ui/icons.ts";
import { peopleWords } from "../../people/words.ts";
import { PlacePicture } from "../../pictures/components/place-picture.tsx";
import { PlaceLink } from "../../places/components/place-card.tsx";
import { Price } from "../../places/components/price.tsx";
import { cuisineNames } from "../../places/cuisines.ts";
import type { Place } from "../../places/schema.ts";
import { Withdraw } from "../../plans/components/withdraw.tsx";
import { unsafeTexts } from "../../plans/diet-texts.ts";
import { useSafety } from "../../plans/eaten.ts";
import { hoursAt } from "../../plans/hours-at.ts";
import { withdrawPlace } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import type { PlaceOption, Plan, Trip } from "../../plans/schema.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";

export function PlaceOptionCard({
  option,
  plan,
  me,
  trips,
  marked,
  over,
  mayWithdraw,
  foldable,
  toggle,
}: {
  option: PlaceOption;
  plan: Plan;
  me: string;
  trips: readonly Trip[];
  /** Whether the map highlights it. */
  marked: boolean;
  /** Whether the meal is over, or cancelled. */
  over: boolean;
  mayWithdraw: boolean;
  /** Whether only what a vote needs is shown until the person asks for the rest: what it is not safe for, hours, trip. */
  foldable: boolean;
  toggle: ReactNode;
}) {
  const words = placeOptionWords();
  const [unfolded, unfold] = useState(false);
  const short = foldable && !unfolded;
  const place = option.places;
  if (!place) return null;
  const chosen = plan.chosen_place_id === option.id;
  return (
    <article
      className={`paper @container flex flex-col gap-3 ${short ? "p-3" : "p-4"} transition-colors duration-150 ${chosen ? "border-yes" : marked ? "border-ink" : ""}`}
    >
      <div className="flex flex-wrap gap-4">
        {short ? null : <PlacePicture placeId={place.id} className="size-16 shrink-0 sm:size-20" />}
        <div className="min-w-0 flex-[1_1_9rem]">
          <h3 className="text-lg leading-tight break-words">
            <PlaceLink place={place} />
            {chosen ? <span className="ml-2 text-sm text-yes">{words.chosen}</span> : null}
          </h3>
          {short ? null : <p className="text-sm text-ink-soft">{place.about}</p>}
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
            {place.cuisines.length > 0 && !short ? (
              <li className="flex items-center gap-1">
                <UtensilsIcon aria-hidden className="size-4 shrink-0" />{" "}
                {cuisineNames(place.cuisines).join(", ")}
              </li>
            ) : null}
            {place.price === null || short ? null : (
              <li>
                <Price level={place.price} />
              </li>
            )}
            <li className="flex items-start gap-1">
              <ClockIcon aria-hidden className="mt-0.5 size-4 shrink-0" />{" "}
              {hoursAt(place, plan.time_options, plan.time_zone)}
            </li>
            <TripLine
              trips={trips.filter((trip) => trip.place_id === place.id)}
              plan={plan}
              me={me}
              unplaced={place.address !== "" && place.latitude === null}
            />
          </ul>
        </div>
        {foldable ? (
          <Button
            look="plain"
            className="self-start"
            aria-expanded={unfolded}
            aria-label={words.detailsOf(place.name)}
            onPress={() => unfold(short)}
          >
            {words.details}
          </Button>
        ) : null}
      </div>
      <SafetyLines place={place} plan={plan} over={over} short={short} />
      {toggle}
      {!short && (option.proposed_by || mayWithdraw) ? (
        <div className="flex flex-wrap items-center justify-between gap-x-4 text-sm text-ink-soft">
          <span>{option.proposed_by ? words.proposedBy(firstName(plan, option.proposed_by)) : ""}</span>
          {mayWithdraw ? (
            <Withdraw
              planId={plan.id}
              withdraw={() => withdrawPlace(option.id)}
              votes={option.place_votes.length}
              words={{
                open: words.remove.short,
                title: words.remove.title(place.name),
                done: words.remove.done(place.name),
              }}
              label={words.remove.open(place.name)}
              end
            />
          ) : null}
        </div>
      ) : null}
    </article>
  );
}

/** Of more people than this, the text gives the number. */
const UNASKED_NAMED = 3;

/** Who has not said what they eat: the same for each place, so a long list says it once. */
export function Unasked({ plan, people }: { plan: Plan; people: readonly string[] }) {
  const words = placeOptionWords().diets;
  if (people.length === 0) return null;
  return (
    <p className="text-sm text-ink-soft">
      {people.length > UNASKED_NAMED
        ? words.unaskedMany(people.length)
        : words.unasked(people.map((person) => firstName(plan, person)))}
    </p>
  );
}

interface SafetyProps {
  place: Place;
  plan: Plan;
  over: boolean;
  /** Whether only warnings are shown. */
  short: boolean;
}

function SafetyLines({ place, plan, over, short }: SafetyProps) {
  const words = placeOptionWords().diets;
  const names = peopleWords().diets;
  const { safe, unknown, eaten, unasked } = useSafety(place, plan.plan_members);
  if (safe.length + unknown.length + eaten.length === 0) return null;
  return (
    <>
      {unknown.length > 0 ? (
        <p className="rounded-s border border-maybe/60 bg-card-warm px-3 py-2 text-sm">
          <strong>{words.unknown}</strong> {unsafeTexts(plan, unknown).join("; ")}
          {over ? "." : `. ${words.ask}`}
        </p>
      ) : null}
      {safe.length > 0 && !short ? (
        <p className="flex items-start gap-1.5 text-sm text-yes">
          <CheckIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
          {words.safe(safe.map((person) => firstName(plan, person)))}
        </p>
      ) : null}
      {(short ? [] : eaten).map(({ person, diet, at }) => (
        <p key={`${person} ${diet}`} className="text-sm text-ink-soft">
          {words.ate(firstName(plan, person), names[diet], monthOf(at, Date.now(), plan.time_zone))}
        </p>
      ))}
      {short ? null : <Unasked plan={plan} people={unasked} />}
    </>
  );
}

function TripLine({
  trips,
  plan,
  me,
  unplaced,
}: {
  trips: readonly Trip[];
  plan: Plan;
  me: string;
  /** Whether the place has an address and no position. */
  unplaced: boolean;
}) {
  const words = placeOptionWords().trip;
  const ordered = trips.toSorted((a, b) => a.minutes - b.minutes);
  const [shortest, longest] = [ordered[0], ordered.at(-1)];
  if (!shortest || !longest) return unplaced ? <li>{words.noPosition}</li> : null;
  const mine = trips.find((trip) => trip.user_id === me);
  const name = longest.user_id === me ? words.you : firstName(plan, longest.user_id);
  const spread =
    trips.length === 1
      ? mine
        ? ""
        : words.one(longest.minutes, name)
      : words.range(shortest.minutes, longest.minutes, name);
  return (
    <li className="flex items-start gap-1">
      <NavigationIcon aria-hidden className="mt-0.5 size-4 shrink-0" />
      {[mine ? words.yours(mine.minutes) : "", spread].filter(Boolean).join(", ")}
    </li>
  );
}
