/** What attacks the console from pages that a developer's browser has open, in a real browser. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContext, chromium, type Page } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { findBrowser, testBrowserArguments } from "../../../../scripts/browser.ts";
import { Project } from "../../../test/cli/project.ts";
import { attack, CALLS } from "./attack.ts";
import { Stage } from "./stage.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const HOSTILE = "<img src=x onerror=alert(1)>";
const stage = new Stage({
  "functions/page/index.ts": `Deno.serve((request) =>
  new Response(atob(new URL(request.url).searchParams.get("html") ?? ""), { headers: { "content-type": "text/html" } }));`,
  "migrations/20260102000000_hostile.sql": `create table public."${HOSTILE}" (id int primary key, note text);
alter table public."${HOSTILE}" enable row level security;
insert into public."${HOSTILE}" values (1, 'javascript:alert(1)'), (2, E'\\u202Egnp.exe');
create policy "<svg onload=alert(1)>" on public."${HOSTILE}" for select to authenticated using (note = '${HOSTILE}');`,
  "config.toml": 'project_id = "attacked"\n[functions.page]\nverify_jwt = false\n',
});
let attacker: Server;
let foreign = "";
const hits: string[] = [];
let served = "";

beforeAll(async () => {
  attacker = createServer((request, response) => {
    hits.push(request.url ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end(served);
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  foreign = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;
});
afterAll(() => attacker.close());

/** A page that attacks as it loads, with the token that a thief would have. */
async function hostilePage(): Promise<string> {
  const token = await stage.page.evaluate(() => sessionStorage.getItem("token") ?? "");
  const given = JSON.stringify([stage.console, token, CALLS]);
  return `<!doctype html><title>waiting</title><body><script>document.title = "begun"; (${attack})(...${given})
    .then(JSON.stringify, (error) => JSON.stringify({ failed: String(error) })).then((won) => { document.title = won; })</script>`;
}

/** What a context's pages were let in to. */
function answered(context: BrowserContext): string[] {
  const found: string[] = [];
  context.on("response", (response) => {
    const { pathname, origin } = new URL(response.url());
    if (origin === stage.console && response.request().method() !== "GET" && response.ok())
      found.push(pathname);
  });
  return found;
}

