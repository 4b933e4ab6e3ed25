/** Owns: a circle's places: those suggested on its plans, and those that members added to its list. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { useChange } from "../../../lib/change.ts";
import { byName } from "../../../lib/i18n/words.ts";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx";
import { addCirclePlace, removeCirclePlace } from "../../circles/mutations.ts";
import { type CirclePlaceRow, circleQueries } from "../../circles/queries.ts";
import { circleWords } from "../../circles/words.ts";
import { placeQueries } from "../../places/queries.ts";
import { type CirclePlan, relatedQueries } from "../../plans/cards/related.ts";

interface CirclePlace {
  id: string;
  name: string;
  plans: number;
  /** The number of plans that chose it. */
  chosen: number;
  /** Whether a member added it to the circle's list. */
  listed: boolean;
}

/** The number of places that fit beside the people; the rest is shown on demand. */
const SHOWN = 6;
const FOUND = 6;

const unused = (id: string, name: string, listed: boolean) => ({ id, name, plans: 0, chosen: 0, listed });

/** The places, those chosen most often first. */
function placesOf(plans: readonly CirclePlan[], list: readonly CirclePlaceRow[]): CirclePlace[] {
  const found = new Map<string, CirclePlace>(
    list.map(({ place_id: id, places }) => [id, unused(id, places.name, true)]),
  );
  for (const plan of plans) {
    for (const { id, place_id, places: place } of plan.place_options) {
      if (!place) continue;
      const known = found.get(place_id) ?? unused(place_id, place.name, false);
      known.plans += 1;
      known.chosen += Number(plan.chosen_place_id === id && plan.status === "confirmed");
      found.set(place_id, known);
    }
  }
  return [...found.values()].toSorted(
    (a, b) => b.chosen - a.chosen || b.plans - a.plans || byName(a.name, b.name),
  );
}

export function CirclePlaces({ circle }: { circle: string }) {
  const words = circleWords().places;
  const plans = useQuery(relatedQueries.placesOfCircle(circle));
  const list = useQuery(circleQueries.places(circle));
  const [all, setAll] = useState(false);
  const [adding, setAdding] = useState(false);
  const places = placesOf(plans.data ?? [], list.data ?? []);
  const shown = all ? places : places.slice(0, SHOWN);
  return (
    <section aria-label={words.title} className="flex flex-col gap-3">
      <h2 className="text-lg">{words.title}</h2>
      {list.isPending ? (
        <Skeleton className="h-16" />
      ) : list.isError ? (
        <ErrorNotice error={list.error} retry={() => void list.refetch()} />
      ) : places.length === 0 ? (
        <p className="text-ink-soft">{words.none}</p>
      ) : (
        <ul className="flex flex-col gap-2">
          {shown.map((place) => (
            <li key={place.id} className="paper flex flex-wrap items-center justify-between gap-2 pr-2">
              <Link
                to="/places/$id"
                params={{ id: place.id }}
                className="flex min-w-0 flex-1 basis-48 items-center gap-3 rounded-m p-3 transition-colors duration-150 hover:bg-card-warm"
              >
                <Dish seed={place.id} className="size-10 shrink-0" />
                <span className="min-w-0">
                  <span className="block font-semibold break-words">{place.name}</span>
                  <span className="text-sm text-ink-soft">
                    {place.chosen > 0
                      ? words.chosen(place.chosen)
                      : place.plans > 1
                        ? words.suggested(place.plans)
                        : place.listed
                          ? words.addedByMember
                          : null}
                  </span>
                </span>
              </Link>
              {place.listed ? <Change circle={circle} place={place} adds={false} /> : null}
            </li>
          ))}
        </ul>
      )}
      {shown.length < places.length ? (
        <Button className="self-start" onPress={() => setAll(true)}>
          {words.more(places.length - shown.length)}
        </Button>
      ) : null}
      {adding ? (
        <Add circle={circle} there={places.filter(({ listed }) => listed).map(({ id }) => id)} />
      ) : (
        <Button className="self-start" onPress={() => setAdding(true)}>
          {words.add}
        </Button>
      )}
    </section>
  );
}

function Add({ circle, there }: { circle: string; there: readonly string[] }) {
  const words = circleWords().places;
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const found = useQuery({
    ...placeQueries.list({ search: wanted, diets: [], most: FOUND }),
    enabled: wanted !== "",
  });
  const places = (found.data ?? []).filter(({ id }) => !there.includes(id));
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={words.search}
        type="search"
        value={search}
        onChange={setSearch}
        maxLength={80}
        autoFocus
      />
      {wanted === "" ? null : found.isError ? (
        <ErrorNotice error={found.error} retry={() => void found.refetch()} />
      ) : found.isPending ? (
        <Skeleton className="h-12" />
      ) : places.length === 0 ? (
        <p role="status" className="text-sm text-ink-soft">
          {words.nothing}
        </p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {places.map((place) => (
            <li key={place.id} className="flex items-center justify-between gap-3 py-1">
              <span className="min-w-0 break-words">{place.name}</span>
              <Change circle={circle} place={place} adds onDone={() => setSearch("")} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The button that adds a place to the circle's list, or removes it. */
function Change({
  circle,
  place,
  adds,
  onDone,
}: {
  circle: string;
  place: { id: string; name: string };
  adds: boolean;
  onDone?: () => void;
}) {
  const words = circleWords().places;
  const announce = useAnnounce();
  const change = useChange(async () => {
    await (adds ? addCirclePlace : removeCirclePlace)(circle, place.id);
    onDone?.();
    announce(adds ? words.added(place.name) : words.removed(place.name));
  }, ["circle-places", circle]);
  return (
    <>
      <Button
        look={adds ? undefined : "plain"}
        busy={change.isPending}
        aria-label={adds ? words.addName(place.name) : words.removeName(place.name)}
        onPress={() => change.mutate()}
      >
        {adds ? words.addShort : words.removeShort}
      </Button>
      {change.isError ? <ErrorNotice error={change.error} /> : null}
    </>
  );
}
