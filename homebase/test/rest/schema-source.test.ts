/** Reading the schema: no change may be missed, and one during a read does not wait for that read. */
import { expect, it } from "vitest";
import type { Listener } from "../../src/postgres/notifications.ts";
import type { RestOptions } from "../../src/rest/postgrest-settings.ts";
import { SchemaSource } from "../../src/rest/schema/source.ts";

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

/** A source whose reads of the catalog end when a test says so, each with a table named like the read. */
async function answered() {
  const reads: PromiseWithResolvers<string>[] = [];
  const row = (text: string) => [{ text: () => text }];
  const run = async ([first]: { text: string }[]) => {
    if (!first?.text.startsWith("begin")) return [row("170000 PostgreSQL")];
    const read = Promise.withResolvers<string>();
    reads.push(read);
    return [[], [], row(await read.promise), []];
  };
  const options = {
    settings: { schemas: ["public"], extraSearchPath: [], hoistedSettings: [] },
    loadTimeout: 5_000,
    log: { error: () => {}, warn: () => {} },
    pool: { max: 10, lease: async () => ({ run, release: () => {} }), renew: () => {} },
  };
  const source = new SchemaSource(options as unknown as RestOptions);
  source.start();
  await settled();
  const end = async (at: number) => {
    const none = {
      keys: [],
      views: [],
      routines: [],
      representations: [],
      handlers: [],
      roles: [],
      headers: [],
    };
    const table = { oid: "1", schema: "public", name: `read_${at}`, kind: "r", exposed: true, columns: [] };
    reads[at]?.resolve(JSON.stringify({ ...none, relations: [{ ...table, capabilities: 0 }] }));
    await settled();
  };
  const change = async () => {
    const read = source.refresh();
    await settled();
    return async () => [...(await read).cache.relations.values()].map(({ name }) => name);
  };
  const tables = () => [...(source.current?.cache.relations.values() ?? [])].map(({ name }) => name);
  return { reads, end, change, tables };
}

it("reads for a change during a read at once, and drops what that read finds", async () => {
  const { reads, end, change, tables } = await answered();
  const changed = await change();
  expect(reads).toHaveLength(2);
  await end(0);
  expect(tables()).toEqual([]);
  await end(1);
  expect(await changed()).toEqual(["read_1"]);
});

it("reads once for all changes during two reads", async () => {
  const { reads, end, change, tables } = await answered();
  await change();
  const changed = await Promise.all([change(), change(), change()]);
  expect(reads).toHaveLength(2);
  await end(1);
  await end(0);
  expect(tables()).toEqual(["read_1"]);
  expect(reads).toHaveLength(3);
  await end(2);
  for (const one of changed) expect(await one()).toEqual(["read_2"]);
});

it("has every second read where changes never end", async () => {
  const { end, change, tables } = await answered();
  const seen: string[][] = [];
  for (let at = 0; at < 6; at += 1) {
    await change();
    await end(at);
    seen.push(tables());
  }
  expect(seen).toEqual([[], ["read_1"], ["read_1"], ["read_3"], ["read_3"], ["read_5"]]);
});

it("keeps what a read finds when the read after it fails", async () => {
  const { reads, end, change, tables } = await answered();
  const changed = (await change())().catch(() => "failed");
  for (let at = 1; at <= 3; at += 1) {
    reads[at]?.reject(new Error("no database"));
    await settled();
  }
  expect(await changed).toBe("failed");
  await end(0);
  expect(tables()).toEqual(["read_0"]);
});
