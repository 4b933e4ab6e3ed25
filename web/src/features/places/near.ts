/** Owns: the origin for distances: the device's location if requested, else the person's starting point. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Position } from "../map/geometry.ts";
import { peopleQueries } from "../people/queries.ts";

/** Precise enough for sorting places, without turning on the phone's satellite receiver. */
const PATIENCE_MS = 10_000;

/**
 * Requests the location from the browser once; it stays in this page and is sent only with a search.
 * @throws GeolocationPositionError, or an Error without geolocation
 */
export function whereAmI(): Promise<Position> {
  return new Promise((resolve, reject) => {
    if (!("geolocation" in navigator)) return reject(new Error("This browser has no geolocation."));
    navigator.geolocation.getCurrentPosition(
      // Four decimals are eleven metres.
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
  /** Whether the starting point is still loading. */
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
