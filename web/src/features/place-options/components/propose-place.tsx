/** Owns: suggesting another place: by its name, a saved one, by searching, or from the whole list. */
import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";
import { useAnnounce } from "../../../ui/announcer.tsx";
import { Button, ButtonLink } from "../../../ui/button.tsx";
import { Dish } from "../../../ui/dish.tsx";
import { ErrorNotice, Skeleton } from "../../../ui/notice.tsx";
import { Sheet } from "../../../ui/sheet.tsx";
import { isSameName, NameField } from "../../places/components/name-field.tsx";
import { cuisineNames } from "../../places/cuisines.ts";
import { placeQueries } from "../../places/queries.ts";
import type { NewPlace, Place } from "../../places/schema.ts";
import { makeOnce, usePlanAction } from "../../plans/actions.ts";
import { useSafety } from "../../plans/eaten.ts";
import { proposeNamedPlace, proposePlace } from "../../plans/mutations.ts";
import { firstName } from "../../plans/names.ts";
import type { Plan } from "../../plans/schema.ts";
import { placeOptionWords } from "../../plans/words/place-options.ts";

const FOUND = 6;

export function ProposePlace({ plan }: { plan: Plan }) {
  const words = placeOptionWords().propose;
  return (
    <Sheet
      title={words.title}
      trigger={
        <Button className="self-start">{plan.place_options.length === 0 ? words.first : words.open}</Button>
      }
    >
      {(close) => <Choose plan={plan} close={close} />}
    </Sheet>
  );
}

function Choose({ plan, close }: { plan: Plan; close: () => void }) {
  const words = placeOptionWords().propose;
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const [search, setSearch] = useState("");
  const wanted = useDeferredValue(search.trim());
  const saved = useQuery(placeQueries.saved());
  const savedPlaces = useQuery({ ...placeQueries.byId(saved.data ?? []), enabled: saved.isSuccess });
  const found = useQuery({
    ...placeQueries.list({ search: wanted, diets: [], most: FOUND }),
    enabled: wanted !== "",
  });
  const shown = wanted === "" ? savedPlaces : found;
  const looking = wanted !== search.trim() || found.isFetching;
  const unknown = looking ? undefined : found.isSuccess && found.data.length === 0;
  const add = (place: NewPlace) =>
    action.mutate(
      () =>
        makeOnce(
          plan.id,
          () => proposeNamedPlace(plan.id, place),
          (now) => now.place_options.some(({ places }) => isSameName(places?.name ?? "", place.name)),
        ),
      {
        onSuccess: () => {
          announce(words.done(place.name));
          close();
        },
      },
    );
  return (
    <div className="flex flex-col gap-4">
      <NameField
        autoFocus
        look={unknown ? "action" : "quiet"}
        value={search}
        onChange={setSearch}
        onAdd={add}
        taken={plan.place_options.flatMap(({ places }) => places?.name ?? [])}
        unknown={unknown}
        busy={action.isPending}
      />
      {action.isError ? <ErrorNotice error={action.error} /> : null}
      {unknown ? null : (
        <section aria-label={wanted === "" ? words.saved : words.found} className="flex flex-col gap-2">
          <h3 className="text-sm font-semibold text-ink-soft">{wanted === "" ? words.saved : words.found}</h3>
          {shown.isError ? (
            <ErrorNotice error={shown.error} retry={() => void shown.refetch()} />
          ) : shown.isPending ? (
            <Skeleton className="h-16 w-full" />
          ) : shown.data.length === 0 ? (
            <p className="text-sm text-ink-soft">{words.noSaved}</p>
          ) : (
            <ul className="flex flex-col divide-y divide-line">
              {shown.data.map((place) => (
                <li key={place.id}>
                  <Candidate plan={plan} place={place} />
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        <ButtonLink to="/places" search={{ plan: plan.id, ...(wanted ? { q: wanted } : {}) }}>
          {words.all}
        </ButtonLink>
      </div>
    </div>
  );
}

function Candidate({ plan, place }: { plan: Plan; place: Place }) {
  const words = placeOptionWords();
  const announce = useAnnounce();
  const action = usePlanAction(plan.id);
  const there = plan.place_options.some((option) => option.place_id === place.id);
  const unknown = useSafety(place, plan.plan_members).unknown;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <Dish seed={place.id} className="size-10 shrink-0" />
      <p className="min-w-0 flex-1 basis-40 break-words">
        <span className="font-semibold">{place.name}</span>
        <span className={`block text-sm ${unknown.length > 0 ? "text-maybe" : "text-ink-soft"}`}>
          {unknown.length > 0
            ? words.diets.unknownFor(unknown.map(({ person }) => firstName(plan, person)))
            : cuisineNames(place.cuisines).join(", ")}
        </span>
      </p>
      {there ? (
        <span className="text-sm text-ink-soft">{words.propose.there}</span>
      ) : (
        <Button
          aria-label={words.propose.addName(place.name)}
          busy={action.isPending}
          onPress={() =>
            action.mutate(() => proposePlace(plan.id, place.id), {
              onSuccess: () => announce(words.propose.done(place.name)),
            })
          }
        >
          {words.propose.add}
        </Button>
      )}
      {action.isError ? <ErrorNotice error={action.error} /> : null}
    </div>
  );
}
