/**
 * Owns the error for a port in use, in a file of its own because a start needs it before it loads any HTTP
 * code.
 */
import { UserError } from "../core/user-error.ts";

/** A port is in use; `port` says which. */
export class PortTaken extends UserError {
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is already in use.`);
    this.port = port;
  }
}
