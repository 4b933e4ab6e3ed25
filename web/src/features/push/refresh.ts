/** Owns: telling the server when the browser has given this device another address for notifications. */
import { useEffect } from "react";

/** Not while the first view is on its way. */
const DELAY_MS = 8_000;

export function useSubscriptionRefresh(me: string): void {
  useEffect(() => {
    // Most devices have no notifications: nothing is loaded there.
    if (localStorage.getItem("nosh.push") === null) return;
    const timer = setTimeout(async () => {
      const { refreshDevice } = await import("./device.ts");
      // Where it could not be said, the next start says it.
      await refreshDevice(me).catch(() => undefined);
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [me]);
}
