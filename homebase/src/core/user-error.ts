/** Owns the error whose message is written for the person who runs a command: it is printed without a stack trace. */
export class UserError extends Error {
  /** The exit code of a command that it ends. */
  readonly exitCode: number = 1;
}
