/** Owns: keeping the screen on while the arrival board is visible (Screen Wake Lock). */
import { useEffect, useState } from "react";

/** Whether this browser supports it. */
export function canStayAwake(): boolean {
  return "wakeLock" in navigator;
}

/** Wanted by the page, or asked for by the person, until the browser answers; refused is off again, and only told to a person who asked. */
export type Awake = "wanted" | "asked" | "on" | "off" | "refused";

/** Holds the lock from the start; the browser releases it when the page is hidden, so it is requested again. */
export function useAwake(): [Awake, (awake: Awake) => void] {
  const [awake, setAwake] = useState<Awake>("wanted");
  const wanted = awake !== "off" && awake !== "refused";
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
          if (!over) setAwake((before) => (before === "asked" ? "refused" : "off"));
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
  return [awake, setAwake];
}
