/** Owns helpers of the row change tests: a published table, and a socket that listens to it. */
import { expect } from "vitest";
import type { TestBackend } from "../../src/testing/index.ts";
import { PhoenixSocket } from "./phoenix-socket.ts";

export const ANA = "11111111-1111-1111-1111-111111111111";

/** Tables and listeners of one Backend. */
export class ChangeRig {
  readonly backend: TestBackend;

  constructor(backend: TestBackend) {
    this.backend = backend;
  }

  token(sub = ANA, more: Record<string, unknown> = {}): Promise<string> {
    const exp = Math.floor(this.backend.clock.now() / 1000) + 3600;
    return this.backend.backend.keys.sign({ sub, role: "authenticated", exp, ...more });
  }

  /** Creates a published table. */
  async table(name: string, definition: string, after = ""): Promise<void> {
    await this.backend.sql(
      `create table public.${name} (${definition}); ${after}; alter publication supabase_realtime add table public.${name}`,
    );
  }

  /** A socket that receives row changes from now on. */
  async listener(changes: unknown[], more: Record<string, unknown> = {}): Promise<PhoenixSocket> {
    const socket = await PhoenixSocket.open(this.backend);
    await socket.subscribe(`changes-${Math.random()}`, changes, {
      access_token: await this.token(),
      ...more,
    });
    return socket;
  }
}

/** A subscription to a table of schema public. */
export function on(table: string, more: Record<string, unknown> = {}) {
  return { event: "*", schema: "public", table, ...more };
}

export function rows(socket: PhoenixSocket) {
  return socket.changes.map((change) => change.record ?? change.old_record);
}

/** Waits for a number of changes, and long enough to detect an extra one. */
export async function changes(socket: PhoenixSocket, count: number) {
  await expect.poll(() => socket.changes.length).toBe(count);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(socket.changes).toHaveLength(count);
  return socket.changes;
}
