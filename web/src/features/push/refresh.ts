/** Owns: sending this device's push endpoint to the server again after the browser has changed it. */
import { useEffect } from "react";
import { readStored } from "../../lib/device/storage.ts";

/** Waits until the first view has loaded. */
const DELAY_MS = 8_000;

export function useSubscriptionRefresh(me: string): void {
  useEffect(() => {
    // Devices without notifications load nothing.
    if (readStored("nosh.push") === null) return;
    const timer = setTimeout(async () => {
      try {
        const { refreshDevice } = await import("./device.ts");
        await refreshDevice(me);
      } catch {
        // Without a connection; the next start repeats it.
      }
    }, DELAY_MS);
    return () => clearTimeout(timer);
  }, [me]);
}
