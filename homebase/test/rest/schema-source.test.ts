/** Reading the schema: a change between the first read and the start of listening must not be missed. */
import { expect, it } from "vitest";
import type { Listener } from "../../src/postgres/notifications.ts";
import { SchemaSource } from "../../src/rest/schema/source.ts";
import type { RestOptions } from "../../src/rest/settings.ts";

/** A source over a database that counts its queries, and fails them. */
function opened(channel?: string) {
  let listener: Listener | undefined;
  const leases = { count: 0 };
  const options = {
    channel,
    settings: {},
    loadTimeout: 5_000,
    log: { error: () => {}, warn: () => {} },
    pool: {
      lease: async () => {
        leases.count += 1;
        throw new Error("no database");
      },
      renew: () => {},
    },
    notifications: {
      subscribe: (_channel: string, one: Listener) => {
        listener = one;
        return () => {};
      },
    },
  };
  const source = new SchemaSource(options as unknown as RestOptions);
  source.start();
  return { source, leases, listener: () => listener as Listener };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("reads once it listens, so that it hears of every change after what it read", async () => {
  const { leases, listener } = opened("pgrst");
  await settled();
  expect(leases.count).toBe(0);
  listener().listening?.(async () => ({}) as never, false, "host:5432");
  await settled();
  expect(leases.count).toBeGreaterThan(0);
});

it("reads without listening when it cannot listen, and again when it can", async () => {
  const { leases, listener } = opened("pgrst");
  listener().lost?.("gone", 500);
  await settled();
  const before = leases.count;
  expect(before).toBeGreaterThan(0);
  listener().listening?.(async () => ({}) as never, false, "host:5432");
  await settled();
  expect(leases.count).toBeGreaterThan(before);
});

it("reads at once where no channel is listened to", async () => {
  const { leases } = opened();
  await settled();
  expect(leases.count).toBeGreaterThan(0);
});
