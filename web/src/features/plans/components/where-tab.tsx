/** Owns: the tab Where: each place with what it costs, for whom it is safe, how far it is, and the answers. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { dietWord, notKnownSafe } from "../../../../../supabase/functions/_shared/diets.ts";
import { openDuring } from "../../../../../supabase/functions/_shared/hours.ts";
import { dayOf } from "../../../lib/time.ts";
import { ButtonLink } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { ClockIcon, NavigationIcon, UtensilsIcon } from "../../../ui/icons.ts";
import { Empty, ErrorNotice } from "../../../ui/notice.tsx";
import { Price } from "../../places/components/price.tsx";
import { useVote } from "../actions.ts";
import { stateOf } from "../domain.ts";
import { planQueries } from "../queries.ts";
import type { PlaceOption, Plan, Trip } from "../schema.ts";
import { AnswerToggle } from "./answer-toggle.tsx";
import { Heat } from "./heat.tsx";
import type { TabProps } from "./when-tab.tsx";

export function WhereTab({ plan, me, now, host }: TabProps) {
  const vote = useVote(plan, me);
  const trips = useQuery(planQueries.trips(plan.id));
  const polling = stateOf(plan, now) === "polling";
  const closed = plan.vote_deadline !== null && Date.parse(plan.vote_deadline) <= now;
  const mayPropose = polling && !closed && (host || plan.guests_may_propose);
  return (
    <div className="flex flex-col gap-3">
      {vote.isError ? <ErrorNotice error={vote.error} /> : null}
      {plan.place_options.length === 0 ? (
        <Empty title="No places yet" picture={<Dish seed={plan.id} className="w-24" />}>
          <p>Put a few on the table, or let Best suggest one that is safe for everyone.</p>
        </Empty>
      ) : (
        <ul className="flex flex-col gap-3">
          {plan.place_options.map((option) => (
            <PlaceRow
              key={option.id}
              option={option}
              plan={plan}
              me={me}
              trips={trips.data ?? []}
              toggle={
                <AnswerToggle
                  label={option.places?.name ?? "this place"}
                  value={option.place_votes.find((vote) => vote.user_id === me)?.answer ?? null}
                  disabled={!polling || closed}
                  onChange={(answer) => vote.mutate({ places: { [option.id]: answer } })}
                />
              }
            />
          ))}
        </ul>
      )}
      {mayPropose ? (
        <ButtonLink to="/places" search={{ plan: plan.id }} className="self-start">
          Put up another place
        </ButtonLink>
      ) : null}
    </div>
  );
}

function PlaceRow({
  option,
  plan,
  me,
  trips,
  toggle,
}: {
  option: PlaceOption;
  plan: Plan;
  me: string;
  trips: readonly Trip[];
  toggle: React.ReactNode;
}) {
  const place = option.places;
  if (!place) return null;
  const chosen = plan.chosen_place_id === option.id;
  const unsafe = plan.plan_members
    .filter((member) => member.rsvp !== "declined")
    .flatMap((member) => {
      const unknown = notKnownSafe(member.profiles?.diets ?? [], place.safe_diets);
      const name = member.profiles?.display_name.split(" ")[0] ?? "Someone";
      return unknown.length > 0 ? [`${unknown.map(dietWord).join(", ")} for ${name}`] : [];
    });
  return (
    <li className={`paper @container flex flex-col gap-3 p-4 ${chosen ? "border-yes" : ""}`}>
      <div className="flex gap-4">
        <Dish seed={place.id} className="size-16 shrink-0 sm:size-20" />
        <div className="min-w-0 flex-1">
          <h3 className="text-lg leading-tight">
            <Link
              to="/places/$id"
              params={{ id: place.id }}
              className="decoration-line decoration-2 underline-offset-4 hover:underline"
            >
              {place.name}
            </Link>
          </h3>
          <p className="text-sm text-ink-soft">{place.about}</p>
          <ul className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
            <li className="flex items-center gap-1">
              <UtensilsIcon aria-hidden className="size-4" /> {place.cuisines.join(", ")}
            </li>
            <li>
              <Price level={place.price} />
            </li>
            <TripLine trips={trips.filter((trip) => trip.place_id === place.id)} plan={plan} me={me} />
            <OpenLine plan={plan} option={option} />
          </ul>
        </div>
      </div>
      {unsafe.length > 0 ? (
        <p className="rounded-s border border-maybe/50 bg-card-warm px-3 py-2 text-sm">
          <strong>Not known to be safe:</strong> {unsafe.join("; ")}. Ask the kitchen before you choose it.
        </p>
      ) : null}
      <div className="grid gap-3 @xl:grid-cols-[1fr_auto] @xl:items-center">
        <Heat votes={option.place_votes} people={plan.plan_members.length} />
        {toggle}
      </div>
    </li>
  );
}

function TripLine({ trips, plan, me }: { trips: readonly Trip[]; plan: Plan; me: string }) {
  const longest = trips.toSorted((a, b) => b.minutes - a.minutes)[0];
  if (!longest) return null;
  const mine = trips.find((trip) => trip.user_id === me);
  const who = plan.plan_members.find((member) => member.user_id === longest.user_id);
  const name = longest.user_id === me ? "you" : (who?.profiles?.display_name.split(" ")[0] ?? "someone");
  return (
    <li className="flex items-center gap-1">
      <NavigationIcon aria-hidden className="size-4" />
      {mine && longest.user_id !== me ? `you ${mine.minutes} min, ` : ""}longest {longest.minutes} min ({name}
      )
    </li>
  );
}

function OpenLine({ plan, option }: { plan: Plan; option: PlaceOption }) {
  const place = option.places;
  if (!place) return null;
  const closedOn = plan.time_options.filter(
    (time) => openDuring(place.place_hours, place.time_zone, time.starts_at, time.ends_at) === false,
  );
  const words =
    place.place_hours.length === 0
      ? "hours unknown"
      : closedOn.length === 0
        ? "open at every time"
        : closedOn.length === plan.time_options.length
          ? "closed at every time"
          : `closed ${[...new Set(closedOn.map((time) => dayOf(time.starts_at, plan.time_zone)))].join(", ")}`;
  return (
    <li className="flex items-center gap-1">
      <ClockIcon aria-hidden className="size-4" /> {words}
    </li>
  );
}
