/** Owns: choosing a place's position: by a link of a map service, on the map, by the device's location, or by coordinates. */
import { useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { MapPinIcon } from "../../../ui/icons.ts";
import { MapView } from "../../map/components/map-view.tsx";
import type { Position } from "../../map/geometry.ts";
import { readMapLink } from "../../map/map-link.ts";
import { whereAmI } from "../near.ts";
import { placeFormWords } from "../words/form.ts";

/** About a metre: pressing on a map is no more precise than that. */
const DIGITS = 5;

export function PositionField({
  latitude,
  longitude,
  position,
  centre,
  problems,
  onChange,
  onName,
}: {
  latitude: string;
  longitude: string;
  /** The position in the two texts, if they are valid. */
  position: Position | null;
  centre: Position | null;
  problems: { latitude?: string | undefined; longitude?: string | undefined };
  onChange: (change: { latitude?: string; longitude?: string }) => void;
  /** Told what a pasted link calls the place. */
  onName: (name: string) => void;
}) {
  const words = placeFormWords();
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  const [link, setLink] = useState("");
  const found = link.trim() === "" ? undefined : readMapLink(link);
  const paste = (text: string) => {
    setLink(text);
    const read = readMapLink(text);
    if (read?.kind !== "position") return;
    take(read.position);
    if (read.name) onName(read.name);
  };
  const take = (at: Position) =>
    onChange({ latitude: at.latitude.toFixed(DIGITS), longitude: at.longitude.toFixed(DIGITS) });
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-display text-lg">{words.where}</legend>
      <p className="text-sm text-ink-soft">{words.whereHelp}</p>
      <Field
        label={words.link.label}
        placeholder={words.link.example}
        inputMode="url"
        autoComplete="off"
        value={link}
        onChange={paste}
        problem={
          found === undefined || found?.kind === "position" ? undefined : words.link[found?.kind ?? "none"]
        }
      />
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {found?.kind === "position" ? words.link.read : ""}
      </p>
      <MapView
        label={words.pickMap}
        points={position ? [{ id: "picked", kind: "place", name: words.here, ...position }] : []}
        centre={centre}
        onPick={take}
        className="h-64"
      />
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
        {state === "failed" ? words.notLocated : ""}
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label={words.latitude}
          inputMode="decimal"
          value={latitude}
          onChange={(text) => onChange({ latitude: text })}
          problem={problems.latitude}
        />
        <Field
          label={words.longitude}
          inputMode="decimal"
          value={longitude}
          onChange={(text) => onChange({ longitude: text })}
          problem={problems.longitude}
        />
      </div>
    </fieldset>
  );
}
