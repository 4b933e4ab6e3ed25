/**
 * Owns splitting an SQL file into statements with their offsets. Handles everything that may contain a
 * semicolon: strings of every kind, comments (nested), dollar quotes, parentheses, BEGIN ATOMIC bodies.
 */

import {
  endOfComment,
  endOfDollar,
  endOfLine,
  endOfQuoted,
  endOfString,
  isWordStart,
  WORD,
} from "./lexer.ts";

/** A statement of a file. */
export interface FileStatement {
  /** Without surrounding blanks and without the final semicolon; comments inside and before are kept. */
  readonly text: string;
  /** Offset of `text` in the file, in UTF-16 units. */
  readonly offset: number;
}

/**
 * Splits a file. Never throws: an unterminated construct extends to the end, and Postgres reports the error.
 */
export function splitStatements(sql: string): FileStatement[] {
  return split(sql, false);
}

/**
 * As `splitStatements`, including the comments between two semicolons or at the end: the Supabase CLI records
 * them too.
 */
export function recordedStatements(sql: string): string[] {
  return split(sql, true).map(({ text }) => text);
}

function split(sql: string, comments: boolean): FileStatement[] {
  const statements: FileStatement[] = [];
  let start = 0;
  let at = 0;
  let parentheses = 0;
  let atomic = 0;
  let previous = "";
  let substance = false;

  const finish = (end: number) => {
    const raw = sql.slice(start, end);
    const text = raw.trim();
    if ((substance || comments) && text) statements.push({ text, offset: start + raw.indexOf(text) });
    start = end + 1;
    parentheses = 0;
    atomic = 0;
    previous = "";
    substance = false;
  };

  while (at < sql.length) {
    const two = sql.slice(at, at + 2);
    const character = sql[at] ?? "";
    if (two === "--") {
      at = endOfLine(sql, at);
    } else if (two === "/*") {
      at = endOfComment(sql, at);
    } else if (character === "'") {
      substance = true;
      at = endOfString(sql, at, /^[eE]$/.test(previous) && /[eE]/.test(sql[at - 1] ?? ""));
      previous = "";
    } else if (character === '"') {
      substance = true;
      at = endOfQuoted(sql, at, '"');
      previous = "";
    } else if (character === "$") {
      substance = true;
      at = endOfDollar(sql, at);
    } else if (character === ";" && parentheses <= 0 && atomic === 0) {
      finish(at);
      at += 1;
    } else if (isWordStart(character)) {
      substance = true;
      WORD.lastIndex = at;
      const word = (WORD.exec(sql)?.[0] ?? character).toLowerCase();
      if (atomic === 0 && word === "atomic" && previous === "begin") atomic = 1;
      else if (atomic > 0 && word === "case") atomic += 1;
      else if (atomic > 0 && word === "end") atomic -= 1;
      previous = word;
      at += word.length;
    } else {
      if (character === "(") parentheses += 1;
      if (character === ")") parentheses -= 1;
      if (!/\s/.test(character)) {
        substance = true;
        previous = "";
      }
      at += 1;
    }
  }
  finish(sql.length);
  return statements;
}

/** Line (from 1) and column (from 1) of an offset. */
export function positionOf(sql: string, offset: number): { line: number; column: number } {
  const before = sql.slice(0, offset);
  const line = before.split("\n").length;
  return { line, column: offset - before.lastIndexOf("\n") };
}

/** Offset of a statement's first word, after leading comments. */
export function firstWord(statement: FileStatement): number {
  const { text } = statement;
  let at = 0;
  while (at < text.length) {
    if (text.startsWith("--", at)) at = endOfLine(text, at);
    else if (text.startsWith("/*", at)) at = endOfComment(text, at);
    else if (/\s/.test(text[at] ?? "")) at += 1;
    else break;
  }
  return statement.offset + at;
}

/** Whether a statement cannot run inside a transaction block, or manages transactions itself. */
export function runsAlone(statement: FileStatement): boolean {
  const words = statement.text.slice(firstWord(statement) - statement.offset);
  return (
    /^(create|drop)\s+(unique\s+)?index\s+concurrently\b/i.test(words) ||
    /^reindex\b.*\bconcurrently\b/is.test(words) ||
    /^alter\s+table\b.*\bdetach\s+partition\b.*\bconcurrently$/is.test(words) ||
    /^(vacuum|cluster|alter\s+system|create\s+(database|tablespace)|drop\s+(database|tablespace)|discard\s+all|prepare\s+transaction)\b/i.test(
      words,
    ) ||
    /^reindex\s+(\([^)]*\)\s*)?(database|system|schema)\b/i.test(words) ||
    /^(begin|start\s+transaction|commit|end|rollback|savepoint|release)\b/i.test(words)
  );
}
