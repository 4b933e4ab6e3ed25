/** Owns: the list of spots found for a typed name or address, to choose one. */
import { useQuery } from "@tanstack/react-query";
import { useDebounced } from "../../../lib/device/debounced.ts";
import { Button } from "../../../ui/button.tsx";
import { ErrorNotice } from "../../../ui/notice.tsx";
import type { Position } from "../../map/geometry.ts";
import { lookUpQuery, SHORTEST, type Spot } from "../look-up.ts";
import { lookUpWords } from "../words/look-up.ts";

export function LookUpResults({
  words,
  near,
  keep = true,
  own = false,
  onPick,
}: {
  words: string;
  near: Position | null;
  /** Whether the server may cache the geocoder's answer; not for the address of a person's home. */
  keep?: boolean;
  /** Whether Nosh's own places are searched too. */
  own?: boolean;
  onPick: (spot: Spot) => void;
}) {
  const say = lookUpWords();
  const asked = useDebounced(words.trim());
  const enabled = asked.length >= SHORTEST;
  const found = useQuery({ ...lookUpQuery(asked, near, keep, own), enabled });
  if (!enabled) return null;
  const spots = found.data?.spots ?? [];
  return (
    <div aria-busy={found.isFetching} className="flex flex-col gap-1">
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {found.isPending ? say.looking : found.isSuccess && spots.length === 0 ? say.none : ""}
      </p>
      {found.isError ? <ErrorNotice error={found.error} retry={() => void found.refetch()} /> : null}
      {spots.length > 0 && !found.isError ? (
        <section aria-label={say.label}>
          <ul className="paper divide-y divide-line">
            {spots.map((spot) => (
              <li
                key={`${spot.name} ${spot.address} ${spot.latitude} ${spot.longitude}`}
                className="flex items-center justify-between gap-3 px-3 py-2"
              >
                <p className="min-w-0 text-sm break-words">
                  <span className="font-semibold">{spot.name}</span>
                  <span className="block text-ink-soft">{spot.address}</span>
                  {spot.city ? <span className="block text-ink-soft">{say.cityOnly}</span> : null}
                </p>
                <Button
                  className="shrink-0"
                  aria-label={say.use(spot.name, spot.address)}
                  onPress={() => onPick(spot)}
                >
                  {say.useShort}
                </Button>
              </li>
            ))}
          </ul>
          {found.data?.geocoder === false ? <p className="mt-1 text-sm text-ink-soft">{say.ownMap}</p> : null}
        </section>
      ) : null}
    </div>
  );
}
