/**
 * Owns: times as a board: a row for each day, a column for each start (and end) that occurs, read on one
 * zone's clock. Pure: what lies between two cells, and where the arrow keys lead.
 */
import { dateOf, wallClockOf } from "../../lib/time.ts";
import type { TimeOption } from "./schema.ts";

export interface Cell {
  option: TimeOption;
  row: number;
  column: number;
}

export interface Board {
  rows: { date: string; cells: Cell[] }[];
  /** How many different starts there are. */
  columns: number;
  /** By option id. */
  cells: ReadonlyMap<string, Cell>;
}

/** Options in any order; the board is in the order of days and clocks. */
export function layBoard(options: readonly TimeOption[], zone: string): Board {
  const read = options.map((option) => ({
    option,
    date: dateOf(option.starts_at, zone),
    // Two meals that begin together and end differently are two columns.
    clock: `${wallClockOf(option.starts_at, zone)} ${wallClockOf(option.ends_at, zone)}`,
  }));
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
  return { rows, columns: clocks.length, cells };
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
