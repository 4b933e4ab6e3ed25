/**
 * Owns: times as a grid: a row for each day, a column for each start time, on one zone's clock. Pure: the
 * cells between two cells, and keyboard navigation.
 */
import { dateOf, wallClockOf } from "../../lib/time.ts";
import type { TimeOption } from "../plans/schema.ts";

export interface Cell {
  option: TimeOption;
  row: number;
  column: number;
}

export interface Board {
  rows: { date: string; cells: Cell[] }[];
  /** Number of distinct start times; two meals of a day that begin together count as two. */
  columns: number;
  /** Whether columns are aligned as a calendar; otherwise each row is filled separately. */
  aligned: boolean;
  /** By option id. */
  cells: ReadonlyMap<string, Cell>;
}

/** The maximum number of columns that fit on the narrowest phone. */
const MOST_COLUMNS = 4;
/** The minimum share of cells with a time; a sparser grid is not aligned. */
const LEAST_FILLED = 0.6;

/** Takes options in any order; the board is ordered by day and clock. */
export function arrangeBoard(options: readonly TimeOption[], zone: string): Board {
  const together = new Map<string, number>();
  const read = options
    .toSorted((a, b) => Date.parse(a.ends_at) - Date.parse(b.ends_at))
    .map((option) => {
      const slot = `${dateOf(option.starts_at, zone)} ${wallClockOf(option.starts_at, zone)}`;
      const before = together.get(slot) ?? 0;
      together.set(slot, before + 1);
      const [date = "", clock = ""] = slot.split(" ");
      return { option, date, clock: `${clock} ${String(before).padStart(2, "0")}` };
    });
  const dates = [...new Set(read.map((each) => each.date))].sort();
  const clocks = [...new Set(read.map((each) => each.clock))].sort();
  const cells = new Map<string, Cell>();
  const rows = dates.map((date, row) => ({
    date,
    cells: read
      .filter((each) => each.date === date)
      .map(({ option, clock }) => ({ option, row, column: clocks.indexOf(clock) }))
      .sort((a, b) => a.column - b.column),
  }));
  for (const row of rows) for (const cell of row.cells) cells.set(cell.option.id, cell);
  const filled = options.length / Math.max(1, dates.length * clocks.length);
  return {
    rows,
    columns: clocks.length,
    aligned: clocks.length <= MOST_COLUMNS && filled >= LEAST_FILLED,
    cells,
  };
}

/** The options in the rectangle between two options, inclusive, in the board's order. */
export function between(board: Board, from: string, to: string): string[] {
  const [a, b] = [board.cells.get(from), board.cells.get(to)];
  if (!a || !b) return [];
  const within = (value: number, x: number, y: number) => value >= Math.min(x, y) && value <= Math.max(x, y);
  return board.rows.flatMap((row) =>
    row.cells
      .filter((cell) => within(cell.row, a.row, b.row) && within(cell.column, a.column, b.column))
      .map((cell) => cell.option.id),
  );
}

/** The option that a key moves to; the same option at an edge, null for other keys. */
export function step(board: Board, from: string, key: string, whole = false): string | null {
  const at = board.cells.get(from);
  if (!at) return null;
  const row = board.rows[at.row]?.cells ?? [];
  const index = row.indexOf(at);
  const nearest = (cells: readonly Cell[] | undefined) =>
    cells?.reduce((best, cell) =>
      Math.abs(cell.column - at.column) < Math.abs(best.column - at.column) ? cell : best,
    );
  const target = () => {
    switch (key) {
      case "ArrowLeft":
        return row[index - 1];
      case "ArrowRight":
        return row[index + 1];
      case "ArrowUp":
        return nearest(board.rows[at.row - 1]?.cells);
      case "ArrowDown":
        return nearest(board.rows[at.row + 1]?.cells);
      case "Home":
        return whole ? board.rows[0]?.cells[0] : row[0];
      case "End":
        return whole ? board.rows.at(-1)?.cells.at(-1) : row.at(-1);
      default:
        return null;
    }
  };
  const found = target();
  return found === null ? null : (found?.option.id ?? from);
}
