/** Owns the words for a difference that cannot be stated: a statement needs what is not compared, or in other schemas. */
import { UserError } from "../core/user-error.ts";
import { SqlFileError } from "../postgres/files/errors.ts";

/** A difference that pg-delta cannot state; the message says why. */
export class DiffImpossible extends UserError {}

/** pg-delta's errors for a statement that needs an object which it does not compare. */
const MISSING =
  /^missing requirement: action "(.*)" (?:produces .*, which depends on (\S+) — |consumes (\S+), which neither )/s;

/** @param chosen whether only some schemas are compared. */
export function planned<T>(chosen: boolean, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    const [, statement = "", depended, consumed] = MISSING.exec((error as Error).message) ?? [];
    const needed = depended ?? consumed ?? "";
    if (needed === "") throw error;
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

/** The error of a statement that needs what is outside of the chosen schemas. */
export function lackingSchema(error: Error): Error {
  if (!(error instanceof SqlFileError) || !NOT_THERE.test(error.code ?? "")) return error;
  const { message } = error.problem();
  return new DiffImpossible(
    `The difference cannot be written: ${message} in the schemas that were asked for. Ask for its schema too.\n  ${error.statement}`,
  );
}
