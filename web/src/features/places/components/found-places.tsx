/** Owns: search results for the name being typed: existing places, OpenStreetMap's, and the geocoder's. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useDebounced } from "../../../lib/device/debounced.ts";
import { Button } from "../../../ui/button.tsx";
import { formatMetres, metresBetween, type Position } from "../../map/geometry.ts";
import { lookUpQuery } from "../look-up.ts";
import { mergeFound } from "../merge-found.ts";
import { placeQueries } from "../queries.ts";
import { type FoundPlace, isPlaced } from "../schema.ts";
import { placeFormWords } from "../words/form.ts";
import { placeWords } from "../words.ts";

const SHORTEST = 3;

export function FoundPlaces({
  words,
  near,
  onUse,
}: {
  words: string;
  near: Position | null;
  onUse: (found: FoundPlace) => void;
}) {
  const say = placeFormWords().found;
  const asked = useDebounced(words.trim());
  const enabled = asked.length >= SHORTEST;
  const found = useQuery({ ...placeQueries.found(asked, near), enabled });
  // Only a geocoder's spots are used: without one the look-up returns towns, which are not places to eat.
  const anywhere = useQuery({ ...lookUpQuery(asked, near, true, false), enabled });
  if (!enabled) return null;
  const places = mergeFound(found.data ?? [], anywhere.data?.geocoder ? anywhere.data.spots : []);
  return (
    <div aria-busy={found.isFetching || anywhere.isFetching}>
      <p role="status" className="text-sm text-ink-soft">
        {found.isError ? say.failed : found.isPending ? say.looking : ""}
      </p>
      {places.length > 0 ? (
        <section aria-label={say.label}>
          <h2 className="mb-1 text-sm font-semibold">{say.label}</h2>
          <ul className="paper divide-y divide-line">
            {places.map((place) => (
              <li
                key={place.id ?? place.external_id ?? `${place.name} ${place.latitude} ${place.longitude}`}
                className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-3 py-2"
              >
                <p className="min-w-0 text-sm break-words">
                  <span className="font-semibold">{place.name}</span>
                  <span className="block text-ink-soft">
                    {[
                      place.address,
                      near && isPlaced(place)
                        ? placeWords().away(formatMetres(metresBetween(near, place)))
                        : "",
                      place.id ? say.there : place.external_id ? say.source : say.map,
                    ]
                      .filter(Boolean)
                      .join(" · ")}
                  </span>
                </p>
                {place.id ? (
                  <Link
                    to="/places/$id"
                    params={{ id: place.id }}
                    className="inline-flex min-h-9 items-center text-sm font-semibold underline decoration-line decoration-2 underline-offset-4"
                  >
                    {place.name}
                  </Link>
                ) : (
                  <Button aria-label={say.addName(place.name)} onPress={() => onUse(place)}>
                    {say.use}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </div>
  );
}
