/** Owns: from where "near" is measured: where one is now, if one asked for that, else one's start point. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Position } from "../map/geometry.ts";
import { peopleQueries } from "../people/queries.ts";

/** Enough for sorting places, and it keeps the phone's satellite receiver asleep. */
const PATIENCE_MS = 10_000;

/**
 * Asks the browser once; what it says stays in this page and is sent only along with a search.
 * @throws GeolocationPositionError, or an Error where there is no geolocation
 */
export function whereAmI(): Promise<Position> {
  return new Promise((resolve, reject) => {
    if (!("geolocation" in navigator)) return reject(new Error("This browser has no geolocation."));
    navigator.geolocation.getCurrentPosition(
      // Four digits are eleven metres.
      ({ coords }) =>
        resolve({
          latitude: Number(coords.latitude.toFixed(4)),
          longitude: Number(coords.longitude.toFixed(4)),
        }),
      reject,
      { maximumAge: 5 * 60_000, timeout: PATIENCE_MS },
    );
  });
}

export interface Near {
  position: Position | null;
  from: "here" | "start" | null;
  /** Not known yet whether there is a start point. */
  pending: boolean;
  asking: boolean;
  failed: boolean;
  ask: () => void;
}

export function useNear(me: string): Near {
  const start = useQuery(peopleQueries.startPoint(me));
  const [here, setHere] = useState<Position | null>(null);
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  const { start_latitude, start_longitude } = start.data ?? {};
  const home =
    typeof start_latitude === "number" && typeof start_longitude === "number"
      ? { latitude: start_latitude, longitude: start_longitude }
      : null;
  return {
    position: here ?? home,
    from: here ? "here" : home ? "start" : null,
    pending: start.isPending,
    asking: state === "asking",
    failed: state === "failed",
    ask: () => {
      setState("asking");
      whereAmI().then(
        (position) => {
          setHere(position);
          setState("idle");
        },
        () => setState("failed"),
      );
    },
  };
}
