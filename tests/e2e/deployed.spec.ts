/**
 * The deployed app: its backend deployed to a stand-in for a hosted project, the client built for it and
 * served with a static host's headers. Detects anything that those headers block.
 */
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, type Page, test } from "@playwright/test";
import { createClient } from "@supabase/supabase-js";
import { deploy } from "homebase-stack/deploy";
import { type Hosted, startHosted } from "homebase-stack/hosted";
import { build } from "vite";
import { writeEdgeWorker } from "../../scripts/edge-worker.ts";
import { type HostHeaders, headersOf, writeHostFiles } from "../../scripts/static-host.ts";
import { type Host, serveBuild } from "../norms/host.ts";

let hosted: Hosted;
let host: Host;
let headers: HostHeaders;
let folder: string;

test.describe.configure({ mode: "serial" });
test.use({ serviceWorkers: "allow" });

test.beforeAll(async () => {
  test.setTimeout(120_000);
  folder = await mkdtemp(join(tmpdir(), "nosh-deployed-"));
  hosted = await startHosted({ projectFolder: process.cwd(), ref: "productionprojectref" });
  const result = await deploy({
    projectFolder: process.cwd(),
    ref: hosted.project.ref,
    accessToken: hosted.management.accessToken,
    apiUrl: hosted.management.url,
    projectUrl: hosted.project.url,
    databaseUrl: hosted.databaseUrl,
    cluster: async () => hosted.project.cluster,
    agree: async () => true,
    environment: { ...process.env, NOSH_SITE_URL: "https://nosh.example" },
  });
  expect(result.failure).toBeUndefined();
  expect(result.outcome).toBe("deployed");
  process.env.VITE_SUPABASE_URL = hosted.project.url;
  process.env.VITE_SUPABASE_PUBLISHABLE_KEY = hosted.project.keys.publishableKey;
  process.env.NODE_ENV = "production";
  await build({
    root: join(process.cwd(), "web"),
    mode: "production",
    logLevel: "error",
    build: { outDir: folder, emptyOutDir: true, sourcemap: false },
  });
  headers = writeHostFiles(folder, hosted.project.url);
  await writeEdgeWorker(
    folder,
    { url: hosted.project.url, publishableKey: hosted.project.keys.publishableKey },
    headers,
  );
  host = await serveBuild(folder, 0, (path) => headersOf(headers, path));
});
test.afterAll(async () => {
  await host?.close();
  await hosted?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Violations of the page's content security policy so far. */
async function forbidden(page: Page): Promise<string[]> {
  return page.evaluate(() => (window as { forbidden?: string[] }).forbidden ?? []);
}

async function open(page: Page, path: string): Promise<void> {
  await page.addInitScript(() => {
    const seen: string[] = [];
    Object.assign(window, { forbidden: seen });
    document.addEventListener("securitypolicyviolation", (event) => {
      seen.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(`${host.url}${path}`);
}

/** Signs in with a mailed code, as a new user of a project with confirmed addresses. */
async function signInByCode(page: Page, email: string): Promise<void> {
  await page.getByRole("tab", { name: /code/i }).click();
  await page.getByRole("textbox", { name: "Email" }).fill(email);
  await page.getByRole("button", { name: "Send code" }).click();
  const field = page.getByRole("textbox", { name: "Code from the email" });
  await expect(field).toBeVisible();
  const mail = hosted.project.mails.findLast(({ to }) => to[0]?.address === email);
  await field.fill(/\d{6}/.exec(mail?.subject ?? "")?.[0] ?? "no code");
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("the page, a path of the app and a file have the headers of a hosted app", async ({ request }) => {
  const page = await request.get(`${host.url}/`);
  const policy = page.headers()["content-security-policy"] ?? "";
  expect(policy).not.toContain("unsafe-inline");
  expect(policy).not.toContain("unsafe-eval");
  expect(policy).toMatch(/script-src 'self' 'sha256-/);
  expect(policy).toContain(`connect-src 'self' blob: ${hosted.project.url} ws:`);
  expect(policy).toContain("frame-ancestors 'none'");
  for (const [name, value] of [
    ["strict-transport-security", /max-age=63072000/],
    ["x-content-type-options", /^nosniff$/],
    ["x-frame-options", /^DENY$/],
    ["referrer-policy", /^strict-origin-when-cross-origin$/],
    ["permissions-policy", /geolocation=\(self\).*camera=\(\)/],
    ["cache-control", /^no-cache$/],
  ] as const) {
    expect([name, page.headers()[name]]).toEqual([name, expect.stringMatching(value)]);
  }
  const deep = await request.get(`${host.url}/plans/any`);
  expect(deep.status()).toBe(200);
  expect(await deep.text()).toBe(await page.text());
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
  const asset = await request.get(`${host.url}${script}`);
  expect(asset.headers()["cache-control"]).toContain("immutable");
  expect(asset.headers()["content-security-policy"]).toBe(policy);
});

test("a chat's robot reads title, host and picture of an invite link and a plan's link from the page itself", async () => {
  const client = createClient(hosted.project.url, hosted.project.keys.publishableKey);
  await client.auth.signInAnonymously({ options: { data: { display_name: "Ines Sol" } } });
  const { data: plan } = await client.rpc("create_plan", {
    title: 'Soup & "bread"',
    time_zone: "Europe/Lisbon",
  });
  const { data: invites } = await client.rpc("create_invite", { plan });
  // Without a package.json beside it, Node takes a .js file for CommonJS.
  await copyFile(join(folder, "_worker.js"), join(folder, "worker.mjs"));
  const worker = (await import(pathToFileURL(join(folder, "worker.mjs")).href)) as {
    default: { fetch(request: Request, host: unknown): Promise<Response> };
  };
  const ASSETS = { fetch: (request: Request) => fetch(request) };
  const load = async (path: string) => {
    const request = new Request(`${host.url}${path}`, { headers: { "user-agent": "a robot" } });
    const response = await worker.default.fetch(request, { ASSETS });
    expect([response.status, response.headers.get("x-frame-options")]).toEqual([200, "DENY"]);
    return response.text();
  };
  const page = await load(`/join/${invites[0].token}`);
  expect(page).toContain("<title>Soup &#38; &#34;bread&#34; · Nosh</title>");
  expect(page).toContain(
    '<meta property="og:description" content="Ines invites you. When and where are still open. 1 person has joined." />',
  );
  const [, address = ""] = /<meta property="og:image" content="([^"]+)"/.exec(page) ?? [];
  const picture = await fetch(address.replaceAll("&#38;", "&"));
  expect([picture.status, picture.headers.get("content-type")]).toEqual([200, "image/png"]);
  expect((await picture.arrayBuffer()).byteLength).toBeGreaterThan(10_000);

  expect(await load("/join/nonsense")).not.toContain("og:title");
  const own = await load(`/plans/${plan}`);
  expect(own).toContain("<title>Soup &#38; &#34;bread&#34; · Nosh</title>");
  expect(own).toContain('<meta property="og:description" content="Hosted by Ines. 1 person has joined." />');
  expect(await load("/plans/new")).not.toContain("og:title");
});

test("a new person signs in by the code of a mail and looks around; nothing of the app is forbidden", async ({
  page,
}) => {
  // Six screens, each loaded anew.
  test.setTimeout(90_000);
  await open(page, "/sign-in?next=%2Fhome");
  await signInByCode(page, "newcomer@example.org");
  await page.waitForURL(`${host.url}/home`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  for (const path of ["/places", "/me", "/plans/new", "/home"]) {
    await page.goto(`${host.url}${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    // Its first press lets the components insert their styles.
    await page.keyboard.press("Tab");
    expect(await forbidden(page)).toEqual([]);
  }
  // The map's worker and Realtime's sockets are allowed too.
  await page.goto(`${host.url}/places`);
  const socket = page.waitForEvent("websocket", (one) =>
    one.url().startsWith(hosted.project.url.replace("http", "ws")),
  );
  await page.goto(`${host.url}/home`);
  await socket;
  expect(await forbidden(page)).toEqual([]);
  const { rows } = await hosted.project.database.query(
    "postgres",
    "select count(*)::int as people from public.profiles where not is_guest",
  );
  expect(rows).toEqual([{ people: 1 }]);
});

test("a script that somebody puts into the page does not run", async ({ page }) => {
  await open(page, "/");
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.ran = true";
    document.body.append(script);
    return (window as { ran?: boolean }).ran ?? false;
  });
  expect(ran).toBe(false);
  expect((await forbidden(page)).join()).toContain("script-src-elem: inline");
});
