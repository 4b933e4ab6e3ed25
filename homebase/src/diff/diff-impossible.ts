/** Owns the words for a difference that cannot be stated: a statement needs what is not compared, or in other schemas. */
import { UserError } from "../core/user-error.ts";
import { SqlFileError } from "../postgres/files/errors.ts";

/** A difference that pg-delta cannot state; the message says why. */
export class DiffImpossible extends UserError {}

/** pg-delta's errors for a statement that needs an object which it does not compare. */
const MISSING =
  /^missing requirement: action "(.*)" (?:produces .*, which depends on (\S+) — |consumes (\S+), which neither )/s;

/** pg-delta's errors for a type whose columns would lose their values. */
const CANNOT = /^(?:domain|enum|range type|composite type) .*: cannot /;

/** @param chosen whether only some schemas are compared. */
export function planned<T>(chosen: boolean, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    const [, statement = "", depended, consumed] = MISSING.exec((error as Error).message) ?? [];
    const needed = depended ?? consumed ?? "";
    if (needed === "" && !CANNOT.test((error as Error).message)) throw error;
    if (needed === "")
      throw new DiffImpossible(`The difference cannot be written: ${(error as Error).message}`);
    const why = chosen
      ? "in none of the schemas that were asked for"
      : "Supabase's own to make and is not there";
    throw new DiffImpossible(
      `The difference cannot be written: this statement needs ${needed.replace(":", " ")}, which is ${why}.\n  ${statement}`,
    );
  }
}

/** Postgres's codes for a schema, relation, type, function or column that is not there. */
const NOT_THERE = /^(?:3F000|42P01|42704|42883|42703)$/;

/** Postgres's codes for what pg-delta states and nobody can run, and what to do instead. */
const BY_HAND: Record<string, string> = {
  // Two types without a cast between them.
  "42846": "add a column, fill it from the old one, and drop that",
  // E.g. a function that a computed column calls gets another argument.
  "2BP01": "drop what needs it, change it, and make it again",
};

/** The error of a statement of a difference. @param chosen whether only some schemas are compared, so that others may be needed. */
export function cannotRun(error: Error, chosen: boolean): Error {
  if (!(error instanceof SqlFileError)) return error;
  const { message } = error.problem();
  const byHand = BY_HAND[error.code ?? ""];
  if (byHand) {
    const why = [message, error.detail].filter(Boolean).join(": ");
    return new DiffImpossible(
      `The difference cannot be written: ${why}. Write this migration yourself: ${byHand}.\n  ${error.statement}`,
    );
  }
  if (!chosen || !NOT_THERE.test(error.code ?? "")) return error;
  return new DiffImpossible(
    `The difference cannot be written: ${message} in the schemas that were asked for. Ask for its schema too.\n  ${error.statement}`,
  );
}
