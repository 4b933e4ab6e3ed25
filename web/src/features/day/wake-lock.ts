/** Owns: keeping the screen on while the arrival board is visible (Screen Wake Lock). */
import { useEffect, useState } from "react";

export type Awake = "off" | "on" | "refused";

/** Whether this browser supports it. */
export function canStayAwake(): boolean {
  return "wakeLock" in navigator;
}

/** Holds the lock while `wanted`; the browser releases it when the page is hidden, so it is requested again. */
export function useAwake(wanted: boolean): Awake {
  const [awake, setAwake] = useState<Awake>("off");
  useEffect(() => {
    if (!wanted || !canStayAwake()) return;
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
          if (!over) setAwake("refused");
        },
      );
    };
    hold();
    document.addEventListener("visibilitychange", hold);
    return () => {
      over = true;
      document.removeEventListener("visibilitychange", hold);
      void lock?.release();
      setAwake("off");
    };
  }, [wanted]);
  return awake;
}
