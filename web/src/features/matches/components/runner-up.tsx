/** Owns: a pair that is possible too, in one line. */
import { reasonsFor, reasonText } from "../../../../../supabase/functions/_shared/ranking/reasons.ts";
import { clockOf, dayOf } from "../../../lib/time.ts";
import { Button } from "../../../ui/button.tsx";
import { PlacePicture } from "../../pictures/components/place-picture.tsx";
import { bestWords } from "../words.ts";
import type { PairProps } from "./menu-card.tsx";
import { speakerOf } from "./reason-texts.ts";

export function RunnerUp({ pair, plan, input, choose, busy }: PairProps) {
  const words = bestWords().further;
  const time = plan.time_options.find((option) => option.id === pair.timeId);
  const place = plan.place_options.find((option) => option.id === pair.placeId)?.places;
  if (!time || (pair.placeId !== null && !place)) return null;
  const speaker = speakerOf(plan);
  const day = dayOf(time.starts_at, plan.time_zone);
  const reasons = reasonsFor(pair, input.people)
    .filter((reason) =>
      [
        "all_come",
        "attendance",
        "required_out",
        "place_refused",
        "longest_trip",
        "even_trips",
        "hours_unknown",
      ].includes(reason.code),
    )
    .map((reason) => reasonText(reason, speaker));
  return (
    <li className="paper flex flex-wrap items-center gap-x-4 gap-y-2 p-3">
      {place ? <PlacePicture placeId={place.id} className="size-12 shrink-0" /> : null}
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-display leading-tight font-semibold">
          {place?.name}
          <span className="numerals font-normal">
            {place ? ", " : ""}
            {day} {clockOf(time.starts_at, plan.time_zone)}
          </span>
        </p>
        <p className="text-sm text-ink-soft">
          {[...reasons, ...(pair.notSafeFor.length > 0 ? [words.notSafe(pair.notSafeFor.length)] : [])].join(
            " · ",
          )}
        </p>
      </div>
      {choose ? (
        <Button
          onPress={choose}
          isDisabled={busy}
          aria-label={words.chooseOf(place?.name ?? "", `${day}, ${clockOf(time.starts_at, plan.time_zone)}`)}
        >
          {words.choose}
        </Button>
      ) : null}
    </li>
  );
}
