/** Owns: a plate drawn from an id, seen from above like the table. Decoration: it says nothing that text does not. */
import { hashOf } from "./theme/hue.ts";

/** Warm, edible colours; each dish takes three neighbours. */
const palette = [
  "oklch(0.62 0.19 32)",
  "oklch(0.72 0.16 55)",
  "oklch(0.83 0.14 85)",
  "oklch(0.68 0.14 120)",
  "oklch(0.5 0.1 135)",
  "oklch(0.55 0.1 50)",
  "oklch(0.88 0.06 88)",
  "oklch(0.45 0.12 20)",
] as const;

const rims = [
  "oklch(0.94 0.02 85)",
  "oklch(0.42 0.04 210)",
  "oklch(0.36 0.06 330)",
  "oklch(0.78 0.07 60)",
] as const;

export function Dish({ seed, className = "" }: { seed: string; className?: string }) {
  let state = hashOf(seed) || 1;
  const next = () => {
    // xorshift32: small, and the same on every machine.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4294967296;
  };
  const start = Math.floor(next() * palette.length);
  const colours = [0, 1, 3].map((step) => palette[(start + step) % palette.length]);
  const rim = rims[Math.floor(next() * rims.length)];
  const kind = Math.floor(next() * 3);
  const bits = Array.from({ length: kind === 0 ? 26 : 11 }, (_, index) => {
    const angle = kind === 1 ? (index / 11) * Math.PI * 2 : next() * Math.PI * 2;
    const reach = kind === 1 ? 19 : Math.sqrt(next()) * 22;
    return {
      key: index,
      x: 50 + Math.cos(angle) * reach,
      y: 50 + Math.sin(angle) * reach,
      size: kind === 0 ? 2 + next() * 3.4 : 5 + next() * 3,
      turn: (angle * 180) / Math.PI,
      colour: colours[index % 3],
    };
  });
  return (
    <svg viewBox="0 0 100 100" aria-hidden className={className}>
      <circle cx="50" cy="52" r="46" fill="oklch(0 0 0 / 0.12)" />
      <circle cx="50" cy="50" r="46" fill={rim} />
      <circle cx="50" cy="50" r="34" fill="oklch(0.97 0.014 88)" />
      {kind === 2 ? <circle cx="50" cy="50" r="27" fill={colours[0]} /> : null}
      {bits.map((bit) =>
        kind === 0 ? (
          <circle key={bit.key} cx={bit.x} cy={bit.y} r={bit.size} fill={bit.colour} />
        ) : (
          <ellipse
            key={bit.key}
            cx={bit.x}
            cy={bit.y}
            rx={bit.size}
            ry={bit.size * 0.6}
            fill={kind === 2 ? colours[1 + (bit.key % 2)] : bit.colour}
            transform={`rotate(${bit.turn} ${bit.x} ${bit.y})`}
          />
        ),
      )}
      <path d="M50 47c5-6 12-4 14 0-5 4-11 4-14 0Z" fill="oklch(0.5 0.12 138)" />
    </svg>
  );
}
