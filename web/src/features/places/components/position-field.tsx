/** Owns: giving a place's address and position: looked up, by a map link, on the map, or by the device's location. */
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { MapPinIcon } from "../../../ui/icons.ts";
import { MapView } from "../../map/components/map-view.tsx";
import type { Position } from "../../map/geometry.ts";
import { hasStreets } from "../../map/streets.ts";
import { useMyId } from "../../session/session.tsx";
import type { PlaceFields } from "../form-schema.ts";
import type { Spot } from "../look-up.ts";
import { useNear, whereAmI } from "../near.ts";
import { useMapLink } from "../use-map-link.ts";
import { placeFormWords } from "../words/form.ts";
import { LookUpResults } from "./look-up-results.tsx";

/** About a metre: pressing on a map is no more precise than that. */
const DIGITS = 5;

export function PositionField({
  name,
  address,
  position,
  problem,
  onChange,
}: {
  /** Of the place. */
  name: string;
  address: string;
  position: Position | null;
  problem: string | undefined;
  onChange: (change: Partial<PlaceFields>) => void;
}) {
  const words = placeFormWords();
  const near = useNear(useMyId());
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  const [lookingUp, setLookingUp] = useState(false);
  const [pasted, setPasted] = useState("");
  const { link, opening, failed } = useMapLink(pasted);
  const take = (at: Position, change: Partial<PlaceFields> = {}) => {
    onChange({
      ...change,
      latitude: Number(at.latitude.toFixed(DIGITS)),
      longitude: Number(at.longitude.toFixed(DIGITS)),
    });
  };
  const takeSpot = (spot: Spot) => {
    const whole = [spot.name, spot.address].filter(Boolean).join(", ");
    // A spot with the place's own name has its address apart; the name of any other spot is part of the address.
    // Of a city the address stays as it was typed, without a position.
    if (spot.city)
      onChange({ address: address.trim() || whole.slice(0, 160), latitude: null, longitude: null });
    else take(spot, { address: spot.name === name.trim() ? spot.address : whole.slice(0, 160) });
    setLookingUp(false);
    setPasted("");
  };
  const around = position ?? near.position;
  const mapped = around !== null && hasStreets([around]);
  const used = useRef<string>(undefined);
  useEffect(() => {
    // A link is used once: afterwards the person may have chosen another spot.
    if (link?.kind !== "position" || used.current === pasted) return;
    used.current = pasted;
    take(link.position);
  });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="sr-only">{words.where}</legend>
      <Field
        label={words.address}
        value={address}
        onChange={(text) => {
          onChange({ address: text });
          setLookingUp(true);
        }}
        problem={problem}
        autoComplete="off"
      />
      {lookingUp ? <LookUpResults words={address} near={near.position} onPick={takeSpot} /> : null}
      <Field
        label={words.link.label}
        placeholder={words.link.example}
        inputMode="url"
        autoComplete="off"
        value={pasted}
        onChange={setPasted}
        problem={failed ? words.link.short : link === null ? words.link.none : undefined}
      />
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {link?.kind === "position"
          ? mapped
            ? words.link.read
            : words.link.found
          : link?.kind === "name"
            ? words.link.named(link.name)
            : opening
              ? words.link.opening
              : ""}
      </p>
      {link?.kind === "name" ? (
        <LookUpResults words={link.name} near={near.position} onPick={takeSpot} />
      ) : null}
      {mapped ? (
        <>
          <p className="text-sm text-ink-soft">{words.whereHelp}</p>
          <MapView
            label={words.pickMap}
            points={position ? [{ id: "picked", kind: "place", name: words.here, ...position }] : []}
            centre={near.position}
            onPick={(at) => take(at)}
            className="h-64"
          />
        </>
      ) : null}
      <Button
        busy={state === "asking"}
        onPress={() => {
          setState("asking");
          whereAmI().then(
            (at) => {
              take(at);
              setState("idle");
            },
            () => setState("failed"),
          );
        }}
        className="self-start"
      >
        <MapPinIcon aria-hidden className="size-5" /> {words.useMine}
      </Button>
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {state === "failed" ? (mapped ? words.notLocated : words.notShared) : ""}
      </p>
    </fieldset>
  );
}
