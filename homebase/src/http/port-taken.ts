/** Owns the error for a port that is taken, apart from the server: a start knows it before it loads any HTTP. */

/** A port is taken; `port` says which. */
export class PortTaken extends Error {
  readonly port: number;
  constructor(port: number) {
    super(`Port ${port} is already in use.`);
    this.port = port;
  }
}
