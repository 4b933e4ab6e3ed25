/**
 * Owns: times as a board: a row for each day, a column for each start that occurs, read on one zone's clock.
 * Pure: what lies between two cells, and where the arrow keys lead.
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
  /** How many different starts there are; two meals of a day that begin together are two. */
  columns: number;
  /** Whether columns line up to a calendar; else rows are better filled each by itself. */
  aligned: boolean;
  /** By option id. */
  cells: ReadonlyMap<string, Cell>;
}

/** More columns than fit side by side on the narrowest phone do not line up. */
const MOST_COLUMNS = 4;
/** Share of the calendar that has to be there; with less it is more holes than times. */
const LEAST_FILLED = 0.6;

/** Options in any order; the board is in the order of days and clocks. */
export function layBoard(options: readonly TimeOption[], zone: string): Board {
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

/** The options in the rectangle that two options span, both included, in the board's order. */
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

/** Where a key leads from an option; the option itself at an edge, null for keys that do not move. */
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
