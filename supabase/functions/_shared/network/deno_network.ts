/**
 * Owns: a function's network access for https_get.ts. Of Deno's network functions the hosted edge runtime has
 * Deno.resolveDns, Deno.connect and Deno.startTls, but not Deno.createHttpClient.
 */
import type { Connection, Network } from "./https_get.ts";

/** @param caCerts certificates (PEM) to trust besides the runtime's own, for tests */
export function denoNetwork(caCerts: string[] = []): Network {
  return {
    async resolve(name, signal) {
      const found = await Promise.all(
        // Resolving rejects when a name has no address of that kind.
        (["A", "AAAA"] as const).map((kind) =>
          Deno.resolveDns(name, kind, { signal }).catch(() => [] as string[]),
        ),
      );
      return found.flat();
    },
    connect: (address, name) => connectTo(address, 443, name, caCerts),
  };
}

/** A TLS connection to an address and port, whose certificate must be valid for `name`. */
export async function connectTo(
  address: string,
  port: number,
  name: string,
  caCerts: string[],
): Promise<Connection> {
  const plain = await Deno.connect({ hostname: address, port });
  let secured: Deno.TlsConn;
  try {
    secured = await Deno.startTls(plain, { hostname: name, caCerts });
    await secured.handshake();
  } catch (error) {
    closed(plain);
    throw error;
  }
  return {
    readable: secured.readable,
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += await secured.write(bytes.subarray(at));
    },
    close: () => closed(secured),
  };
}

/** Closes a connection that may be closed already. */
function closed(connection: { close(): void }): void {
  try {
    connection.close();
  } catch {
    // Already closed.
  }
}
