/**
 * Owns the measurement of the console in a real browser: the time to the first rows, a minute of 10,000 requests a second,
 * the time from a response to its row, a table of a million rows, and what the stack holds for it.
 */
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium, type Page } from "@playwright/test";
import { browserArguments, findBrowser } from "../../scripts/browser.ts";
import type { ConsoleOrder } from "./console-server.ts";
import { type Figure, figure, percentile } from "./figures.ts";

const PORT = 62_623;
const CONSOLE = `http://127.0.0.1:${PORT}`;
const VISITS = 11;
const RATE = 10_000;
const SECONDS = Number(process.env.HOMEBASE_BENCH_CONSOLE_SECONDS ?? 60);
const ROWS_TO_SCREEN = 200;
const MILLION = `create table public.million (id int primary key, title text not null, state text, added timestamptz default now());
insert into public.million (id, title, state) select n, 'row ' || md5(n::text), case when n % 9 = 0 then 'open' else 'done' end
  from generate_series(1, 1000000) n;
analyze public.million; create table public.notes (id int primary key)`;

/** Scripts of the page, as text: this file is one of Node's. When a row is first on the screen: */
const WATCH_ROWS = `window.seen = new Map();
(function look() {
  for (const row of document.querySelectorAll(".row .path")) {
    const [name] = /path-of-\\d+/.exec(row.textContent) ?? [];
    if (name && !seen.has(name)) seen.set(name, performance.timeOrigin + performance.now());
  }
  requestAnimationFrame(look);
})()`;
const WATCH_FRAMES = `{
  let last = performance.now();
  const next = (now) => {
    watched.frames.push(now - last);
    last = now;
    requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}`;
/** The first part of a stream is what was there before. */
const WATCH_STREAM = `window.watched = { frames: [], rows: 0, leftOut: 0, others: 0 };
const ask = window.fetch;
window.fetch = async (...given) => {
  const response = await ask(...given);
  if (given[0] !== "/api/feed" || !response.body) return response;
  const [own, copy] = response.body.tee();
  (async () => {
    let rest = "";
    let first = true;
    const reader = copy.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split("\\n");
      rest = lines.pop();
      for (const line of lines) {
        const { rows, leftOut, hidden, others } = JSON.parse(line);
        if (!first) {
          watched.rows += rows.length;
          watched.leftOut += leftOut;
          watched.others += others + hidden;
        }
        first = false;
      }
    }
  })();
  return new Response(own, response);
};`;

/** Looks in each frame: a locator looks again after up to half a second, which would be part of the figure. */
function untilThere(page: Page, selector: string, text: RegExp): Promise<void> {
  return page.evaluate<void>(`new Promise((found) => {
    (function look() {
      const text = document.querySelector(${JSON.stringify(selector)})?.textContent;
      if (text !== undefined && ${text}.test(text)) found();
      else requestAnimationFrame(look);
    })();
  })`);
}

