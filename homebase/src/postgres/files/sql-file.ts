/** Owns a project's SQL file, and where a place of its text stands once psql's `\i` and `\copy` are carried out. */
import { positionOf } from "../statements/split.ts";

/** A file to run. */
export interface SqlFile {
  /** Relative to the project's folder. */
  path: string;
  /** With the files that its `\i` and `\copy` name. */
  sql: string;
  /** Where its parts come from, in order; absent where all of it is the file's own text. */
  pieces?: readonly Piece[];
}

/** A part of a file's text. */
export interface Piece {
  /** Where it begins in the text. */
  from: number;
  /** Line and column in the file itself: of the command, for what a command brought. */
  place: (offset: number) => Place;
  /** The same in the file that a command names, with its path. */
  inner?: (offset: number) => string;
}

export interface Place {
  line: number;
  column: number;
}

/** The line and column of an offset in the file, and where that is in the file that a command of psql names. */
export function placeIn({ sql, pieces }: SqlFile, offset: number): Place & { inner?: string } {
  const piece = pieces?.findLast(({ from }) => from <= offset);
  if (!piece) return positionOf(sql, offset);
  const inner = piece.inner?.(offset - piece.from);
  return { ...piece.place(offset - piece.from), ...(inner === undefined ? {} : { inner }) };
}
