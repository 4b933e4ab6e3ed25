/** Owns: the screens of all places and of saved places, as list and map, with the filters in the address. */
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Position } from "../../../features/map/geometry.ts";
import { hasStreets } from "../../../features/map/streets.ts";
import { AddToPlanButton } from "../../../features/place-options/components/add-to-plan-button.tsx";
import { PlaceBoard, PlaceListSkeleton } from "../../../features/places/components/place-board.tsx";
import { PlaceFilters } from "../../../features/places/components/place-filters.tsx";
import { useNear } from "../../../features/places/near.ts";
import { FIRST, MOST, placeQueries } from "../../../features/places/queries.ts";
import { isPlaced, type Place } from "../../../features/places/schema.ts";
import { type PlacesSearch, tidy } from "../../../features/places/search.ts";
import { placeWords } from "../../../features/places/words.ts";
import { Choice } from "../../../features/plans/components/segments.tsx";
import { hoursAt } from "../../../features/plans/hours-at.ts";
import { planQueries } from "../../../features/plans/queries.ts";
import type { Plan } from "../../../features/plans/schema.ts";
import { useMyId, useSession } from "../../../features/session/session.tsx";
import { useNow } from "../../../lib/device/now.ts";
import { useTitle } from "../../../lib/device/title.ts";
import { useWide } from "../../../lib/device/wide.ts";
import { browserZone } from "../../../lib/time.ts";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { Empty, ErrorNotice, Loading } from "../../../ui/notice.tsx";

const route = getRouteApi("/seated/places");

/** The length of a meal when no plan says it. */
const MEAL_MINUTES = 90;
/** "Now" moves in steps of this length, so that the list is not refetched every half minute. */
const STEP_MS = 10 * 60_000;

export function Places() {
  const words = placeWords();
  const search = route.useSearch();
  const navigate = useNavigate();
  const me = useMyId();
  const now = useNow();
  const wide = useWide();
  const guest = useSession()?.user.is_anonymous ?? true;
  const near = useNear(me);
  const [most, setMost] = useState(FIRST);
  useTitle(search.plan ? words.suggestTitle : words.title);
  const plan = useQuery({ ...planQueries.one(search.plan ?? ""), enabled: search.plan !== undefined });
  const saved = useQuery({ ...placeQueries.saved(), enabled: search.saved === true });
  const places = useQuery({
    ...placeQueries.list({
      search: search.q ?? "",
      diets: search.diets ?? [],
      price: search.price,
      open: openAt(search, plan.data ?? null, now),
      near: near.position,
      most: search.saved ? MOST : most,
    }),
    // The list is read once the position is known, so that it does not reorder while it is being read.
    enabled: !near.pending,
  });
  const change = (next: Partial<PlacesSearch>) => {
    setMost(FIRST);
    void navigate({
      to: "/places",
      search: tidy({ ...search, ...next }),
      replace: true,
      resetScroll: false,
      viewTransition: false,
    });
  };
  const shown = (places.data ?? []).filter((place) => !search.saved || saved.data?.includes(place.id));
  const view = search.view ?? "list";
  const mapped = places.isPending || isMapped(shown, near.position);
  return (
    <div className="flex flex-col gap-5">
      <header className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{search.plan ? words.suggestTitle : words.title}</h1>
        <div className="flex flex-wrap gap-2">
          {search.plan ? (
            <ButtonLink to="/plans/$id" params={{ id: search.plan }} search={{ tab: "where" }}>
              {words.backToPlan}
            </ButtonLink>
          ) : null}
          {guest ? null : (
            <ButtonLink to="/places/new" search={search.plan ? { plan: search.plan } : {}}>
              {words.add}
            </ButtonLink>
          )}
        </div>
      </header>
      <PlaceFilters
        search={search}
        plan={plan.data ?? null}
        near={near}
        viewerZone={browserZone()}
        wide={wide}
        onChange={change}
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p role="status" className="text-sm text-ink-soft">
          {places.isSuccess ? words.found(shown.length) : ""}
        </p>
        {wide || !mapped ? null : (
          <Choice
            label={words.view.label}
            value={view}
            options={[
              ["list", words.view.list],
              ["map", words.view.map],
            ]}
            onChange={(next) => change({ view: next === "map" ? "map" : undefined })}
          />
        )}
      </div>
      {places.isError ? (
        <ErrorNotice error={places.error} retry={() => void places.refetch()} />
      ) : places.isPending || (search.saved && saved.isPending) ? (
        <Loading what={words.loading}>
          <PlaceListSkeleton />
        </Loading>
      ) : shown.length === 0 ? (
        <Empty title={words.none.title} picture={<Dish seed="nothing" className="w-24 opacity-60" />}>
          <p>{words.none.text}</p>
          <Button
            onPress={() =>
              change({ q: undefined, diets: undefined, price: undefined, open: undefined, saved: undefined })
            }
          >
            {words.search.clear}
          </Button>
        </Empty>
      ) : (
        <PlaceBoard
          places={shown}
          me={me}
          now={now}
          action={search.plan ? addTo(search.plan) : undefined}
          hours={hoursOf(plan.data ?? null)}
          near={near.position}
          view={view}
          after={
            search.saved || places.data.length < most ? null : most < MOST ? (
              <Button
                busy={places.isFetching}
                onPress={() => setMost(Math.min(MOST, most * 3))}
                className="self-center"
              >
                {words.showMore}
              </Button>
            ) : (
              <p className="text-center text-sm text-ink-soft">{words.more(most)}</p>
            )
          }
        />
      )}
      {guest ? <Guests /> : null}
    </div>
  );
}

