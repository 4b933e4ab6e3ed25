/**
 * Owns what the Supabase CLI needs to reach a stand-in for hosted by a project's reference. It expects names of hosts
 * on fixed ports, which no user may open and no resolver knows: databases are reached by the second address of the
 * pooler's connection string, and the project's API through a proxy that ends TLS (docs/compat/platform.md 5).
 */
import { writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { errorBoundary } from "../../src/core/error-boundary.ts";
import type { Log } from "../../src/core/log.ts";
import { type Certificate, selfSigned } from "./database/certificate.ts";
import { track } from "./database/front.ts";
import type { ManagementApi } from "./management.ts";
import { PROJECT_HOST } from "./stand-in.ts";

/** How the Supabase CLI reaches one stand-in. */
export class SupabaseCliAccess {
  /** Variables of the CLI's environment. */
  readonly environment: Readonly<Record<string, string>>;
  readonly #server: Server;
  readonly #open: Set<Duplex>;

  private constructor(server: Server, open: Set<Duplex>, environment: Record<string, string>) {
    this.#server = server;
    this.#open = open;
    this.environment = environment;
  }

  /** Writes the profile and the certificate into a folder, and opens the proxy. */
  static async open(management: ManagementApi, folder: string, log: Log): Promise<SupabaseCliAccess> {
    const { certificate, privateKey } = certificateOf();
    const profile = join(folder, "profile.yaml");
    const authority = join(folder, "certificate.pem");
    const lines = {
      name: "stand-in",
      api_url: management.url,
      dashboard_url: management.url,
      project_host: PROJECT_HOST,
      pooler_host: PROJECT_HOST,
    };
    writeFileSync(
      profile,
      Object.entries(lines)
        .map((line) => `${line.join(": ")}\n`)
        .join(""),
    );
    writeFileSync(authority, certificate);
    const open = new Set<Duplex>();
    const context = createSecureContext({ cert: certificate, key: privateKey });
    const server = createServer((_request, response) => response.writeHead(405).end());
    const connect = (request: IncomingMessage, socket: Duplex) =>
      tunnel(request, socket, { management, context, open });
    server.on("connect", errorBoundary(log, "a tunnel to a project", connect));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return new SupabaseCliAccess(server, open, {
      SUPABASE_PROFILE: profile,
      SUPABASE_ACCESS_TOKEN: management.accessToken,
      HTTPS_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: authority,
    });
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    for (const stream of this.#open) stream.destroy();
    await closed;
  }
}

function certificateOf(): Certificate {
  return selfSigned("Stand-in for hosted", Date.now(), [`*.${PROJECT_HOST}`]);
}

const TARGET = new RegExp(`^([a-z]{20})\\.${PROJECT_HOST.replace(".", "\\.")}:443$`);

/** Connects to a project's API by its reference; there is no way to other hosts. */
function tunnel(
  { url = "" }: IncomingMessage,
  socket: Duplex,
  { management, context, open }: { management: ManagementApi; context: SecureContext; open: Set<Duplex> },
): void {
  const [, ref] = TARGET.exec(url) ?? [];
  const project = ref === undefined ? undefined : management.branches.project(ref);
  track(open, socket);
  if (!project) {
    socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    return;
  }
  socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  const client = new TLSSocket(socket, { isServer: true, secureContext: context });
  const api = createConnection({ host: "127.0.0.1", port: project.backend.port });
  track(open, client);
  track(open, api);
  client.pipe(api);
  api.pipe(client);
  client.on("close", () => api.destroy());
  api.on("close", () => client.end());
}