/** The process under test, and a way to ask it. */
async function startServer(project: string) {
  const child = fork(join(import.meta.dirname, "console-server.ts"), [project, String(PORT)], {
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const heard = <T>() =>
    new Promise<T>((resolve, reject) => {
      const failed = (code: number | null) =>
        reject(new Error(`The process under test ended with code ${code}.`));
      child.once("exit", failed);
      child.once("message", (message) => {
        child.off("exit", failed);
        const { answer, error } = message as { answer: T; error?: string };
        if (error === undefined) resolve(answer);
        else reject(new Error(error));
      });
    });
  const { url, publishableKey } = await heard<{ url: string; publishableKey: string }>();
  return {
    url,
    publishableKey,
    ask: <T>(order: ConsoleOrder) => {
      const answer = heard<T>();
      child.send(order);
      return answer;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", resolve);
        child.disconnect();
      }),
  };
}

type Server = Awaited<ReturnType<typeof startServer>>;

export async function benchConsole(project: string): Promise<Figure[]> {
  const server = await startServer(project);
  const browser = await chromium.launch({ executablePath: findBrowser(), args: browserArguments });
  try {
    await server.ask({ do: "sql", text: MILLION });
    const held = async () => (await server.ask<{ held: number }>({ do: "memory" })).held;
    const before = await held();
    await server.ask({ do: "open" });
    const unopened = await held();
    const { useful, page } = await visits(server, browser);
    await page.goto("about:blank");
    await pause(1_000);
    const after = await held();
    return [
      figure("console: from the click to the first rows", "ms", useful, { value: 300, less: true }),
      figure("console: memory where it is never opened", "MB", [unopened - before], {
        value: 0.3,
        less: true,
      }),
      figure("console: memory after it was opened and closed", "MB", [after - before], {
        value: 8,
        less: true,
      }),
      ...(await million(page)),
      ...(await rowToScreen(server, page)),
      ...(await minute(server, page)),
    ];
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Each by a link of its own in a new browser context, which has nothing cached. */
async function visits(server: Server, browser: Browser) {
  const useful: number[] = [];
  await server.ask({ do: "load", rate: 200, seconds: 1 });
  for (;;) {
    const { link } = await server.ask<{ link: string }>({ do: "link" });
    const context = await browser.newContext();
    const page = await context.newPage();
    const began = performance.now();
    await page.goto(link, { waitUntil: "commit" });
    await untilThere(page, ".row", /./);
    useful.push(performance.now() - began);
    // The first one is the first request of the start, which loads the console's code.
    if (useful.length > VISITS) return { useful: useful.slice(1), page };
    await context.close();
  }
}

async function million(page: Page): Promise<Figure[]> {
  const cell = ".tbody .tr:first-child .td:first-child";
  const timed = async (name: string, act: () => Promise<unknown>, first: RegExp) => {
    const began = performance.now();
    await act();
    await untilThere(page, cell, first);
    return figure(`console: a million rows, ${name}`, "ms", [performance.now() - began], {
      value: 1_000,
      less: true,
    });
  };
  const filter = page.getByRole("searchbox");
  const figures = [await timed("open", () => page.goto(`${CONSOLE}/data/public.million`), /^1$/)];
  figures.push(await timed("next page", () => page.getByRole("button", { name: "Next" }).click(), /^101$/));
  figures.push(await timed("filter by key", () => filter.fill("id>999000"), /^999001$/));
  // md5('777777')
  figures.push(
    await timed(
      "filter by a text in all columns",
      () => filter.fill("f63f4fbc9f8c85d409f2f59f2b9e12d5"),
      /^777777$/,
    ),
  );
  await page.getByText(/^1 row$/).waitFor();
  await filter.fill("");
  await untilThere(page, cell, /^1$/);
  const sort = page.getByRole("button", { name: /^title/ });
  figures.push(await timed("sort by a column without an index", () => sort.click(), /^848775$/));
  return figures;
}

async function rowToScreen(server: Server, page: Page): Promise<Figure[]> {
  await page.goto(`${CONSOLE}/?q=path-of`);
  await page.getByText("Live", { exact: true }).waitFor();
  await page.evaluate(WATCH_ROWS);
  const answered = new Map<string, number>();
  for (let at = 0; at < ROWS_TO_SCREEN; at += 1) {
    // Names of their own, as requests that differ in values only are one row.
    const name = `path-of-${at}`;
    await fetch(`${server.url}/rest/v1/${name}`, { headers: { apikey: server.publishableKey } });
    answered.set(name, performance.timeOrigin + performance.now());
    await pause(37);
  }
  await pause(1_000);
  const seen = await page.evaluate<[string, number][]>("[...seen]");
  const times = seen.map(([name, at]) => at - (answered.get(name) ?? 0));
  if (times.length < ROWS_TO_SCREEN) throw new Error(`Only ${times.length} rows came to the screen.`);
  return [
    figure("console: from a response to its row, p95", "ms", [percentile(times, 0.95)], {
      value: 150,
      less: true,
    }),
    figure("console: from a response to its row", "ms", times),
  ];
}

/** What a page counts of its own stream and of its frames. */
interface Watched {
  frames: number[];
  rows: number;
  leftOut: number;
  others: number;
}

async function minute(server: Server, page: Page): Promise<Figure[]> {
  const load = { do: "load", rate: RATE, seconds: SECONDS } as const;
  await page.goto("about:blank");
  const alone = await server.ask<{ busy: number }>({ ...load, seconds: SECONDS / 6 });
  await page.addInitScript({ content: WATCH_STREAM });
  await page.goto(CONSOLE);
  await page.locator(".row").first().waitFor();
  await page.keyboard.press("x");
  await pause(500);
  await page.evaluate(WATCH_FRAMES);
  const { added, busy } = await server.ask<{ added: number; busy: number }>(load);
  await pause(1_500);
  const { frames, rows, leftOut, others } = await page.evaluate<Watched>("watched");
  const counted = rows + leftOut + others;
  const shown = Number(
    (/([\d,]+) left out/.exec(await page.locator(".foot").innerText())?.[1] ?? "0").replaceAll(",", ""),
  );
  return [
    figure("console: requests in a minute that were not counted", "", [added - counted], {
      value: 0,
      less: true,
    }),
    figure("console: left out on the page, of those that its stream said", "", [shown - leftOut], {
      value: 0,
      less: true,
    }),
    figure("console: frames over 50 ms meanwhile", "", [frames.filter((ms) => ms > 50).length], {
      value: 0,
      less: true,
    }),
    figure("console: frames meanwhile", "ms", frames),
    figure("console: processor of the stack for it, of one core", "", [busy - alone.busy], {
      value: 0.03,
      less: true,
    }),
  ];
}
