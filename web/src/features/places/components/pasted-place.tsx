/** Owns: what a pasted map link or address says of a place that is being added: its name, address, position and time zone. */
import { useEffect, useRef } from "react";
import type { MapLink } from "../../map/map-link.ts";
import type { NewPlace } from "../schema.ts";
import { useMapLink } from "../use-map-link.ts";
import { placeFormWords } from "../words/form.ts";
import { zoneAt } from "../zone.ts";
import { LookUpResults } from "./look-up-results.tsx";

/** @param text a link, or an address */
export function PastedPlace({
  text,
  isLink,
  onFound,
}: {
  text: string;
  isLink: boolean;
  onFound: (place: NewPlace) => void;
}) {
  const words = placeFormWords().link;
  const { link, opening, failed } = useMapLink(isLink ? text : "");
  const used = useRef<string>(undefined);
  const take = (place: NewPlace & { latitude: number; longitude: number }) =>
    zoneAt(place).then(
      (time_zone) => onFound({ ...place, time_zone }),
      // Without the table of zones the place gets the plan's.
      () => onFound(place),
    );
  useEffect(() => {
    if (link?.kind !== "position" || used.current === text) return;
    used.current = text;
    void take({ name: link.name ?? "", ...link.position });
  });
  const named = isLink ? nameIn(link) : text;
  return (
    <div className="flex flex-col gap-2">
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {failed ? words.short : opening ? words.opening : isLink && link === null ? words.none : ""}
        {isLink && named ? words.named(named) : ""}
      </p>
      {named ? (
        <LookUpResults
          words={named}
          near={null}
          onPick={({ name, address, latitude, longitude, city }) => {
            // Of a city the text stays as it was typed, without a position.
            if (city) onFound({ name: named.split(",")[0]?.trim() || name, address: named.slice(0, 160) });
            else
              void take({
                name,
                address: [name, address].filter(Boolean).join(", ").slice(0, 160),
                latitude,
                longitude,
              });
          }}
        />
      ) : null}
    </div>
  );
}

function nameIn(link: MapLink | null | undefined): string | null {
  return link?.kind === "name" ? link.name : null;
}
