/** Owns the errors of a project's SQL files: which file, where in it, what Postgres said, and what to do about it. */
import type pg from "pg";
import { type FileStatement, firstWord, positionOf } from "../statements.ts";
import { adviceFor } from "./advice.ts";

/** What is wrong with a file, for programs. */
export interface FileProblem {
  file: string;
  message: string;
  line?: number;
  column?: number;
  /** The statement's first line. */
  statement?: string;
  /** SQLSTATE. */
  code?: string;
  detail?: string;
  hint?: string;
  /** What to do. */
  advice?: string;
}

/** A file of the project that cannot be applied. */
export abstract class ProjectFileError extends Error {
  abstract readonly file: string;
  /** Several lines for a terminal: where, what is wrong, what to do. */
  abstract describe(): string;
  abstract problem(): FileProblem;
}

/** An SQL file that Postgres refused. Nothing of the file is applied unless `partial`. */
export class SqlFileError extends ProjectFileError {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly statement: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  readonly advice: string | undefined;
  /** The file has statements that cannot share a transaction; those before the failure stay. */
  readonly partial: boolean;

  /** @param verbatim whether the statement was run as it is written: only then Postgres's position is one in the file. */
  constructor(
    file: string,
    sql: string,
    statement: FileStatement,
    cause: pg.DatabaseError,
    { partial, verbatim }: { partial: boolean; verbatim: boolean },
  ) {
    // Postgres counts characters from 1; a syntax error without a position is at the statement's head.
    const inside = verbatim && cause.position ? Number(cause.position) - 1 : undefined;
    const offset = inside === undefined ? firstWord(statement) : statement.offset + inside;
    const { line, column } = positionOf(sql, offset);
    super(cause.message, { cause });
    this.file = file;
    this.line = line;
    this.column = column;
    this.statement = statement.text.slice(firstWord(statement) - statement.offset);
    this.code = cause.code;
    this.detail = cause.detail;
    this.hint = cause.hint;
    this.advice = adviceFor(this.statement, cause);
    this.partial = partial;
  }

  describe(): string {
    const lines = [`${this.file}:${this.line}:${this.column}: ${this.message}`];
    if (this.code) lines[0] += ` (${this.code})`;
    if (this.detail) lines.push(`  detail: ${this.detail}`);
    if (this.hint) lines.push(`  hint: ${this.hint}`);
    const statement = this.statement.split("\n");
    lines.push(...statement.slice(0, 8).map((text) => `  | ${text}`));
    if (statement.length > 8) lines.push(`  | ... ${statement.length - 8} more lines`);
    if (this.advice) lines.push(`  What to do: ${this.advice}`);
    if (this.partial) {
      lines.push(
        "  The statements before it stay: this file manages transactions itself, or cannot run in one.",
      );
    }
    return lines.join("\n");
  }

  problem(): FileProblem {
    const { file, message, line, column, code, detail, hint, advice } = this;
    return {
      file,
      message,
      line,
      column,
      statement: this.statement.split("\n", 1)[0] ?? "",
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      ...(hint === undefined ? {} : { hint }),
      ...(advice === undefined ? {} : { advice }),
    };
  }
}

/** A file of the project that cannot be read or used at all, e.g. a link that leads nowhere. Nothing of it is applied. */
export class UnreadableFile extends ProjectFileError {
  readonly file: string;

  /** @param cause a system's error, or words. */
  constructor(file: string, cause: unknown) {
    super(
      typeof cause === "string"
        ? cause
        : `It cannot be read: ${READ_FAILURES[(cause as NodeJS.ErrnoException).code ?? ""] ?? String(cause)}.`,
    );
    this.file = file;
  }

  describe(): string {
    return `${this.file}: ${this.message}`;
  }

  problem(): FileProblem {
    return { file: this.file, message: this.message };
  }
}

const READ_FAILURES: Record<string, string> = {
  ENOENT: "it is a link that leads nowhere, or has just been removed",
  EISDIR: "it is a folder",
  ENOTDIR: "it is no folder",
  EACCES: "its permissions do not allow it",
  ELOOP: "its links lead in a circle",
};
