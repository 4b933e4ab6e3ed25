/** What the list of the feed shows of its rows. */
import { expect, test } from "vitest";
import { itemsOf } from "../page/feed/items.ts";
import type { Row } from "../server/api.ts";

let made = 0;
const row = (kind: Row["kind"], name: string, at: number, more: Partial<Row> = {}): Row => {
  made += 1;
  const [verb, gates, outcome] = [kind, "oo", ""];
  return { id: `${made}`, kind, at, verb, name, gates, outcome, mark: "open", ms: 1, ...more } as Row;
};
const SECOND = 1_000;
const shown = (rows: readonly Row[], unfolded: ReadonlySet<string> = new Set()) =>
  itemsOf(rows, unfolded).map((item) =>
    item.kind === "pause" ? `${Math.round(item.ms / SECOND)} s` : `${item.row.name} ${item.times}`,
  );

test("runs of jobs that end alike are one row each until something else happens", () => {
  const run = (name: string, at: number, rest = "DELETE 0") => row("job", name, at * SECOND, { rest });
  const runs = [run("sweep", 0), run("broken", 3), run("sweep", 5), run("broken", 10), run("sweep", 10)];
  expect(shown(runs)).toEqual(["sweep 3", "broken 2"]);
  const first = new Set(runs.filter(({ name }) => name === "sweep").map(({ id }) => id));
  expect(shown(runs, first)).toEqual(["sweep 1", "3 s", "broken 2", "sweep 1", "sweep 1"]);
  const later = [row("request", "notes", 11 * SECOND), run("sweep", 15), run("sweep", 20, "DELETE 4")];
  expect(shown([...runs, ...later])).toEqual([
    "sweep 3",
    "broken 2",
    "notes 1",
    "4 s",
    "sweep 1",
    "5 s",
    "sweep 1",
  ]);
});

test("runs of a job of every hour are rows of their own", () => {
  const hourly = [0, 1, 2].map((hour) => row("job", "report", hour * 3_600 * SECOND));
  expect(shown(hourly)).toEqual(["report 1", "3600 s", "report 1", "3600 s", "report 1"]);
});

test("alike requests with a pause between them are two rows", () => {
  const at = (second: number) => row("request", "notes", second * SECOND);
  expect(shown([at(0), at(0.5), at(3)])).toEqual(["notes 2", "2 s", "notes 1"]);
});
