/**
 * Owns the database address of a stand-in for hosted: TLS before Postgres, the pooler's user names
 * (`role.REF`), and the refusal of connections without TLS where it is enforced. It passes everything after
 * the startup message on (PostgreSQL documentation, "Message Flow").
 */
import { createConnection, createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { PortTaken } from "../../../src/http/port-taken.ts";
import { type Certificate, selfSigned } from "./certificate.ts";

export interface FrontOptions {
  /** Where Postgres listens on 127.0.0.1. */
  postgresPort: number;
  /** The project's reference. */
  ref: string;
  /** The database that clients reach as `postgres`, hosted's only one. */
  database: string;
  /** Whether a connection must use TLS. Asked for each connection. */
  tlsRequired(): boolean;
  /** Whether no connection is let in. Asked for each connection. */
  paused?(): boolean;
  /** Port on 127.0.0.1; 0 lets the system choose. */
  port?: number;
}

/** Codes that stand in place of a protocol version. */
const SSL_REQUEST = 80_877_103;
const GSS_REQUEST = 80_877_104;
const CANCEL_REQUEST = 80_877_102;
const PROTOCOL_3 = 3;
/** As Postgres limits a startup message. */
const MAX_STARTUP = 10_000;
/** A pooler's user name: the role, a dot, a reference. */
const POOLED = /^(.+)\.([a-z]{20})$/;

/** An address that is not accepted; Postgres's own code and words where it has them. */
class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The database address of one project. */
export class DatabaseFront {
  readonly port: number;
  /** The certificate of its TLS, PEM: its own authority. */
  readonly certificate: string;
  readonly #server: Server;
  readonly #open = new Set<Duplex>();

  private constructor(server: Server, open: Set<Duplex>, { certificate }: Certificate) {
    const address = server.address();
    this.port = typeof address === "object" && address !== null ? address.port : 0;
    this.certificate = certificate;
    this.#server = server;
    this.#open = open;
  }

  /** @throws PortTaken */
  static async open(options: FrontOptions): Promise<DatabaseFront> {
    const certificate = selfSigned("Stand-in for hosted");
    const context = createSecureContext({ cert: certificate.certificate, key: certificate.privateKey });
    const open = new Set<Duplex>();
    const server = createServer({ pauseOnConnect: true }, (socket) => {
      track(open, socket);
      serve(socket, context, open, options).catch(() => socket.destroy());
    });
    const port = options.port ?? 0;
    await new Promise<void>((resolve, reject) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        reject(error.code === "EADDRINUSE" ? new PortTaken(port) : error),
      );
      server.listen(port, "127.0.0.1", resolve);
    });
    return new DatabaseFront(server, open, certificate);
  }

  /** Ends every connection. */
  disconnect(): void {
    for (const stream of this.#open) stream.destroy();
  }

  /** Ends every connection and frees the port. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.disconnect();
    await closed;
  }
}

/** Keeps a stream among the open ones until it closes. */
export function track(open: Set<Duplex>, stream: Duplex): void {
  open.add(stream);
  stream.on("close", () => open.delete(stream));
  // The other side of a broken connection is closed with it; there is nobody to tell.
  stream.on("error", () => stream.destroy());
}

async function serve(
  socket: Socket,
  context: SecureContext,
  open: Set<Duplex>,
  options: FrontOptions,
): Promise<void> {
  let client: Duplex = socket;
  for (;;) {
    const message = await readStartup(client);
    const code = message.readUInt32BE(4);
    if (code === SSL_REQUEST && client === socket) {
      // Bytes that came before the handshake were not protected by it.
      if (socket.readableLength > 0) throw new Error("Data before the handshake.");
      socket.write("S");
      client = new TLSSocket(socket, { isServer: true, secureContext: context });
      track(open, client);
    } else if (code === GSS_REQUEST) {
      client.write("N");
    } else if (code === CANCEL_REQUEST) {
      return forward(client, message, open, options.postgresPort);
    } else {
      try {
        if (options.paused?.()) throw unknownTenant();
        if (client === socket && options.tlsRequired()) throw withoutTls(message);
        return forward(client, startupFor(message, options), open, options.postgresPort);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        client.end(errorResponse(error));
        return;
      }
    }
  }
}

/** One message without a type byte: its length, then its content. */
async function readStartup(stream: Duplex): Promise<Buffer> {
  const head = await readExactly(stream, 4);
  const length = head.readUInt32BE(0);
  if (length < 8 || length > MAX_STARTUP) throw new Error("Not a startup message.");
  return Buffer.concat([head, await readExactly(stream, length - 4)]);
}

function readExactly(stream: Duplex, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      stream.off("readable", look);
      stream.off("close", gone);
      stream.off("end", gone);
    };
    const gone = () => {
      stop();
      reject(new Error("The client is gone."));
    };
    const look = () => {
      const read = stream.read(bytes) as Buffer | null;
      if (read === null) return;
      stop();
      if (read.length < bytes) reject(new Error("The client is gone."));
      else resolve(read);
    };
    stream.on("readable", look);
    stream.on("close", gone);
    stream.on("end", gone);
    look();
  });
}

/** The parameters of a startup message, in order. */
function parametersOf(message: Buffer): [name: string, value: string][] {
  const texts = message.subarray(8).toString("utf8").split("\0");
  const parameters: [string, string][] = [];
  for (let at = 0; at + 1 < texts.length && texts[at]; at += 2) {
    parameters.push([texts[at] ?? "", texts[at + 1] ?? ""]);
  }
  return parameters;
}

/** The startup message for Postgres, which does not know hosted's names of users and databases. @throws Refused */
function startupFor(message: Buffer, { ref, database }: FrontOptions): Buffer {
  // Another major version gets Postgres's own answer.
  if (message.readUInt16BE(4) !== PROTOCOL_3) return message;
  const parameters = parametersOf(message);
  const user = parameters.find(([name]) => name === "user");
  const [, role, project] = POOLED.exec(user?.[1] ?? "") ?? [];
  if (role && project !== ref) throw unknownTenant();
  if (user && role) user[1] = role;
  const named = parameters.find(([name]) => name === "database");
  if (named?.[1] === "postgres") named[1] = database;
  const content = Buffer.from(`${parameters.flat().join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length, 0);
  message.copy(head, 4, 4, 8);
  return Buffer.concat([head, content]);
}

/** As hosted's pooler says it, also of a project that is paused. */
function unknownTenant(): Refused {
  return new Refused("XX000", "Tenant or user not found");
}

function withoutTls(message: Buffer): Refused {
  const { user = "", database = user } = Object.fromEntries(parametersOf(message));
  return new Refused(
    "28000",
    `no pg_hba.conf entry for host "127.0.0.1", user "${user}", database "${database}", no encryption`,
  );
}

function errorResponse({ code, message }: Refused): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeUInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, fields]);
}

/** Connects to Postgres, sends the first message, and passes everything on in both directions. */
function forward(client: Duplex, first: Buffer, open: Set<Duplex>, port: number): void {
  const postgres = createConnection({ host: "127.0.0.1", port });
  track(open, postgres);
  postgres.write(first);
  client.pipe(postgres);
  postgres.pipe(client);
  client.on("close", () => postgres.destroy());
  postgres.on("close", () => client.end());
}
