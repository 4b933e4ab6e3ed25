/**
 * Owns `npm run bench -- web`: Nosh's performance norms on this machine: the build's size, loading times of
 * the first views on a phone with a slow network, their layout stability, the response times of a plan's page, and
 * Lighthouse's scores.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { freePort } from "homebase-stack/ports";
import { createBackend, startTestCluster, type TestBackend } from "homebase-stack/testing";
import { build } from "vite";
import { type Figure, figure } from "../../homebase/bench/figures.ts";
import { browserArguments, ensureBrowser } from "../../scripts/browser.ts";
import { demoPassword } from "../../scripts/demo-accounts.ts";
import type { Stack } from "../e2e/stack.ts";
import { layTable } from "../e2e/tables.ts";
import { weigh } from "./bundle.ts";
import { type Host, serveBuild } from "./host.ts";
import { interactions } from "./interactions.ts";
import { type FirstView, firstViews, norms, routes } from "./norms.ts";

const run = promisify(execFile);
/** npm downloads it on demand: it is large, and nothing else needs it. */
const LIGHTHOUSE = "lighthouse@12.8.2";
const RUNS = 5;
/** Lighthouse's own "slow 4G", and a phone four times slower than this machine. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_638_400 / 8,
  uploadThroughput: 750_000 / 8,
};
const CPU_SLOWDOWN = 4;
const SETTLE_MS = 2_500;

/** @param root the repository */
export async function benchWeb(root: string): Promise<Figure[]> {
  const figures = await weights(join(root, "web"));
  const executablePath = await ensureBrowser();
  const cluster = await startTestCluster(root);
  const port = await freePort();
  const backend = await createBackend({ config: { auth: { site_url: `http://127.0.0.1:${port}` } } });
  const dist = await mkdtemp(join(tmpdir(), "nosh-norms-"));
  const profile = await mkdtemp(join(tmpdir(), "nosh-profile-"));
  let host: Host | undefined;
  let context: BrowserContext | undefined;
  try {
    await buildFor(backend, join(root, "web"), dist);
    host = await serveBuild(dist, port);
    const debugPort = await freePort();
    context = await chromium.launchPersistentContext(profile, {
      executablePath,
      args: [...browserArguments, `--remote-debugging-port=${debugPort}`],
      viewport: { width: 390, height: 844 },
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
      locale: "en-GB",
      timezoneId: "Europe/Lisbon",
    });
    for (const view of firstViews.filter(({ signedIn }) => !signedIn)) {
      figures.push(...(await loading(context, host, view)));
      figures.push(...(await lighthouse(host, view.name, view.path, debugPort)));
    }
    await signIn(context, host);
    for (const view of firstViews.filter(({ signedIn }) => signedIn)) {
      figures.push(...(await loading(context, host, view, { known: false })));
      figures.push(...(await loading(context, host, view)));
      figures.push(...(await lighthouse(host, view.name, view.path, debugPort)));
    }
    const table = await layTable({ backend } as Pick<Stack, "backend"> as Stack, {
      title: "Thirty times twenty",
      days: 10,
      hours: [12, 18, 20],
      strangers: 19,
    });
    const vote = async (round: number) => {
      await backend.sql(`
        update public.time_votes set answer = case answer when 'yes' then 'no' else 'yes' end::public.vote_answer
        where option_id = '${table.times[round]}' and user_id =
          (select min(user_id::text)::uuid from public.plan_members where plan_id = '${table.id}' and role = 'guest')`);
    };
    figures.push(...(await interactions(context, host.url, table.path, CPU_SLOWDOWN, vote)));
    return figures;
  } finally {
    await context?.close();
    await host?.close();
    await backend.drop();
    await cluster.stop();
    await Promise.all([dist, profile].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

async function weights(web: string): Promise<Figure[]> {
  const weighed = await weigh(web);
  const kilobytes = (bytes: number) => [bytes / 1000];
  const signedIn = firstViews.find(({ name }) => name === "home");
  const atOnce = [...(signedIn?.sources ?? []), ...(signedIn?.next ?? [])];
  const firstFiles = weighed.closure(...atOnce);
  return [
    figure("web CSS, gzipped", "KB", kilobytes(weighed.css), { value: norms.css, less: true }),
    ...firstViews.map(({ name, sources, next = [], most }) =>
      figure(
        `web ${name}: JS, gzipped`,
        "KB",
        kilobytes(weighed.gzipped(weighed.closure(...sources, ...next))),
        { value: most, less: true },
      ),
    ),
    figure(
      "web home: JS before the first paint, gzipped",
      "KB",
      kilobytes(weighed.gzipped(weighed.closure(...(signedIn?.sources ?? [])))),
    ),
    ...routes(weighed.sources).map((source) => {
      const files = weighed.closure(...atOnce, source);
      for (const file of firstFiles) files.delete(file);
      const name = source.replace(/^.*\//, "").replace(/\.tsx$/, "");
      return figure(`web ${name}: JS more, gzipped`, "KB", kilobytes(weighed.gzipped(files)), {
        value: norms.furtherRoute,
        less: true,
      });
    }),
  ];
}

/** Largest contentful paint and layout shift of cold loads on a slow phone. */
async function loading(
  context: BrowserContext,
  host: Host,
  { name, path, signedIn }: FirstView,
  { known = true }: { known?: boolean } = {},
): Promise<Figure[]> {
  const paints: number[] = [];
  const firsts: number[] = [];
  const shifts: number[] = [];
  for (let turn = 0; turn < RUNS; turn += 1) {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    await devtools.send("Network.setBypassServiceWorker", { bypass: true });
    await devtools.send("Network.clearBrowserCache");
    await devtools.send("Network.emulateNetworkConditions", NETWORK);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: CPU_SLOWDOWN });
    if (!known) await forgetData(page, host);
    await page.goto(`${host.url}${path}`, { waitUntil: "load" });
    await page.waitForFunction(
      () =>
        document.querySelector("[data-first-frame]") === null &&
        document.querySelector("h1") !== null &&
        !document.querySelector('[aria-busy="true"]'),
    );
    await page.waitForTimeout(SETTLE_MS);
    const { first, paint, shift } = await vitals(page);
    firsts.push(first / 1000);
    paints.push(paint / 1000);
    shifts.push(shift);
    await page.close();
  }
  const view = known ? name : `${name}, nothing stored`;
  const aim = signedIn ? norms.signedInPaint : norms.paint;
  return [
    figure(`web ${view}: first paint, slow 4G, CPU / 4`, "s", firsts),
    figure(`web ${view}: largest paint, slow 4G, CPU / 4`, "s", paints, { value: aim, less: true }),
    figure(`web ${view}: layout shift`, "", shifts, { value: norms.shift, less: true }),
  ];
}

/** Leaves the session alone of everything that the app has stored, as on a device with a new session. */
async function forgetData(page: Page, host: Host): Promise<void> {
  // A file of the same origin in which no code of the app runs.
  await page.goto(`${host.url}/icon-96.png`);
  await page.evaluate(async () => {
    localStorage.removeItem("nosh.home-snapshot");
    for (const { name = "" } of await indexedDB.databases()) {
      await new Promise((done) =>
        Object.assign(indexedDB.deleteDatabase(name), { onsuccess: done, onblocked: done }),
      );
    }
  });
}

function vitals(page: Page): Promise<{ first: number; paint: number; shift: number }> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        let shift = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries() as (PerformanceEntry & {
            value: number;
            hadRecentInput: boolean;
          })[]) {
            if (!entry.hadRecentInput) shift += entry.value;
          }
        }).observe({ type: "layout-shift", buffered: true });
        new PerformanceObserver((list) => {
          const last = list.getEntries().at(-1);
          // Layout shifts are buffered too; all are reported a turn later.
          const first = performance.getEntriesByName("first-paint")[0]?.startTime ?? Number.NaN;
          setTimeout(() => resolve({ first, paint: last?.startTime ?? Number.NaN, shift }), 50);
        }).observe({ type: "largest-contentful-paint", buffered: true });
      }),
  );
}

