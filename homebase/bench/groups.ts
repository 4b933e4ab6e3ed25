/**
 * Owns the groups of the bench: which measurements each makes, in which order, and the figures that they become, with
 * what is aimed at.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../src/config/config.ts";
import { cloneDatabase, dropDatabase } from "../src/postgres/cluster/copies.ts";
import { ensureTemplate } from "../src/postgres/cluster/template-databases.ts";
import { createBackend } from "../src/testing/index.ts";
import { startTestCluster } from "../src/testing/shared-cluster.ts";
import { benchAuth } from "./auth.ts";
import { forgetData, insertsAfterStart, start, treeMemory } from "./boot.ts";
import { benchConsole } from "./console.ts";
import { bend, exponent, MOST_EXPONENT, page, picture } from "./curves.ts";
import { benchExplain, recordCost } from "./explain.ts";
import { type Figure, figure, percentile } from "./figures.ts";
import { type FunctionRates, functionCalls, functionMemory, functionRates, reloads } from "./functions.ts";
import { measureGrowth } from "./growth.ts";
import { benchInstall } from "./install.ts";
import {
  broadcastRate,
  broadcastToMany,
  burst,
  insertToEvent,
  joins,
  makeEventTable,
  socketMemory,
  sustainedEvents,
} from "./realtime.ts";
import {
  benchRest,
  besideRecord,
  besideSlow,
  largeSchema,
  type Measurement,
  servedAfterDdl,
} from "./rest.ts";
import { benchRivals } from "./rivals.ts";
import { benchStorage } from "./storage.ts";
import { startTarget } from "./target.ts";
import { benchVector } from "./vector.ts";

const docs = join(import.meta.dirname, "..", "..", "docs");
/** What is aimed at of the driver's rate. */
const REST_SHARES: Readonly<Record<string, number>> = {
  "by key": 0.85,
  "1000 rows": 0.85,
  "embedding two levels, 10 rows": 0.7,
  "insert one": 0.7,
  "call of a function": 0.75,
};

/** By name. Each takes a project's folder, and whether the large sizes are measured too. */
export const groups: Record<string, (project: string, whole: boolean) => Promise<Figure[]>> = {
  boot,
  install: benchInstall,
  clone,
  rest,
  auth,
  storage,
  realtime,
  functions,
  vector,
  explain,
  console: benchConsole,
  growth,
  rivals: benchRivals,
};

async function boot(project: string): Promise<Figure[]> {
  const cold: number[] = [];
  const warm: number[] = [];
  // The first run of all fills the compile cache and the disk's; it is nobody's figure.
  await (await start(project)).stop();
  for (let run = 0; run < 5; run += 1) {
    forgetData(project);
    const started = await start(project);
    cold.push(started.milliseconds);
    await started.stop();
  }
  let busy = 0;
  let idle = 0;
  for (let run = 0; run < 5; run += 1) {
    const started = await start(project);
    warm.push(started.milliseconds);
    if (run === 4 && process.platform === "linux") {
      busy = treeMemory(started.process.pid ?? 0);
      // Idle connections and the function's worker are let go after a minute.
      await new Promise((resolve) => setTimeout(resolve, 70_000));
      idle = treeMemory(started.process.pid ?? 0);
    }
    await started.stop();
  }
  const { first, later } = await insertsAfterStart(project);
  return [
    figure(
      "longest insert in the 15 s after a first start",
      "ms",
      [Math.max(...first)],
      { value: 50, less: true },
      { name: "in the 15 s after those", values: [Math.max(...later)] },
    ),
    figure("every service answering, from nothing", "ms", cold, { value: 1_200, less: true }),
    figure("every service answering, warm", "ms", warm, { value: 600, less: true }),
    figure("memory of the whole tree, a function warm", "MB", [busy], { value: 250, less: true }),
    figure("memory of the whole tree, idle", "MB", [idle], { value: 90, less: true }),
  ];
}

async function clone(project: string): Promise<Figure[]> {
  const cluster = await startTestCluster(project);
  const config = loadConfig({ from: project });
  const began = performance.now();
  const template = await ensureTemplate(cluster.client, config);
  const building = performance.now() - began;
  const databases: number[] = [];
  const backends: number[] = [];
  for (let run = 0; run < 15; run += 1) {
    const before = performance.now();
    await cloneDatabase(cluster.client, template, `bench_${run}`);
    databases.push(performance.now() - before);
    await dropDatabase(cluster.client, `bench_${run}`);
  }
  for (let run = 0; run < 15; run += 1) {
    const before = performance.now();
    const backend = await createBackend({ projectFolder: project });
    backends.push(performance.now() - before);
    await backend.drop();
  }
  await cluster.stop();
  return [
    figure("building the template", "ms", [building]),
    figure("cloning a database", "ms", databases),
    figure("a cloned Backend, all services open", "ms", backends.slice(1), { value: 20, less: true }),
  ];
}

