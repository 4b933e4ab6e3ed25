/** Owns curves: how fast a cost grows, and their picture and page in the docs. */

export interface Point {
  size: number;
  milliseconds: number;
  /** Memory of the stack's processes then. */
  megabytes: number;
}

export interface Curve {
  name: string;
  /** What `size` counts. */
  of: string;
  points: readonly Point[];
}

/** Above it a cost grows faster than n log n does over a factor of ten at these sizes. */
export const MOST_EXPONENT = 1.2;
/** Below it a step counts as flat. */
const FLAT = 0.35;

/** b of a·n^b between two points. */
function slope(from: Point, to: Point): number {
  return Math.log(to.milliseconds / from.milliseconds) / Math.log(to.size / from.size);
}

/** b of a·n^b over the larger half of the sizes, where the cost is its own and not that of the request itself. */
export function exponent({ points }: Curve): number {
  const half = points.slice(Math.max(0, Math.floor(points.length / 2) - 1));
  const [first, last] = [half[0], half.at(-1)];
  return first && last && first !== last ? slope(first, last) : 0;
}

/** The size from which the cost grows with it; undefined when it does not. */
export function bend({ points }: Curve): number | undefined {
  for (let at = 1; at < points.length; at += 1) {
    const [from, to] = [points[at - 1], points[at]];
    if (from && to && slope(from, to) > FLAT) return from.size;
  }
  return undefined;
}

/** The page with a table of all curves; its picture stands beside it. */
export function page(curves: readonly Curve[]): string {
  const rows = curves.map((curve) => {
    const first = curve.points[0];
    const last = curve.points.at(-1);
    const bends = bend(curve);
    return `| ${curve.name} | ${curve.of}, ${first ? count(first.size) : ""} to ${last ? count(last.size) : ""} | ${curve.points.map((one) => amount(one.milliseconds)).join(", ")} ms | ${exponent(curve).toFixed(2)} | ${bends === undefined ? "nowhere" : count(bends)} | ${first ? Math.round(first.megabytes) : ""} to ${last ? Math.round(last.megabytes) : ""} MB |`;
  });
  return `# How the cost grows

Made by \`npm run bench -- growth --whole\`. Each cost is the median of a few dozen requests (three starts), one after the other, on two shared cores. The exponent is b of a·n^b over the larger half of the sizes: 0 is a cost that stays, 1 one that doubles with its data. A cost bends where it begins to grow. Memory is that of all processes of the stack at the smallest and the largest size.

![The curves, each with its sizes from left to right and milliseconds upwards, both on logarithmic scales](growth.svg)

| cost | of | each size | exponent | bends at | memory |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

const WIDE = 300;
const HIGH = 190;
const ACROSS = 3;

/** All curves in one picture, on logarithmic scales, in the reader's light or dark. */
export function picture(curves: readonly Curve[]): string {
  const down = Math.ceil(curves.length / ACROSS);
  const panels = curves.map(
    (curve, at) =>
      `<g transform="translate(${(at % ACROSS) * WIDE} ${Math.floor(at / ACROSS) * HIGH})">${panel(curve)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE * ACROSS} ${HIGH * down}" font-family="system-ui, sans-serif" font-size="11">
<title>How the costs grow</title>
<style>text{fill:#333}.axis{stroke:#999;fill:none}.line{stroke:#b5452c;stroke-width:2;fill:none}.dot{fill:#b5452c}@media (prefers-color-scheme:dark){text{fill:#ddd}.line{stroke:#f0937a}.dot{fill:#f0937a}}</style>
${panels.join("\n")}
</svg>
`;
}

const [LEFT, RIGHT, TOP, BOTTOM] = [70, 284, 34, 150];

function panel({ name, of, points }: Curve): string {
  const sizes = points.map(({ size }) => size);
  const times = points.map(({ milliseconds }) => milliseconds);
  // At least a factor of ten upwards, so that noise does not look like growth.
  const middle = Math.sqrt(Math.min(...times) * Math.max(...times));
  const least = Math.min(Math.min(...times), middle / Math.sqrt(10));
  const most = Math.max(Math.max(...times), middle * Math.sqrt(10));
  const x = scale(Math.min(...sizes), Math.max(...sizes), LEFT, RIGHT);
  const y = scale(least, most, BOTTOM, TOP);
  const places = points.map((one) => [x(one.size), y(one.milliseconds)] as const);
  const dots = places.map(([at, up]) => `<circle class="dot" cx="${at}" cy="${up}" r="3"/>`).join("");
  const ticks = sizes
    .map((size) => `<text x="${x(size)}" y="${BOTTOM + 15}" text-anchor="middle">${count(size)}</text>`)
    .join("");
  const heights = [least, most]
    .map((time) => `<text x="${LEFT - 6}" y="${y(time) + 4}" text-anchor="end">${amount(time)} ms</text>`)
    .join("");
  return `<text x="8" y="18" font-weight="600">${escaped(name)}</text><path class="axis" d="M${LEFT} ${TOP}V${BOTTOM}H${RIGHT}"/><polyline class="line" points="${places.map((place) => place.join(",")).join(" ")}"/>${dots}${ticks}${heights}<text x="${RIGHT}" y="${BOTTOM + 31}" text-anchor="end">${escaped(of)}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function scale(from: number, to: number, low: number, high: number): (value: number) => number {
  const width = Math.log(to / from);
  return (value) => Math.round((low + ((high - low) * Math.log(value / from)) / width) * 10) / 10;
}

/** 1000000 as "1M". */
function count(size: number): string {
  if (size >= 1e6) return `${size / 1e6}M`;
  return size >= 1e3 ? `${size / 1e3}k` : String(size);
}

function amount(milliseconds: number): string {
  return milliseconds >= 10 ? String(Math.round(milliseconds)) : milliseconds.toFixed(1);
}
