/** Owns: the link that opens the way to a place in the device's map app. */
import { linkLook } from "../../../ui/button.tsx";
import { NavigationIcon } from "../../../ui/icons.ts";
import { type Destination, directionsTo, platformOf } from "../directions.ts";
import { mapWords } from "../words.ts";

export function DirectionsLink({ place }: { place: Destination }) {
  const words = mapWords();
  const platform = platformOf(navigator.userAgent);
  return (
    <a
      className={linkLook}
      href={directionsTo(place, platform)}
      aria-label={words.directionsTo(place.name)}
      // An app takes over where there is one; a page must not replace the plan.
      {...(platform === "android" ? {} : { target: "_blank", rel: "noreferrer" })}
    >
      <NavigationIcon aria-hidden className="size-4" /> {words.directions}
    </a>
  );
}
