/** Owns: light, dark, or as the system says, remembered on this device. */
import { readStored, store } from "../lib/device/storage.ts";

export type Theme = "system" | "light" | "dark";

const KEY = "nosh-theme";

export function readTheme(): Theme {
  const stored = readStored(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme = readTheme()): void {
  store(KEY, theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
