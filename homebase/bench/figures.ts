/** Owns figures: medians with their spread, and the table that `npm run bench` prints. */

/** A measured figure over several runs. */
export interface Figure {
  name: string;
  unit: string;
  median: number;
  /** Smallest and largest run. */
  low: number;
  high: number;
  runs: number;
  /** What was aimed at, in the same unit; `less`: the aim is an upper bound. */
  aim?: { value: number; less: boolean };
  /** The same work done by the plainest means in the same run, the share of it that we reach, and the one that we aim at. */
  beside?: { name: string; median: number; ratio: number; aim?: number };
}

/** The middle value; of an even count the lower of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function figure(
  name: string,
  unit: string,
  values: readonly number[],
  aim?: Figure["aim"],
  beside?: { name: string; values: readonly number[]; aim?: number | undefined },
): Figure {
  const middle = median(values);
  const besideMedian = beside && median(beside.values);
  return {
    name,
    unit,
    median: middle,
    low: Math.min(...values),
    high: Math.max(...values),
    runs: values.length,
    ...(aim ? { aim } : {}),
    ...(beside && besideMedian
      ? {
          beside: {
            name: beside.name,
            median: besideMedian,
            ratio: middle / besideMedian,
            ...(beside.aim === undefined ? {} : { aim: beside.aim }),
          },
        }
      : {}),
  };
}

/** The shares of the plain way by name: what a release is compared by, as seconds of two machines say nothing. */
export type Shares = Readonly<Record<string, number>>;

export function sharesOf(figures: readonly Figure[]): Shares {
  return Object.fromEntries(figures.flatMap(({ name, beside }) => (beside ? [[name, beside.ratio]] : [])));
}

/** How much of a release's share may be lost. */
const TENTH = 0.1;

/** A sentence for each figure whose best run lost a tenth against the last release. */
export function losses(figures: readonly Figure[], release: Shares): string[] {
  return figures.flatMap(({ name, unit, beside, high, low }) => {
    const before = release[name];
    if (!beside || before === undefined) return [];
    const more = unit.endsWith("/s");
    const best = (more ? high : low) / beside.median;
    if (more ? best >= before * (1 - TENTH) : best <= before * (1 + TENTH)) return [];
    return [`${name}: ${percent(best)} of ${beside.name} at best, ${percent(before)} in the last release.`];
  });
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Rows of text: name, median, spread, aim and whether it is reached, ratio to the plain way. */
export function table(figures: readonly Figure[]): string {
  const rows = figures.map((one) => {
    const reached = one.aim && (one.aim.less ? one.median <= one.aim.value : one.median >= one.aim.value);
    const { ratio = 0, aim: share } = one.beside ?? {};
    return [
      one.name,
      `${show(one.median)} ${one.unit}`,
      `${show(one.low)} to ${show(one.high)}, ${one.runs} runs`,
      [
        one.aim &&
          `${one.aim.less ? "at most" : "at least"} ${show(one.aim.value)}: ${reached ? "reached" : "missed"}`,
        share && `at least ${percent(share)}: ${ratio >= share ? "reached" : "missed"}`,
      ]
        .filter(Boolean)
        .join("; "),
      one.beside ? `${percent(one.beside.ratio)} of ${one.beside.name} (${show(one.beside.median)})` : "",
    ];
  });
  const head = ["figure", "median", "spread", "aim", "beside"];
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(head), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join(
    "\n",
  );
}

function show(value: number): string {
  return Math.abs(value) >= 100 ? String(Math.round(value)) : String(Math.round(value * 100) / 100);
}
