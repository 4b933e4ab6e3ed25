/** Owns: keeping the screen on while the arrival board is visible (Screen Wake Lock). */
import { useEffect, useRef, useState } from "react";

/** Whether this browser supports it. */
export function canStayAwake(): boolean {
  return "wakeLock" in navigator;
}

/** Wanted until the browser answers; refused is off again. */
export type Awake = "wanted" | "on" | "off" | "refused";

/**
 * Holds the lock from the start; the browser releases it when the page is hidden, so it is requested again. A refusal is
 * told to a person who has asked for it.
 */
export function useAwake(): [Awake, (awake: Awake) => void] {
  const [awake, setAwake] = useState<Awake>("wanted");
  const asked = useRef(false);
  const wanted = awake === "wanted" || awake === "on";
  useEffect(() => {
    if (!wanted) return;
    let over = false;
    let lock: WakeLockSentinel | null = null;
    const hold = () => {
      if (document.visibilityState !== "visible" || (lock && !lock.released)) return;
      navigator.wakeLock.request("screen").then(
        (given) => {
          if (over) return void given.release();
          lock = given;
          setAwake("on");
        },
        () => {
          if (!over) setAwake(asked.current ? "refused" : "off");
        },
      );
    };
    hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      over = true;
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
    };
  }, [wanted]);
  const ask = (next: Awake) => {
    asked.current = true;
    setAwake(next);
  };
  return [awake, ask];
}
