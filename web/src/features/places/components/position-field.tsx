/** Owns: choosing a place's position: by a link of a map service, on the map, by the device's location, or by coordinates. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/fields/field.tsx";
import { MapPinIcon } from "../../../ui/icons.ts";
import { MapView } from "../../map/components/map-view.tsx";
import type { Position } from "../../map/geometry.ts";
import { type MapLink, readMapLink } from "../../map/map-link.ts";
import { openShortLink, type Spot } from "../look-up.ts";
import { whereAmI } from "../near.ts";
import { placeFormWords } from "../words/form.ts";
import { LookUpResults } from "./look-up-results.tsx";

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
  onSpot,
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
  /** Called with the spot that was chosen for a link without a position. */
  onSpot: (spot: Spot) => void;
}) {
  const words = placeFormWords();
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  const [link, setLink] = useState("");
  const pasted = link.trim() === "" ? undefined : readMapLink(link);
  const short = pasted?.kind === "short" ? pasted.link : null;
  const opened = useQuery({
    queryKey: ["short-link", short],
    queryFn: () => openShortLink(short ?? ""),
    enabled: short !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const long = opened.data ? readMapLink(opened.data) : undefined;
  const found = short === null ? pasted : opened.isSuccess ? long : undefined;
  const use = (read: MapLink | null) => {
    if (read?.kind !== "position") return;
    take(read.position);
    if (read.name) onName(read.name);
  };
  const paste = (text: string) => {
    setLink(text);
    use(readMapLink(text));
  };
  const used = useRef<string>(undefined);
  useEffect(() => {
    // An opened link is used once: afterwards the person may have chosen another spot.
    if (opened.data === undefined || used.current === opened.data) return;
    used.current = opened.data;
    use(readMapLink(opened.data));
  });
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
          opened.isError || found?.kind === "short"
            ? words.link.short
            : found === null
              ? words.link.none
              : undefined
        }
      />
      <p role="status" className="text-sm text-ink-soft empty:hidden">
        {found?.kind === "position"
          ? words.link.read
          : found?.kind === "name"
            ? words.link.named(found.name)
            : opened.isFetching
              ? words.link.opening
              : ""}
      </p>
      {found?.kind === "name" ? (
        <LookUpResults
          words={found.name}
          near={centre}
          onPick={(spot) => {
            onName(spot.name);
            onSpot(spot);
            setLink("");
          }}
        />
      ) : null}
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
