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
  tokenize,
  WORD,
} from "./lexer.ts";

/** A statement of a file. */
export interface FileStatement {
  /** Without surrounding blanks and without the final semicolon; comments inside and before are kept. */
  readonly text: string;
  /** Offset of `text` in the file, in UTF-16 units. */
  readonly offset: number;
  /** The rows that COPY ... FROM stdin reads: the lines after it up to `\\.`, which the file and not Postgres has. */
  readonly data?: { readonly text: string; readonly offset: number };
}

/**
 * Splits a file. Never throws: an unterminated construct extends to the end, and Postgres reports the error. A line
 * that begins with a backslash where a statement could begin is one: a command of psql.
 */
export function splitStatements(sql: string): FileStatement[] {
  return split(sql, false);
}

/**
 * As `splitStatements`, including the comments between two semicolons or at the end: the Supabase CLI records
 * them too.
 */
export function recordedStatements(sql: string): string[] {
  return split(sql, true).map(recordedText);
}

/** A statement as the history has it: with the data of a COPY, which no semicolon follows. */
export function recordedText({ text, data }: FileStatement): string {
  return data === undefined ? text : `${text};\n${data.text}\\.`;
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
    start = end + 1;
    if ((substance || comments) && text) {
      const statement = { text, offset: end - raw.length + raw.indexOf(text) };
      const data = readsStandardInput(statement) ? dataAfter(sql, start) : undefined;
      statements.push(data ? { ...statement, data } : statement);
      if (data) start = data.end;
    }
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
      at = start;
    } else if (character === "\\" && !substance && /(?:^|\n)[ \t]*$/.test(sql.slice(0, at).slice(-80))) {
      substance = true;
      at = endOfLine(sql, at);
      finish(sql.slice(start, at).trimEnd().replace(/;$/, "").length + start);
      start = at;
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

const COPY = /^copy\s/i;

/** Whether it is a COPY that takes its rows from the client. */
function readsStandardInput(statement: FileStatement): boolean {
  const words = statement.text.slice(firstWord(statement) - statement.offset);
  if (!COPY.test(words)) return false;
  const tokens = tokenize(words);
  return tokens.some(
    ({ value, kind }, at) => kind === "name" && value === "from" && tokens[at + 1]?.value === "stdin",
  );
}

/** The data after the line of a COPY, up to a line with `\\.` or the end. None where that line goes on. */
function dataAfter(sql: string, from: number): { text: string; offset: number; end: number } {
  const offset = endOfLine(sql, from);
  if (!/^\s*(?:--.*)?\s*$/.test(sql.slice(from, offset))) return { text: "", offset: from, end: from };
  const marker = /^\\\.\r?$/m;
  const rest = sql.slice(offset);
  const found = marker.exec(rest);
  const text = found ? rest.slice(0, found.index) : rest;
  return {
    text: text === "" || text.endsWith("\n") ? text : `${text}\n`,
    offset,
    end: found ? endOfLine(sql, offset + found.index) : sql.length,
  };
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
