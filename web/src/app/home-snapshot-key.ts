/** Owns: the name and the shape of the home screen's snapshot in localStorage (home-snapshot.ts). */
import { store } from "../lib/device/storage.ts";

export const HOME_SNAPSHOT = "nosh.home-snapshot";

export interface HomeSnapshot {
  person: string;
  /** The address of the app's first script: another build has other styles. */
  script: string;
  /** The local day: on another one, a plan that is past would be shown as coming. */
  day: string;
  html: string;
}

/** For the next person on this device, and when the language changes. */
export function removeSnapshot(): void {
  store(HOME_SNAPSHOT, null);
}
