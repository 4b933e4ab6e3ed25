/** Owns: the typed environment. The defaults are the local stack's public development values. */

/** The build's value, or the default. Throws with the variable's name when the value is invalid. */
function read(name: string, given: unknown, fallback: string, usable: (value: string) => boolean): string {
  const value = typeof given === "string" && given !== "" ? given : fallback;
  if (!usable(value)) throw new Error(`${name} cannot be used: ${value}`);
  return value;
}

export const env = {
  VITE_SUPABASE_URL: read(
    "VITE_SUPABASE_URL",
    import.meta.env.VITE_SUPABASE_URL,
    "http://127.0.0.1:54321",
    URL.canParse,
  ),
  VITE_SUPABASE_PUBLISHABLE_KEY: read(
    "VITE_SUPABASE_PUBLISHABLE_KEY",
    import.meta.env.VITE_SUPABASE_PUBLISHABLE_KEY,
    "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH",
    (key) => !/\s/.test(key),
  ),
  /** A MapLibre style with real tiles, which people can turn on; without it maps have the app's own basemap only. */
  VITE_MAP_STYLE_URL: read(
    "VITE_MAP_STYLE_URL",
    import.meta.env.VITE_MAP_STYLE_URL,
    "",
    (address) => address === "" || URL.canParse(address),
  ),
  /** "off" leaves out the fictional streets of the demo's city, for deployments whose people live in that city. */
  VITE_MAP_DEMO_CITY: read("VITE_MAP_DEMO_CITY", import.meta.env.VITE_MAP_DEMO_CITY, "on", (value) =>
    ["on", "off"].includes(value),
  ),
} as const;