const isMapped = (places: readonly Place[], near: Position | null) =>
  hasStreets([...places.filter(isPlaced), ...(near ? [near] : [])]);

/** When a place should be open: now, or for the whole of one of the plan's times. */
function openAt(search: PlacesSearch, plan: Plan | null, now: number) {
  if (search.open === "now") {
    return { at: new Date(Math.floor(now / STEP_MS) * STEP_MS).toISOString(), minutes: MEAL_MINUTES };
  }
  const time = plan?.time_options.find((option) => option.id === search.open);
  if (!time) return undefined;
  const minutes = Math.round((Date.parse(time.ends_at) - Date.parse(time.starts_at)) / 60_000);
  return { at: time.starts_at, minutes };
}

/** In a list opened for a plan, cards say at which of the plan's times a place is open. */
function hoursOf(plan: Plan | null) {
  if (!plan || plan.time_options.length === 0) return undefined;
  return (place: Place) => hoursAt(place, plan.time_options, plan.time_zone);
}

function Guests() {
  const words = placeWords();
  return (
    <p className="paper flex flex-wrap items-center justify-between gap-x-4 gap-y-2 p-4 text-sm text-ink-soft">
      {words.guests}
      <ButtonLink to="/me">{words.makeAccount}</ButtonLink>
    </p>
  );
}

export function Saved() {
  const words = placeWords().saved;
  useTitle(words.title);
  const me = useMyId();
  const now = useNow();
  const near = useNear(me);
  const saved = useQuery(placeQueries.saved());
  const places = useQuery({ ...placeQueries.byId(saved.data ?? []), enabled: saved.isSuccess });
  // The list was read before the latest unsaving.
  const savedPlaces = (places.data ?? []).filter((place) => saved.data?.includes(place.id));
  const wide = useWide();
  const [view, setView] = useState<"list" | "map">("list");
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h1 className="text-2xl">{words.title}</h1>
        {wide || savedPlaces.length === 0 || !isMapped(savedPlaces, near.position) ? null : (
          <Choice
            label={placeWords().view.label}
            value={view}
            options={[
              ["list", placeWords().view.list],
              ["map", placeWords().view.map],
            ]}
            onChange={setView}
          />
        )}
      </div>
      {saved.isError || places.isError ? (
        <ErrorNotice
          error={saved.error ?? places.error}
          retry={() => void Promise.all([saved.refetch(), places.refetch()])}
        />
      ) : saved.isPending || places.isPending ? (
        <Loading what={words.loading}>
          <PlaceListSkeleton />
        </Loading>
      ) : savedPlaces.length === 0 ? (
        <Empty title={words.empty.title} picture={<Dish seed="saved" className="w-24" />}>
          <p>{words.empty.text}</p>
          <ButtonLink to="/places">{words.empty.look}</ButtonLink>
        </Empty>
      ) : (
        <PlaceBoard places={savedPlaces} me={me} now={now} near={near.position} view={view} />
      )}
    </div>
  );
}

/** The action on a place's card while a place is chosen for a plan. */
const addTo = (planId: string) => (place: Place) => <AddToPlanButton planId={planId} place={place} />;
