/** Owns the process whose console is measured: a Backend, its console, and a load that goes into the record of requests. */
import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DeveloperStart } from "../src/developer/stack-wing.ts";
import { RequestRecord } from "../src/http/records.ts";
import { createBackend } from "../src/testing/index.ts";
import { openConsole } from "../wings/console/server/open.ts";

/** What the driver asks for, and its answers. */
export type ConsoleOrder =
  | { do: "open" }
  | { do: "link" }
  | { do: "memory" }
  | { do: "load"; rate: number; seconds: number }
  | { do: "sql"; text: string };

const TICK_MS = 5;
const [, , projectFolder = process.cwd(), port = "0"] = process.argv;
setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc") as () => void;
const backend = await createBackend({
  projectFolder,
  bare: true,
  config: { studio: { port: Number(port) } },
});
const start = { backend: backend.backend, inbox: { messages: () => [] } } as unknown as DeveloperStart;
let opened: Awaited<ReturnType<typeof openConsole>> | undefined;

async function obey(order: ConsoleOrder): Promise<unknown> {
  switch (order.do) {
    case "open":
      opened = await openConsole(start);
      return {};
    case "link":
      return opened?.commands?.console?.(undefined);
    case "memory": {
      for (let round = 0; round < 4; round += 1) {
        gc();
        await pause(50);
      }
      const { heapUsed, external, rss } = process.memoryUsage();
      return { held: (heapUsed + external) / 1024 ** 2, rss: rss / 1024 ** 2 };
    }
    case "sql":
      await backend.sql(order.text);
      return {};
    case "load":
      return load(order);
  }
}

/** Adds finished requests to the record at a rate. @returns how many, and the processor's share meanwhile */
async function load({ rate, seconds }: { rate: number; seconds: number }) {
  const { requests } = backend.backend;
  const [began, cpu] = [performance.now(), process.cpuUsage()];
  let added = 0;
  for (let elapsed = 0; elapsed < seconds * 1_000; elapsed = performance.now() - began) {
    for (const due = Math.floor((elapsed * rate) / 1_000); added < due; added += 1) {
      const failed = added % 500 === 0;
      const record = new RequestRecord(`load-${added}`, "GET", `/rest/v1/notes`, `id=eq.${added}`);
      Object.assign(record, {
        service: "rest",
        status: failed ? 404 : 200,
        role: "anon",
        rows: failed ? 0 : 1,
      });
      requests.add(record);
    }
    await pause(TICK_MS);
  }
  const { user, system } = process.cpuUsage(cpu);
  return { added, busy: (user + system) / 1_000 / (performance.now() - began) };
}

process.on("message", (order: ConsoleOrder) => {
  void obey(order).then(
    (answer) => process.send?.({ answer }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.send?.({ answer: { url: backend.url, publishableKey: backend.publishableKey } });
process.once("disconnect", () => {
  void (opened?.close() ?? Promise.resolve()).then(() => backend.drop()).finally(() => process.exit(0));
});