async function explain(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  try {
    const record = recordCost();
    const { kept, not } = await besideRecord(target);
    const shares = kept.map((rate, at) => (100 * rate) / (not[at] ?? rate));
    const { times, timesAlone, writes, writesAlone } = await benchExplain(target);
    const withoutStack = (share: number) => ({
      name: "without a stack",
      values: [percentile(timesAlone, share)],
    });
    return [
      figure("record of a request", "µs", record.microseconds, { value: 1, less: true }),
      figure("memory grown by after 1,000,000 records", "MB", [record.megabytes], { value: 16, less: true }),
      figure("REST by key with the record, of that without", "%", shares, { value: 98, less: false }),
      figure(
        "explanation on 1,000,000 rows, p50",
        "ms",
        [percentile(times, 0.5)],
        undefined,
        withoutStack(0.5),
      ),
      figure(
        "explanation on 1,000,000 rows, p95",
        "ms",
        [percentile(times, 0.95)],
        { value: 50, less: true },
        withoutStack(0.95),
      ),
      figure("a write beside explanations, p99", "ms", [percentile(writes, 0.99)], undefined, {
        name: "without them",
        values: [percentile(writesAlone, 0.99)],
      }),
      figure("a write beside explanations, longest", "ms", [Math.max(...writes)], undefined, {
        name: "without them",
        values: [Math.max(...writesAlone)],
      }),
    ];
  } finally {
    await target.stop();
  }
}

async function vector(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  try {
    const { cosine, euclidean, arrays, insert, bucket } = await benchVector(target);
    const plain = { name: "SQL over real[]", values: arrays };
    return [
      figure("vector, nearest 10 of 10,000 of 384, <=>", "ms", cosine, { value: 25, less: true }, plain),
      figure("vector, nearest 10 of 10,000 of 384, <->", "ms", euclidean, { value: 25, less: true }),
      figure("vector, 100 rows of 384 inserted", "ms", insert),
      figure("vector bucket, nearest 10 of 10,000 of 384", "ms", bucket, { value: 25, less: true }),
    ];
  } finally {
    await target.stop();
  }
}

async function rest(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  const rounds: Measurement[][] = [];
  for (let round = 0; round < 3; round += 1) rounds.push(await benchRest(target));
  const beside = await besideSlow(target);
  const ddl = await servedAfterDdl(target);
  const large = await largeSchema(target);
  await target.stop();
  const names = rounds[0]?.map((one) => one.name) ?? [];
  const rates = names.map((name) => {
    const of = (key: "http" | "direct") =>
      rounds.map((round) => round.find((one) => one.name === name)?.[key] ?? 0);
    return figure(
      `REST ${name}`,
      "requests/s",
      of("http"),
      name === "by key" ? { value: 5_000, less: false } : undefined,
      { name: "the driver, pipelined", values: of("direct"), aim: REST_SHARES[name] },
    );
  });
  return [
    ...rates,
    figure("REST by key beside a query of 2 s, p99", "ms", [percentile(beside, 0.99)], {
      value: 20,
      less: true,
    }),
    figure("REST serves a new table after its commit", "ms", ddl, { value: 200, less: true }),
    figure("REST reads a schema of 1,000 tables", "ms", large.read, { value: 1_000, less: true }),
    figure("REST serves a new table beside 1,000", "ms", large.served, { value: 100, less: true }),
  ];
}

async function auth(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  const found = await benchAuth(target);
  await target.stop();
  return [
    figure("sign-ins by password", "1/s", [found.signIns], undefined, {
      name: "bcrypt alone",
      values: [found.bcrypt],
    }),
    figure("refreshes", "1/s", [found.refreshes], undefined, {
      name: "the driver, the same rows",
      values: [found.transactions],
      aim: 0.5,
    }),
    figure("check of a token, first", "µs", [found.firstCheck]),
    figure("check of a token, later", "µs", [found.laterCheck]),
  ];
}