const CATEGORIES = {
  performance: "performance",
  accessibility: "accessibility",
  "best-practices": "best practices",
};

async function lighthouse(host: Host, name: string, path: string, port: number): Promise<Figure[]> {
  const file = join(tmpdir(), `nosh-lighthouse-${process.pid}.json`);
  const flags = [
    `--only-categories=${Object.keys(CATEGORIES).join(",")}`,
    "--disable-storage-reset",
    `--port=${port}`,
  ];
  await run(
    "npm",
    [
      "exec",
      "--yes",
      `--package=${LIGHTHOUSE}`,
      "--",
      "lighthouse",
      `${host.url}${path}`,
      "--output=json",
      `--output-path=${file}`,
      "--quiet",
      ...flags,
    ],
    { timeout: 180_000, env: { ...process.env, CI: "1" } },
  );
  const report = JSON.parse(await readFile(file, "utf8")) as {
    categories: Record<string, { score: number | null }>;
  };
  await rm(file, { force: true });
  return Object.entries(CATEGORIES).map(([key, words]) =>
    figure(`web ${name}: Lighthouse ${words}`, "", [Math.round((report.categories[key]?.score ?? 0) * 100)], {
      value: key === "performance" ? norms.lighthousePerformance : 100,
      less: false,
    }),
  );
}

async function signIn(context: BrowserContext, host: Host): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${host.url}/sign-in`);
  await page.getByRole("textbox", { name: "Email" }).fill("ana@nosh.test");
  await page.getByLabel("Password", { exact: true }).last().fill(demoPassword);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/home");
  await page.close();
}

async function buildFor(backend: TestBackend, web: string, outDir: string): Promise<void> {
  process.env.VITE_SUPABASE_URL = backend.url;
  process.env.VITE_SUPABASE_PUBLISHABLE_KEY = backend.publishableKey;
  process.env.NODE_ENV = "production";
  await build({ root: web, mode: "production", logLevel: "error", build: { outDir, emptyOutDir: true } });
}
