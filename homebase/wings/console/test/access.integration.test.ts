/** The way into the console, and what attacks it: plain requests, and pages of other origins in a real browser. */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium } from "@playwright/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findBrowser, testBrowserArguments } from "../../../../scripts/browser.ts";
import { Project } from "../../../test/cli/project.ts";
import type { Entered } from "../server/api.ts";
import { linkOf } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const project = new Project();
const port = 54_323 + project.offset;
const own = `http://127.0.0.1:${port}`;
let browser: Browser;
let attacker: Server;
let foreign = "";

beforeAll(async () => {
  await project.start();
  browser = await chromium.launch({ executablePath: findBrowser("shell"), args: testBrowserArguments });
  attacker = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end("<body>"),
  );
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  foreign = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  attacker.close();
  await project.remove();
});

const link = () => linkOf(project);
const codeOf = (address: string) => new URL(address).hash.slice(1);
const HEADERS = { origin: own, "content-type": "application/json" };

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** A request with any headers, the Host's included. */
function send(method: string, path: string, headers: Record<string, string> = {}, body = ""): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: "127.0.0.1", port, method, path, headers: { host: `127.0.0.1:${port}`, ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send("POST", path, { ...HEADERS, ...headers }, JSON.stringify(body));

/** An upload to a bucket that is not there. */
const put = (token: string, headers: Record<string, string>) =>
  send("PUT", "/upload", {
    ...{ origin: own, "content-type": "application/octet-stream", authorization: `Bearer ${token}` },
    "x-ask": encodeURIComponent(
      JSON.stringify({
        as: { kind: "postgres" },
        bucket: "none",
        path: "a",
        type: "text/plain",
        replace: false,
      }),
    ),
    ...headers,
  });

async function enter(): Promise<string> {
  const { text } = await post("/enter", { code: codeOf(await link()) });
  return JSON.parse(text).token as string;
}

describe("a link", () => {
  test("has a code of 22 characters in its fragment, which is used once", async () => {
    const address = (await project.run("console")).stdout.trim();
    expect(address).toMatch(new RegExp(`^${own}/#[\\w-]{22}$`));
    expect((await post("/enter", { code: codeOf(address) })).status).toBe(200);
    const again = await post("/enter", { code: codeOf(address) });
    expect([again.status, JSON.parse(again.text).error.message]).toEqual([
      401,
      expect.stringMatching(/used before/),
    ]);
  });

  test("gives each page the token of this start", async () => {
    const [one, two] = [await enter(), await enter()];
    expect([one, one.length]).toEqual([two, 43]);
  });

  test("is answered with the first view of the page's filter, and not used up by a filter that is refused", async () => {
    await fetch(`${project.url}/rest/v1/first-view`, { headers: { apikey: project.key } });
    const code = codeOf(await link());
    expect((await post("/enter", { code, filter: "x".repeat(501) })).status).toBe(400);
    const views = async (filter: string, code: string) => {
      const { about, part } = JSON.parse((await post("/enter", { code, filter })).text) as Entered;
      return [about.url, part.rows.map(({ name }) => name)];
    };
    await expect
      .poll(async () => views("first-view", codeOf(await link())))
      .toEqual([project.url, ["first-view"]]);
    expect(await views("nothing like it", code)).toEqual([project.url, []]);
  });

  test("is not printed by a start whose output is no terminal", () => {
    expect(project.output).not.toContain(String(port));
  });

  test("cannot be guessed: wrong codes are answered one a second", async () => {
    const began = performance.now();
    const guesses = await Promise.all(["", "x", "A".repeat(22)].map((code) => post("/enter", { code })));
    expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(performance.now() - began).toBeGreaterThan(2_500);
  });
});

describe("every call, and an upload,", () => {
  test.each([
    ["another Host", { host: `evil.example:${port}` }],
    ["a Host without its port", { host: "127.0.0.1" }],
    ["the name localhost", { host: `localhost:${port}` }],
    ["another Origin", { origin: "http://127.0.0.1:54321" }],
    ["an Origin by name", { origin: `http://localhost:${port}` }],
    ["a null Origin", { origin: "null" }],
    ["another site", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { "sec-fetch-site": "same-site" }],
    ["a form's type", { "content-type": "text/plain" }],
    ["no token", { authorization: "" }],
    ["another token", { authorization: `Bearer ${"A".repeat(43)}` }],
  ])("is refused with %s", async (_name, headers) => {
    const token = await enter();
    const { status, headers: answered } = await post(
      "/api/about",
      {},
      { authorization: `Bearer ${token}`, ...headers },
    );
    expect([401, 403, 415]).toContain(status);
    expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const file = await put(token, headers);
    expect(file.status).toBe(status);
  });

  test("of a file is let in with all of it, and takes no other type, no other method and no question that is none", async () => {
    const token = await enter();
    expect((await put(token, {})).text).toContain("Bucket not found");
    const refused = [
      await put(token, { "content-type": "application/json" }),
      await put(token, { "content-type": "multipart/form-data; boundary=x" }),
      await put(token, { "x-ask": "{" }),
      await put(token, { "x-ask": encodeURIComponent('{"bucket":"a"}') }),
      await post("/upload", {}, { authorization: `Bearer ${token}` }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([415, 415, 400, 400, 405]);
  });

  test("is refused without an Origin, and let in with all of it", async () => {
    const token = await enter();
    const bare = await send(
      "POST",
      "/api/about",
      { "content-type": "application/json", authorization: `Bearer ${token}` },
      "{}",
    );
    const whole = await post("/api/about", {}, { authorization: `Bearer ${token}` });
    expect([bare.status, whole.status, JSON.parse(whole.text).url]).toEqual([403, 200, project.url]);
  });

  test.each([
    ["OPTIONS", "/api/about", 405],
    ["PUT", "/api/about", 405],
    ["PUT", "/api/file", 405],
    ["GET", "/upload", 404],
    ["DELETE", "/upload", 405],
    ["GET", "/api/about", 404],
    ["GET", "/../wing.ts", 404],
    ["GET", "/%2e%2e/wing.ts", 404],
    ["TRACE", "/", 405],
  ])("has no other way: %s %s responds %i", async (method, path, status) => {
    expect((await send(method, path, { authorization: `Bearer ${await enter()}` })).status).toBe(status);
  });

  test("takes no body of 100 MB, no filter of 1 MB and no name of an object's own members", async () => {
    const authorization = `Bearer ${await enter()}`;
    const large = await fetch(`${own}/api/about`, {
      method: "POST",
      headers: { ...HEADERS, authorization },
      body: new Uint8Array(100 * 1024 ** 2),
    });
    const filter = await post("/api/feed", { filter: "x".repeat(60_000) }, { authorization });
    const inherited = await post("/api/constructor", {}, { authorization });
    expect([large.status, filter.status, inherited.status]).toEqual([413, 400, 404]);
  });

  test("ends at sixteen open streams, and closed ones make room", async () => {
    const authorization = `Bearer ${await enter()}`;
    const open = async () => {
      const end = new AbortController();
      // Kept whole: fetch closes the stream of a response that nothing holds any more.
      const response = await fetch(`${own}/api/feed`, {
        method: "POST",
        headers: { ...HEADERS, authorization },
        body: "{}",
        signal: end.signal,
      });
      return { response, end };
    };
    const streams = await Promise.all(Array.from({ length: 24 }, open));
    const refused = streams.filter(({ response }) => response.status === 429).length;
    for (const { end } of streams) end.abort();
    expect(refused).toBe(8);
    await expect
      .poll(async () => {
        const one = await open();
        one.end.abort();
        return one.response.status;
      })
      .toBe(200);
  });
});

test("the page has exactly the headers that keep others out", async () => {
  const { headers } = await send("GET", "/");
  expect(headers).toMatchObject({
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; font-src 'self'; frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
  });
});

test("a reader of an unknown address gets the page, which says so, and a program an error", async () => {
  const reader = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  const read = async (path: string, headers = {}) => {
    const { status, headers: answered } = await send("GET", path, headers);
    return [status, answered["content-type"]];
  };
  const page = "text/html; charset=utf-8";
  expect(await read("/nothing/here", reader)).toEqual([404, page]);
  expect(await read("/wing.ts", reader)).toEqual([404, page]);
  expect(await read("/nothing/here")).toEqual([404, "application/json; charset=utf-8"]);
  for (const path of ["/api/about", "/api/", "/enter", "/upload", "/frame/x"])
    expect([path, ...(await read(path, reader))]).toEqual([path, 404, "application/json; charset=utf-8"]);
  for (const path of ["/data", "/data/", "/sql/", "/stack/"]) expect(await read(path)).toEqual([200, page]);
});

test("other names of this machine lead to its one address", async () => {
  const { status, headers } = await send("GET", "/?q=x", { host: `localhost:${port}` });
  expect([status, headers.location]).toEqual([308, `${own}/?q=x`]);
});

/** Opens the console in a context of its own, entered. */
async function opened(context: BrowserContext) {
  const page = await context.newPage();
  await page.goto(await link());
  await page.getByText("Nothing yet.").or(page.getByRole("grid")).first().waitFor();
  return page;
}

describe("in a browser", () => {
  test("the code leaves the address and the history, and the token is in neither", async () => {
    const context = await browser.newContext();
    const page = await opened(context);
    const seen = await page.evaluate(() => ({
      href: location.href,
      entries: history.length,
      token: sessionStorage.getItem("token") ?? "",
      cookie: document.cookie,
      local: JSON.stringify({ ...localStorage }),
    }));
    expect(seen.href).toBe(`${own}/`);
    expect(seen.token).toHaveLength(43);
    expect([seen.cookie, seen.local]).toEqual(["", "{}"]);
    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();
    await context.close();
  });

  test("a second tab enters by the first one, and a used link says so", async () => {
    const context = await browser.newContext();
    const address = await link();
    const first = await context.newPage();
    await first.goto(address);
    await first.getByText("Live", { exact: true }).waitFor();
    const second = await context.newPage();
    await second.goto(own);
    await second.getByText("Live", { exact: true }).waitFor();
    const stranger = await browser.newContext();
    const third = await stranger.newPage();
    await third.goto(address);
    await third.getByRole("alert").getByText("used before").waitFor();
    await Promise.all([context.close(), stranger.close()]);
  });

  test("an address of a view alone leads to its first list, and an unknown one says so with a way back", async () => {
    const context = await browser.newContext();
    const page = await opened(context);
    for (const [path, list] of [
      ["/data/", "/data/users"],
      ["/data", "/data/users"],
      ["/sql/", "/sql"],
      ["/stack/", "/stack/policies"],
      ["/index.html?q=is:failed", "/"],
    ] as const) {
      await page.goto(own + path);
      await page
        .getByRole("searchbox")
        .or(page.getByRole("textbox", { name: "SQL" }))
        .waitFor();
      expect([path, new URL(page.url()).pathname]).toEqual([path, list]);
    }
    await page.goto(`${own}/feed/<b>`);
    await page.getByText("The console has no page /feed/%3Cb%3E.").waitFor();
    await page.getByRole("button", { name: "Open the Feed" }).click();
    await page.getByRole("searchbox").waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Feed");
    await context.close();
  });

  test("a page of another port of this machine makes no call, reads nothing and frames nothing", async () => {
    const context = await browser.newContext();
    const console = await opened(context);
    const asked: string[] = [];
    const token = await console.evaluate(() => sessionStorage.getItem("token"));
    const page = await context.newPage();
    await page.goto(foreign);
    page.on("response", (response) => {
      if (response.url().startsWith(own)) asked.push(`${response.request().method()} ${response.status()}`);
    });
    const outcome = await page.evaluate(
      async ([target, stolen]) => {
        const result: Record<string, unknown> = {};
        const call = (name: string, init: RequestInit) =>
          fetch(`${target}/api/about`, init).then(
            async (response) => {
              result[name] = response.type === "opaque" ? "opaque" : await response.text();
            },
            () => {
              result[name] = "failed";
            },
          );
        const json = { "content-type": "application/json", authorization: `Bearer ${stolen}` };
        await call("fetch", { method: "POST", headers: json, body: "{}" });
        await call("simple", { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
        await call("no-cors", { method: "POST", mode: "no-cors", body: "{}" });
        await call("get", { method: "GET" });
        result.storage = sessionStorage.getItem("token");
        const heard = new Promise((resolve) => {
          const channel = new BroadcastChannel("console");
          channel.onmessage = ({ data }) => resolve(data);
          channel.postMessage({ kind: "ask" });
          setTimeout(() => resolve("nothing"), 500);
        });
        result.channel = await heard;
        const frame = document.createElement("iframe");
        frame.src = target ?? "";
        document.body.append(frame);
        await new Promise((resolve) => frame.addEventListener("load", resolve));
        result.frame = (() => {
          try {
            return frame.contentDocument?.body.innerHTML ?? "closed";
          } catch {
            return "closed";
          }
        })();
        const opened = window.open(target ?? "");
        // The page's own policy ends the tie between both windows when it loads.
        for (let tries = 0; opened && !opened.closed && tries < 200; tries += 1)
          await new Promise((resolve) => setTimeout(resolve, 20));
        result.opener = (() => {
          try {
            return opened?.closed ? "severed" : (opened?.document.title ?? "closed");
          } catch {
            return "closed";
          }
        })();
        result.script = await new Promise((resolve) => {
          const script = document.createElement("script");
          script.src = `${target}/index.html`;
          script.onload = () => resolve("loaded");
          script.onerror = () => resolve("failed");
          document.body.append(script);
        });
        result.worker = await navigator.serviceWorker.register(`${target}/sw.js`).then(
          () => "registered",
          () => "failed",
        );
        const form = document.createElement("form");
        form.method = "post";
        form.action = `${target}/enter`;
        form.target = "_blank";
        document.body.append(form);
        form.submit();
        return result;
      },
      [own, token],
    );
    expect(outcome).toEqual({
      fetch: "failed",
      simple: "failed",
      "no-cors": "failed",
      get: "failed",
      storage: null,
      channel: "nothing",
      frame: "closed",
      opener: expect.stringMatching(/severed|closed/),
      script: "failed",
      worker: "failed",
    });
    // Of what reached the port, nothing that changes or reads was let in.
    expect(asked.filter((one) => one.startsWith("POST") && /2\d\d$/.test(one))).toEqual([]);
    expect(await console.evaluate(() => location.href)).toBe(`${own}/`);
    await context.close();
  });

  test("what requests carry is text: names of tables, users and errors as HTML run nothing", async () => {
    const context = await browser.newContext();
    const page = await opened(context);
    const alarms: string[] = [];
    page.on("dialog", (dialog) => {
      alarms.push(dialog.message());
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (message.type() === "error") alarms.push(message.text());
    });
    const names = [
      "<img src=x onerror=alert(1)>",
      "javascript:alert(1)",
      "\u202Egnp.exe",
      "\u001b[31mred",
      "a%00b",
      "%E0%A4%A",
    ];
    for (const name of names) {
      const path = `${name.includes("%") ? name : encodeURIComponent(name)}?select=${encodeURIComponent(name.replaceAll("%", ""))}`;
      await fetch(`${project.url}/rest/v1/${path}`, { headers: { apikey: project.key } });
    }
    const rows = page.locator(".row");
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(names.length);
    for (let at = 0; at < (await rows.count()); at += 1) {
      await rows.nth(at).click();
      await page.locator(".pane .facts").waitFor();
    }
    expect([alarms, await page.locator(".row img, .pane img, .row script").count()]).toEqual([[], 0]);
    await context.close();
  });
});

test("neither codes nor the token are in a file or the log of the project", async () => {
  const secrets = [await enter(), codeOf(await link())];
  const read = (folder: string): string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      const found = statSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory()) return name === "data" ? [] : read(path);
      return found?.isFile() ? [readFileSync(path, "latin1")] : [];
    });
  const texts = [...read(join(project.folder, ".homebase")), project.output];
  expect(texts.length).toBeGreaterThan(1);
  for (const secret of secrets) expect(texts.some((text) => text.includes(secret))).toBe(false);
});

test("the console's own requests are not in the record", async () => {
  await enter();
  const { stdout } = await project.run("requests", "--json");
  expect(stdout).not.toMatch(/\/api\/|\/enter/);
});

describe("a start", () => {
  test("of another project beside it refuses the same port in config.toml", async () => {
    const other = new Project({ "config.toml": `project_id = "other"\n[studio]\nport = ${54_321}\n` });
    const { code, stderr, stdout } = await other.run("start");
    expect([code, stderr + stdout]).toEqual([
      1,
      expect.stringMatching(/gives port \d+ to both API and console/),
    ]);
    await other.remove();
  });

  test.each([
    ["[studio] enabled = false", 'project_id = "off"\n[studio]\nenabled = false\n', []],
    ["-x studio", 'project_id = "off"\n', ["-x", "studio"]],
  ])("leaves it out with %s, and the command says so", async (_name, config, options) => {
    const off = new Project({ "config.toml": config });
    await off.start(...options);
    const answered = await fetch(`http://127.0.0.1:${54_323 + off.offset}/`).catch(() => "nothing");
    const { code, stderr } = await off.run("console");
    const meta = await fetch(`${off.url}/pg/tables`, { headers: { apikey: off.secret } });
    expect([answered, code, stderr]).toEqual(["nothing", 1, expect.stringMatching(/has no console/)]);
    expect(meta.status).toBe(options.length === 0 ? 503 : 200);
    await off.remove();
  });
});

test("the token ends with the stack", async () => {
  const before = await enter();
  await project.stop();
  await project.start();
  expect((await post("/api/about", {}, { authorization: `Bearer ${before}` })).status).toBe(401);
});