async function storage(project: string): Promise<Figure[]> {
  const backend = await createBackend({
    projectFolder: project,
    bare: true,
    config: { storage: { file_size_limit: 3_000_000_000, image_transformation: { enabled: true } } },
  });
  const { transfers, pages, memoryGrowth, thumbnails } = await benchStorage(backend);
  await backend.drop();
  return [
    ...transfers.map((one) =>
      figure(`storage ${one.name}`, "MB/s", [one.storage], undefined, {
        name: "a plain file server",
        values: [one.plain],
      }),
    ),
    figure("storage, memory grown by while 2 GB go up", "MB", [memoryGrowth.up], { value: 150, less: true }),
    figure("storage, memory grown by while 2 GB come down", "MB", [memoryGrowth.down], {
      value: 150,
      less: true,
    }),
    figure("storage, thumbnails of 12 megapixels made", "/s", [thumbnails.made]),
    figure("storage, thumbnails made before", "/s", [thumbnails.kept]),
    ...pages.map((one) =>
      figure(`storage, ${one.name}`, "ms", [one.milliseconds], { value: 50, less: true }),
    ),
  ];
}

async function realtime(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  // First, as memory that others let go would be counted as none.
  const kilobytes = await socketMemory(target, 10_000);
  const joined = await joins(target, 1_000);
  await makeEventTable(target);
  const events = new Map<number, number[]>();
  for (const subscribers of [1, 100, 1_000])
    events.set(subscribers, await insertToEvent(target, subscribers));
  const sustained = await sustainedEvents(target, 3);
  const bursts = [await burst(target), await burst(target), await burst(target)];
  const broadcasts = await broadcastToMany(target, 100);
  const rate = await broadcastRate(target, 1_000);
  await target.stop();
  const p50: Record<number, number> = { 1: 0.9 };
  const p99: Record<number, number> = { 1: 4, 1000: 12 };
  const aim = (value: number | undefined) => (value === undefined ? undefined : { value, less: true });
  return [
    ...[...events].flatMap(([count, times]) => [
      figure(`insert to event, ${count} subscribed, p50`, "ms", times, aim(p50[count])),
      figure(`insert to event, ${count} subscribed, p99`, "ms", [percentile(times, 0.99)], aim(p99[count])),
    ]),
    figure("row changes told to one, sustained", "events/s", [sustained]),
    figure(
      "2,000 rows to 10 users under row security",
      "ms",
      bursts.map(({ all }) => all),
      aim(1_000),
    ),
    figure(
      "REST by key beside that, p99",
      "ms",
      bursts.map(({ restBeside }) => percentile(restBeside, 0.99)),
      aim(30),
    ),
    figure("broadcast to the first of 100", "ms", broadcasts.first),
    figure("broadcast to any of 100, p50", "ms", broadcasts.all, { value: 0.2, less: true }),
    figure("broadcasts to 1,000 sockets", "deliveries/s", [rate]),
    figure("joins", "1/s", [joined]),
    figure("memory a socket, of 10,000 at rest", "kB", [kilobytes], { value: 10, less: true }),
  ];
}

async function functions(project: string): Promise<Figure[]> {
  const target = await startTarget(project);
  const calls = await functionCalls(target);
  const rates: FunctionRates[] = [];
  for (let round = 0; round < 3; round += 1) rates.push(await functionRates(target));
  const memory = functionMemory(target);
  const reloading = await reloads(target, project);
  await target.stop();
  return [
    figure("function, first call", "ms", calls.cold),
    figure("function, warm call", "ms", calls.warm),
    figure(
      "function, warm calls",
      "requests/s",
      rates.map(({ through }) => through),
      undefined,
      { name: "our front alone", values: rates.map(({ front }) => front), aim: 0.7 },
    ),
    figure(
      "the stack's own answers (auth/v1/health)",
      "requests/s",
      rates.map(({ front }) => front),
      undefined,
      { name: "Deno.serve alone, the function's handler", values: rates.map(({ bare }) => bare) },
    ),
    figure("function, memory while warm (PSS)", "MB", [memory], undefined, {
      name: "Deno.serve alone",
      values: rates.map((rate) => rate.memory),
    }),
    figure("function, reload on save", "ms", reloading, { value: 300, less: true }),
  ];
}

async function growth(_project: string, whole: boolean): Promise<Figure[]> {
  const curves = await measureGrowth(whole, (name) =>
    process.stderr.write(`Measuring how it grows: ${name} ...\n`),
  );
  if (whole) {
    writeFileSync(join(docs, "growth.svg"), picture(curves));
    writeFileSync(join(docs, "growth.md"), page(curves));
  }
  return curves.map((curve) =>
    figure(
      `exponent of ${curve.name}, by ${curve.of} (bends at ${bend(curve) ?? "no size"})`,
      "",
      [exponent(curve)],
      { value: MOST_EXPONENT, less: true },
    ),
  );
}
