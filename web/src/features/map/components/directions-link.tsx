/** Owns: the link that opens the way to a place in the device's map app. */
import { NavigationIcon } from "../../../ui/icons.ts";
import { directionsTo, platformOf } from "../directions.ts";
import type { Position } from "../geometry.ts";
import { mapWords } from "../words.ts";

export function DirectionsLink({ place }: { place: Position & { name: string } }) {
  const words = mapWords();
  const platform = platformOf(navigator.userAgent);
  return (
    <a
      className="inline-flex min-h-11 items-center gap-1.5 font-semibold underline decoration-line decoration-2 underline-offset-4 hover:decoration-action"
      href={directionsTo(place, platform)}
      aria-label={words.directionsTo(place.name)}
      // An app takes over where there is one; a page must not replace the plan.
      {...(platform === "android" ? {} : { target: "_blank", rel: "noreferrer" })}
    >
      <NavigationIcon aria-hidden className="size-4" /> {words.directions}
    </a>
  );
}
