/** Tests outbox.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AppError } from "../../lib/errors.ts";
import { type Dependencies, Outbox } from "./outbox.ts";
import type { Entry, QueuedMutation } from "./schema.ts";

const ana = "00000000-0000-4000-8000-0000000000a1";
const ben = "00000000-0000-4000-8000-0000000000a2";

/** A device with tabs, and a server that may not answer, or answer and not be heard. */
class Device {
  readonly kept = new Map<string, Entry>();
  readonly tabs: Outbox[] = [];
  /** What the server has, in the order in which it took it; the same id twice is one thing. */
  readonly taken: string[] = [];
  /** How the next sends go; then all is well. */
  readonly fates: ("ok" | "no connection" | "answer lost" | "refused")[] = [];
  readonly delayed: (() => void)[] = [];
  /** In milliseconds. */
  readonly waits: number[] = [];
  /** Turns of the event loop that storing an entry takes. */
  slowness = 0;
  #turn: Promise<void> = Promise.resolve();
  #now = 0;

  tab(): Outbox {
    const dependencies: Dependencies = {
      send: async ({ id }) => {
        await Promise.resolve();
        const fate = this.fates.shift() ?? "ok";
        if (fate === "refused") throw new AppError("conflict", "voting_closed", "Too late.", "Ask.");
        if (fate !== "no connection" && !this.taken.includes(id)) this.taken.push(id);
        if (fate !== "ok") throw new AppError("network", "offline", "", "");
      },
      read: async () => [...this.kept.values()],
      persist: async (entry) => {
        for (let turn = 0; turn < this.slowness; turn += 1)
          await new Promise((resolve) => setImmediate(resolve));
        this.kept.set(entry.id, entry);
      },
      remove: async (id) => void this.kept.delete(id),
      withLock: (work) => {
        this.#turn = this.#turn.then(work);
        return this.#turn;
      },
      tellOthers: () => {
        for (const other of this.tabs) void other.reread();
      },
      toAppError: (thrown) => thrown as AppError,
      now: () => {
        this.#now += 1;
        return this.#now;
      },
      defer: (work, ms) => {
        this.delayed.push(work);
        this.waits.push(ms);
      },
    };
    const made = new Outbox(dependencies);
    this.tabs.push(made);
    return made;
  }

  /** Lets everything come to its end, as if all waits had passed. */
  async settle(): Promise<void> {
    for (let round = 0; round < 200; round += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = this.delayed.shift();
      if (!next && round > 3) return;
      next?.();
    }
  }
}

const message = (body: string): QueuedMutation => ({
  kind: "message",
  plan_id: "00000000-0000-4000-8000-0000000000b1",
  body,
  reply_to: null,
  photo_id: null,
});

describe("the outbox", () => {
  it("keeps something before it sends it, and forgets it when the server has it", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    device.fates.push("no connection");
    await tab.add(message("hello"), "m1");
    expect(device.kept.has("m1")).toBe(true);
    expect(tab.snapshot()).toHaveLength(1);
    await device.settle();
    expect(device.taken).toEqual(["m1"]);
    expect(tab.snapshot()).toEqual([]);
    expect(device.kept.size).toBe(0);
  });

  it("goes on after a reload with what the last page kept", async () => {
    const device = new Device();
    const before = device.tab();
    await before.belongTo(ana);
    device.fates.push("no connection");
    await before.add(message("hello"), "m1");
    device.tabs.length = 0;
    device.delayed.length = 0;
    const after = device.tab();
    await after.belongTo(ana);
    await device.settle();
    expect(device.taken).toEqual(["m1"]);
  });

  it("leaves what is refused with its reason, sends the rest, and lets the person decide", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    device.fates.push("refused");
    await Promise.all([tab.add(message("one"), "m1"), tab.add(message("two"), "m2")]);
    await device.settle();
    expect(device.taken).toEqual(["m2"]);
    expect(tab.snapshot().map(({ id, refused }) => [id, refused?.code])).toEqual([["m1", "voting_closed"]]);
    await tab.retry("m1");
    await device.settle();
    expect(device.taken).toEqual(["m2", "m1"]);
    device.fates.push("refused");
    await tab.add(message("three"), "m3");
    await device.settle();
    await tab.drop("m3");
    expect(tab.snapshot()).toEqual([]);
  });

  it("shows and sends an entry that is still being stored when an earlier one leaves the queue", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    const shown: number[] = [];
    const first = tab.add(message("one"), "m1");
    await first;
    device.slowness = 20;
    const second = tab.add(message("two"), "m2");
    tab.subscribe(() => shown.push(tab.snapshot().filter(({ id }) => id === "m2").length));
    for (let turn = 0; turn < 10; turn += 1) {
      await tab.reread();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(shown)).toEqual(new Set([1]));
    await second;
    await device.settle();
    expect(device.taken).toEqual(["m1", "m2"]);
    expect(tab.snapshot()).toEqual([]);
  });

  it("waits longer after each failure, and begins anew when the connection may be back", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    device.fates.push("no connection", "no connection", "no connection", "no connection");
    await tab.add(message("hello"), "m1");
    await expect.poll(() => device.waits).toEqual([2_000]);
    device.delayed.shift()?.();
    await expect.poll(() => device.waits).toEqual([2_000, 4_000]);
    device.delayed.shift()?.();
    await expect.poll(() => device.waits).toEqual([2_000, 4_000, 8_000]);
    // A browser says so before requests go through.
    await tab.reconnected();
    expect(device.waits).toEqual([2_000, 4_000, 8_000, 2_000]);
    await device.settle();
    expect(device.taken).toEqual(["m1"]);
  });

  it("neither shows nor sends what somebody else did on this device", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    device.fates.push("no connection");
    await tab.add(message("hello"), "m1");
    await tab.belongTo(ben);
    await device.settle();
    expect(tab.snapshot()).toEqual([]);
    expect(device.taken).toEqual([]);
    await tab.belongTo(ana);
    await device.settle();
    expect(device.taken).toEqual(["m1"]);
  });

  it("passes a guest's unsent and refused entries to the account that takes the guest over", async () => {
    const device = new Device();
    const tab = device.tab();
    await tab.belongTo(ana);
    device.fates.push("refused");
    await tab.add(message("refused to the guest"), "m1");
    await device.settle();
    device.fates.push("no connection");
    await tab.add(message("not sent"), "m2");
    await tab.belongTo(ben);
    await device.settle();
    expect(device.taken).toEqual([]);
    await tab.reassign(ana, ben);
    expect(tab.snapshot().map(({ id, person, refused }) => [id, person, refused])).toEqual([
      ["m1", ben, null],
      ["m2", ben, null],
    ]);
    await device.settle();
    expect(device.taken).toEqual(["m1", "m2"]);
    await tab.belongTo(ana);
    expect(tab.snapshot()).toEqual([]);
  });

  it("sends each thing once and in order, whatever fails, from however many tabs", async () => {
    const fate = fc.constantFrom("ok" as const, "no connection" as const, "answer lost" as const);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fate, { maxLength: 12 }),
        fc.array(fc.nat(2), { maxLength: 8 }),
        async (fates, tabs) => {
          const device = new Device();
          device.fates.push(...fates);
          const all = [device.tab(), device.tab(), device.tab()];
          for (const tab of all) await tab.belongTo(ana);
          const ids = tabs.map((_tab, index) => `m${index}`);
          for (const [index, tab] of tabs.entries()) await all[tab]?.add(message("x"), `m${index}`);
          await device.settle();
          expect(device.taken).toEqual(ids);
          expect(device.kept.size).toBe(0);
          for (const tab of all) expect(tab.snapshot()).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
