/** Owns what the list shows of the rows: repeats as one, calls of a function beneath it, and pauses. */
import type { Row } from "../../server/api.ts";

export type Item =
  | { kind: "row"; row: Row; depth: 0 | 1; last: boolean; times: number; folded: readonly Row[] }
  | { kind: "pause"; id: string; ms: number };

const PAUSE_MS = 1_000;
/** A job that runs each minute runs often. */
const OFTEN_MS = 90_000;
/** Groups that a job's run is compared with. */
const MOST_JOBS = 20;

/** @param unfolded ids of rows that are shown one by one, though they are alike */
export function itemsOf(rows: readonly Row[], unfolded: ReadonlySet<string>): Item[] {
  const ids = new Set(rows.map(({ id }) => id));
  const children = new Map<string, Row[]>();
  const top: Row[] = [];
  for (const row of rows) {
    if (row.parent === undefined || !ids.has(row.parent)) top.push(row);
    else children.set(row.parent, [...(children.get(row.parent) ?? []), row]);
  }
  const items: Item[] = [];
  let ended = 0;
  for (const group of groupsOf(top, unfolded, children)) {
    const [row] = group;
    if (!row) continue;
    if (ended > 0 && row.at - ended > PAUSE_MS)
      items.push({ kind: "pause", id: `pause ${row.id}`, ms: row.at - ended });
    items.push({ kind: "row", row, depth: 0, last: false, times: group.length, folded: group });
    const below = children.get(row.id) ?? [];
    for (const [at, child] of below.entries())
      items.push({
        kind: "row",
        row: child,
        depth: 1,
        last: at === below.length - 1,
        times: 1,
        folded: [child],
      });
    for (const one of group) ended = Math.max(ended, one.at + (one.ms ?? 0));
  }
  return items;
}

/** Rows that are alike, as groups: adjacent ones, and runs of a job that runs often, between which only other jobs ran. */
function groupsOf(
  rows: readonly Row[],
  unfolded: ReadonlySet<string>,
  children: ReadonlyMap<string, unknown>,
): Row[][] {
  const groups: Row[][] = [];
  for (const row of rows) {
    const joins = (group: readonly Row[] | undefined) => {
      const [first] = group ?? [];
      const before = group?.at(-1);
      return (
        first &&
        before &&
        !unfolded.has(first.id) &&
        !children.has(row.id) &&
        !children.has(first.id) &&
        row.at - before.at <= (row.kind === "job" ? OFTEN_MS : PAUSE_MS) &&
        alike(first) === alike(row)
      );
    };
    let at = groups.length - 1;
    if (row.kind === "job")
      while (at > groups.length - MOST_JOBS && isJob(groups[at]) && !joins(groups[at])) at -= 1;
    const group = groups[at];
    if (group && joins(group)) group.push(row);
    else groups.push([row]);
  }
  return groups;
}

function isJob(group: readonly Row[] | undefined): boolean {
  return group?.[0]?.kind === "job";
}

/** Of each row once: thousands of them are looked through with each part of the feed. */
const likenesses = new WeakMap<Row, string>();

function alike(row: Row): string {
  const known = likenesses.get(row) ?? likenessOf(row);
  likenesses.set(row, known);
  return known;
}

/** Method, path, names of parameters, who, and how it ended: their values differ. */
function likenessOf({ kind, verb, service, name, rest = "", who, status, gates, outcome }: Row): string {
  const parameters = [...new URLSearchParams(rest).keys()].sort().join();
  return JSON.stringify([kind, verb, service, name, parameters, who, status, gates, outcome]);
}
