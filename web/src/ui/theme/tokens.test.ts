/** Tests the contrast of the colour tokens. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

/** Reads `--name: light-dark(oklch(l c h), oklch(l c h));` out of the one file that holds the tokens. */
function tokens(): Record<"light" | "dark", Record<string, [number, number, number]>> {
  const css = readFileSync(new URL("./styles.css", import.meta.url), "utf8");
  const found = { light: {}, dark: {} } as Record<"light" | "dark", Record<string, [number, number, number]>>;
  const line = /--([a-z-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\);/g;
  for (const [, name, light, dark] of css.matchAll(line)) {
    if (!name || !light || !dark) continue;
    found.light[name] = light.split(" ").map(Number) as [number, number, number];
    found.dark[name] = dark.split(" ").map(Number) as [number, number, number];
  }
  return found;
}

/** OKLCH to relative luminance (WCAG 2.2), by way of linear sRGB, clipped to the gamut. */
function luminance([lightness, chroma, hue]: [number, number, number]): number {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: [number, number, number], other: [number, number, number]): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

describe.each(["light", "dark"] as const)("the %s tokens", (scheme) => {
  const all = tokens()[scheme];
  const get = (name: string): [number, number, number] => {
    const value = all[name];
    if (!value) throw new Error(`styles.css has no token --${name}`);
    return value;
  };

  it.each(
    ["ink", "ink-soft", "action", "yes", "maybe", "no"].flatMap((text) =>
      ["ground", "card", "card-warm"].map((surface) => [text, surface] as const),
    ),
  )("%s is readable as text on %s (4.5:1)", (text, surface) => {
    expect(contrast(get(text), get(surface))).toBeGreaterThanOrEqual(4.5);
  });

  it("on-action is readable on action (4.5:1)", () => {
    expect(contrast(get("on-action"), get("action"))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["heat-yes", "heat-maybe", "heat-no"])("ink is readable on %s at full heat (4.5:1)", (heat) => {
    expect(contrast(get("ink"), get(heat))).toBeGreaterThanOrEqual(4.5);
  });

  it.each(["ground", "card"])("edge is visible on %s (3:1)", (surface) => {
    expect(contrast(get("edge"), get(surface))).toBeGreaterThanOrEqual(3);
  });
});
