/** Owns: the links that call a place, and open the page where a table is booked. */
import { linkLook } from "../../../ui/button.tsx";
import { mapWords } from "../../map/words.ts";
import type { Place } from "../schema.ts";

export function ContactLinks({ place }: { place: Pick<Place, "name" | "phone" | "booking_url"> }) {
  const words = mapWords().contact;
  return (
    <>
      {place.phone ? (
        <a
          className={linkLook}
          href={`tel:${place.phone.replace(/[^0-9+]/g, "")}`}
          aria-label={words.callOf(place.name)}
        >
          {words.call}
        </a>
      ) : null}
      {place.booking_url ? (
        <a
          className={linkLook}
          href={place.booking_url}
          target="_blank"
          rel="noreferrer"
          aria-label={words.bookAt(place.name)}
        >
          {words.book}
        </a>
      ) : null}
    </>
  );
}
