/** Owns: choosing the places of a new plan. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox, CheckboxGroup } from "react-aria-components";
import { listOf } from "../../../lib/i18n/words.ts";
import { Dish } from "../../../ui/dish.tsx";
import { Fold } from "../../../ui/fold.tsx";
import { CheckIcon } from "../../../ui/icons.ts";
import { ErrorNotice } from "../../../ui/notice.tsx";
import { circleQueries } from "../../circles/queries.ts";
import { isSameName, NameField } from "../../places/components/name-field.tsx";
import { useNear } from "../../places/near.ts";
import { placeQueries } from "../../places/queries.ts";
import { isInReach } from "../../places/reach.ts";
import type { NewPlace, Place } from "../../places/schema.ts";
import { newPlanWords } from "../words.ts";

/** Enough to choose from without a search. */
const SHOWN = 6;
const FOUND = 12;

export const chipLook =
  "flex min-h-11 cursor-pointer items-center gap-2 rounded-full border border-edge bg-card py-1 pr-4 pl-1.5 " +
  "transition-colors duration-150 hover:bg-card-warm data-[selected]:border-transparent data-[selected]:bg-ink " +
  "data-[selected]:text-card";

interface PlacesProps {
  me: string;
  chosen: readonly string[];
  /** Places that are added by their names. */
  added: readonly NewPlace[];
  /** The circle whose places are listed first. */
  circle?: string | null;
  onChange: (change: { places?: string[]; newPlaces?: NewPlace[] }) => void;
  /** Tells the name in the field that is not on the plan and led to no choice; empty for none. */
  onPending: (name: string) => void;
  problem?: string | undefined;
}

export function PlacesField(props: PlacesProps) {
  const words = newPlanWords().where;
  const chosen = useQuery({ ...placeQueries.byId(props.chosen), enabled: props.chosen.length > 0 });
  const stored = (chosen.data ?? []).filter(({ id }) => props.chosen.includes(id));
  const names = [...props.added, ...stored].map(({ name }) => name);
  const [search, setSearch] = useState("");
  return (
    <Fold
      title={words.legend}
      summary={names.length === 0 ? words.later : listOf(names)}
      needed={props.problem !== undefined}
    >
      <PlacesChoice
        {...props}
        stored={stored}
        taken={names}
        search={search}
        setSearch={(text) => {
          setSearch(text);
          props.onPending(names.some((name) => isSameName(name, text)) ? "" : text.trim());
        }}
      />
    </Fold>
  );
}

function PlacesChoice({
  me,
  chosen,
  added,
  circle = null,
  onChange,
  onPending,
  problem,
  stored,
  taken,
  search,
  setSearch,
}: PlacesProps & {
  stored: readonly Place[];
  taken: readonly string[];
  search: string;
  setSearch: (text: string) => void;
}) {
  const words = newPlanWords().where;
  const near = useNear(me);
  const found = useQuery({
    ...placeQueries.list({ search, diets: [], near: near.position }),
    enabled: !near.pending,
  });
  const shared = useQuery({ ...circleQueries.places(circle ?? ""), enabled: circle !== null });
  const ids = circle === null || search !== "" ? [] : (shared.data ?? []).map(({ place_id }) => place_id);
  const ofCircle = useQuery({ ...placeQueries.byId(ids.slice(0, FOUND)), enabled: ids.length > 0 });
  const first = ids.length > 0 ? (ofCircle.data ?? []) : [];
  const others = (found.data ?? []).filter(
    (place) =>
      !first.some((one) => one.id === place.id) && (search !== "" || isInReach(place, near.position)),
  );
  const shown = [...first, ...others].slice(0, search ? FOUND : Math.max(SHOWN, first.length));
  const hidden = stored.filter((place) => !shown.some((one) => one.id === place.id));
  return (
    <>
      <NameField
        value={search}
        onChange={setSearch}
        onAdd={(place) => {
          onChange({ newPlaces: [...added, place] });
          setSearch("");
        }}
        taken={taken}
        problem={problem}
        unknown={near.pending || found.isFetching ? undefined : found.isSuccess && shown.length === 0}
      />
      {found.isError ? <ErrorNotice error={found.error} retry={() => void found.refetch()} /> : null}
      <CheckboxGroup
        aria-label={words.places}
        value={[...added.map(({ name }) => name), ...chosen]}
        onChange={(next) => {
          // The text found what was looked for.
          onPending("");
          onChange({
            places: next.filter((each) => !added.some(({ name }) => name === each)),
            newPlaces: added.filter(({ name }) => next.includes(name)),
          });
        }}
        className="flex flex-wrap gap-2"
      >
        {[...added.map(({ name }) => ({ id: name, name })), ...hidden, ...shown].map((place) => (
          <Checkbox key={place.id} value={place.id} className={chipLook}>
            {({ isSelected }) => (
              <>
                {isSelected ? (
                  <CheckIcon aria-hidden className="m-1.5 size-5" />
                ) : (
                  <Dish seed={place.id} className="size-8" />
                )}
                {place.name}
              </>
            )}
          </Checkbox>
        ))}
      </CheckboxGroup>
      <p className="text-sm text-ink-soft">{words.none}</p>
    </>
  );
}