/** Opens an address in a context of its own. @returns what the attack won, or "no script" where none ran */
async function attacked(address: string, before?: (page: Page) => Promise<void>): Promise<unknown> {
  const context = await stage.browser.newContext();
  const letIn = answered(context);
  const page = await context.newPage();
  await before?.(page);
  await page.goto(address);
  // It begins while the page is parsed.
  const ran = /^(begun$|\{)/.test(await page.title());
  const done = () => document.title.startsWith("{") && document.title;
  const title = ran && (await page.waitForFunction(done, undefined, { timeout: 120_000 }));
  const won: unknown = title ? JSON.parse(String(await title.jsonValue())) : "no script";
  await context.close();
  return { won, letIn };
}

const NOTHING_WON = {
  won: { read: [], frame: "closed", opener: "closed", channel: "nothing", worker: "failed" },
  letIn: [],
};

describe("every call, with a stolen token, is refused to", () => {
  test("a page of another port of this machine", async () => {
    served = await hostilePage();
    expect(await attacked(foreign)).toEqual(NOTHING_WON);
  });

  test("a name that was made to lead here", async () => {
    const port = new URL(stage.console).port;
    const rebound = await chromium.launch({
      executablePath: findBrowser("shell"),
      args: [...testBrowserArguments, "--host-resolver-rules=MAP evil.example 127.0.0.1"],
    });
    const context = await rebound.newContext();
    const page = await context.newPage();
    const statuses: number[] = [];
    page.on("response", (response) => statuses.push(response.status()));
    await page.goto(`http://evil.example:${port}/`);
    const read = await page.evaluate(
      async ([names, token]) => {
        const all = (names as string[]).map((name) =>
          fetch(name, {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
            body: "{}",
          }).then(({ status }) => status),
        );
        return Promise.all(all);
      },
      [CALLS, await stage.page.evaluate(() => sessionStorage.getItem("token") ?? "")],
    );
    await rebound.close();
    expect([...new Set([...statuses, ...read])]).toEqual([403]);
  });

  test.each([
    ["HTML", "a.html", "text/html"],
    ["a picture with a script", "a.svg", "image/svg+xml"],
  ])("%s in a public bucket", async (_name, file, type) => {
    const storage = createClient(stage.project.url, stage.project.secret).storage;
    await storage.createBucket("open", { public: true });
    const html = await hostilePage();
    const script = html.slice(html.indexOf("<script>") + 8, html.indexOf("</script>"));
    const text =
      type === "text/html"
        ? html
        : `<svg xmlns="http://www.w3.org/2000/svg"><title>x</title><script><![CDATA[${script}]]></script></svg>`;
    await storage.from("open").upload(file, new Blob([text], { type }), { contentType: type, upsert: true });
    const { won, letIn } = (await attacked(`${stage.project.url}/storage/v1/object/public/open/${file}`)) as {
      won: unknown;
      letIn: string[];
    };
    expect(letIn).toEqual([]);
    expect([won]).toContainEqual(won === "no script" ? won : NOTHING_WON.won);
  });

  test("a function's page", async () => {
    const html = Buffer.from(await hostilePage()).toString("base64");
    const { won, letIn } = (await attacked(
      `${stage.project.url}/functions/v1/page?html=${encodeURIComponent(html)}`,
    )) as { won: unknown; letIn: string[] };
    expect(letIn).toEqual([]);
    expect([won]).toContainEqual(won === "no script" ? won : NOTHING_WON.won);
  });
});

test("what the database and its rows are called runs nothing in the page", async () => {
  const alarms: string[] = [];
  stage.page.on("dialog", (dialog) => {
    alarms.push(dialog.message());
    void dialog.dismiss();
  });
  stage.page.on("console", (message) => {
    if (message.type() === "error") alarms.push(message.text());
  });
  await stage.call(`/rest/v1/${encodeURIComponent(HOSTILE)}?note=neq.${encodeURIComponent(HOSTILE)}`);
  await stage.row("onerror").last().click();
  await stage.page.locator(".reasons", { hasText: "<svg onload=alert(1)>" }).waitFor();
  await stage.page.keyboard.press("r");
  await stage.page.getByRole("textbox", { name: "Path" }).waitFor();
  await stage.page.getByRole("combobox", { name: "As" }).selectOption("secret");
  await stage.page.getByRole("button", { name: "Send request" }).click();
  await stage.page.locator(".pane pre", { hasText: "javascript:alert(1)" }).waitFor();
  await stage.page.keyboard.press("Control+k");
  await stage.page.getByRole("option", { name: HOSTILE }).first().waitFor();
  await stage.page.goto(`${stage.console}/data/${encodeURIComponent(`public.${HOSTILE}`)}`);
  await stage.page.locator(".grid .td").first().click();
  await stage.page.locator(".pane .values-of").waitFor();
  expect([alarms, await stage.page.locator("img, svg[onload], a[href^=javascript]").count()]).toEqual([
    [],
    0,
  ]);
});

test("the token is in no address and no referrer of what the page asks for", async () => {
  const token = await stage.page.evaluate(() => sessionStorage.getItem("token") ?? "");
  const seen: string[] = [];
  stage.page.on("request", (request) => {
    const { authorization: _, ...headers } = request.headers();
    seen.push(request.url(), JSON.stringify(headers));
  });
  await stage.call("/rest/v1/notes?select=id");
  await stage.row("select=id").last().click();
  await stage.page.reload();
  await stage.page.getByText("Live", { exact: true }).waitFor();
  expect(seen.length).toBeGreaterThan(4);
  expect(seen.filter((one) => one.includes(token) || /"referer":"[^"]/.test(one))).toEqual([]);
});

test("eight tabs of one browser all live: those that nobody sees give their stream back", async () => {
  const pages = [stage.page];
  const hide = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, "hidden", { get: () => true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
  for (let at = 1; at < 8; at += 1) {
    await hide(pages.at(-1) as Page);
    const page = await stage.context.newPage();
    await page.goto(stage.console);
    await page.getByText("Live", { exact: true }).waitFor();
    pages.push(page);
  }
  await stage.call("/rest/v1/teams?select=id");
  await pages.at(-1)?.locator(".row", { hasText: "teams" }).last().waitFor();
});

test("a second start on the same ports does not open, and the page of the first goes on", async () => {
  const second = new Project({}, undefined, stage.project.offset);
  const { ready, output } = await second.tryStart();
  await second.remove();
  expect([ready, output]).toEqual([false, expect.stringMatching(/already in use/)]);
  await stage.call("/rest/v1/teams?select=name");
  await stage.row("select=name").last().waitFor();
});
