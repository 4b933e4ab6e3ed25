/** Owns: filters for places: words, diets, price, opening time, and saved places only. */
import { useEffect, useRef, useState } from "react";
import { formatTime } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { Select } from "../../../ui/fields/select.tsx";
import { Switch } from "../../../ui/fields/switch.tsx";
import { MapPinIcon } from "../../../ui/icons.ts";
import { DietFilter } from "../../people/components/diet-filter.tsx";
import type { Near } from "../near.ts";
import { filtersSet, type PlacesSearch } from "../search.ts";
import { placeWords } from "../words.ts";

/** Long enough not to send a request for each letter, short enough not to be noticed. */
const PAUSE_MS = 250;

export function PlaceFilters({
  search,
  plan,
  near,
  viewerZone,
  wide,
  onChange,
}: {
  search: PlacesSearch;
  /** The plan to find a place for, whose times can be used as filters. */
  plan: { time_zone: string; time_options: readonly { id: string; starts_at: string }[] } | null;
  near: Near;
  viewerZone: string;
  wide: boolean;
  onChange: (change: Partial<PlacesSearch>) => void;
}) {
  const words = placeWords().search;
  const [typed, setTyped] = useTyped(search.q ?? "", (q) => onChange({ q }));
  const count = filtersSet(search);
  // The browser opens and closes the panel from then on: clearing the last filter must not close it over the focus.
  const [openedFiltered] = useState(count > 0);
  const times = (plan?.time_options ?? []).map(
    (option) => [option.id, formatTime(option.starts_at, plan?.time_zone ?? viewerZone, viewerZone)] as const,
  );
  return (
    <search className="flex flex-col gap-3">
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto]">
        <Field
          label={words.label}
          type="search"
          value={typed}
          onChange={setTyped}
          placeholder={words.hint}
          maxLength={80}
        />
        <Button busy={near.asking} onPress={near.ask} className="justify-self-start">
          <MapPinIcon aria-hidden className="size-5" /> {words.nearMe}
        </Button>
      </div>
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {near.failed
          ? words.nearFailed
          : near.from === "here"
            ? words.nearHere
            : near.from === "start"
              ? words.nearStart
              : ""}
      </p>
      <details open={wide || openedFiltered} className="group">
        <summary className="flex min-h-11 w-fit cursor-pointer items-center gap-2 font-semibold lg:hidden">
          {words.filters}
          {count > 0 ? (
            <span className="numerals rounded-full bg-ink px-2 text-sm text-card">{count}</span>
          ) : null}
        </summary>
        <div className="flex flex-col gap-3 pt-1">
          <DietFilter value={search.diets ?? []} onChange={(diets) => onChange({ diets })} />
          <div className="grid gap-x-4 gap-y-3 sm:grid-cols-3 sm:items-end">
            <Select
              label={words.price}
              value={search.price ? String(search.price) : ""}
              options={[
                ["", words.anyPrice],
                ...placeWords()
                  .prices.slice(0, -1)
                  .map((price, index) => [String(index + 1), price] as const),
              ]}
              onChange={(price) => onChange({ price: price ? Number(price) : undefined })}
            />
            <Select
              label={words.open}
              value={search.open ?? ""}
              options={[["", words.anyTime], ["now", words.now], ...times]}
              onChange={(open) => onChange({ open: open || undefined })}
            />
            <Switch
              isSelected={search.saved === true}
              onChange={(saved) => onChange({ saved: saved || undefined })}
            >
              {words.saved}
            </Switch>
          </div>
        </div>
      </details>
    </search>
  );
}

/** The typed text, reported after a pause; it also follows the URL when that changes (back). */
function useTyped(value: string, onChange: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  const latest = useRef({ value, onChange });
  const sent = useRef(value);
  useEffect(() => {
    latest.current = { value, onChange };
  });
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setTyped(value);
    }
  }, [value]);
  useEffect(() => {
    if (typed === latest.current.value) return;
    const timer = setTimeout(() => {
      sent.current = typed;
      latest.current.onChange(typed);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}
