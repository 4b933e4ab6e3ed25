/** Owns the refusal of an assistant's SQL. */

/** SQL is not run, or its rows are not shown, for a reason that the project can change. */
export class SqlRefused extends Error {}
