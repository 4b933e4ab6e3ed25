/** A static host's configuration besides the app's files. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { headersOf, hostHeaders, writeHostFiles } from "../../scripts/static-host.ts";

const PAGE = `<html><style>body{color:red}</style><script>start()</script><script type="module" src="/assets/a.js"></script></html>`;
const policyOf = (headers: ReturnType<typeof hostHeaders>) =>
  headers["/*"]?.["content-security-policy"] ?? "";

test("a script and a style of the page are allowed by their digests, and nothing by a keyword", () => {
  const digestOf = (text: string) => createHash("sha256").update(text).digest("base64");
  const policy = policyOf(hostHeaders(PAGE, "https://abc.supabase.co"));
  expect(policy).toContain(`script-src 'self' 'sha256-${digestOf("start()")}';`);
  expect(policy).toContain(`style-src 'self' 'sha256-${digestOf("body{color:red}")}' `);
  expect(policy).not.toMatch(/unsafe-|\s\*|https:\s/);
  expect(policy).toContain("connect-src 'self' blob: https://abc.supabase.co wss://abc.supabase.co;");
});

test("a map's address is allowed where there is one", () => {
  const policy = policyOf(hostHeaders(PAGE, "https://abc.supabase.co", ["https://tiles.example/style.json"]));
  expect(policy).toMatch(/img-src [^;]*https:\/\/tiles\.example;/);
  expect(policy).toMatch(/connect-src [^;]*https:\/\/tiles\.example;/);
});

test("hashed files are kept for good, with the security headers of every other path", () => {
  const headers = hostHeaders(PAGE, "https://abc.supabase.co");
  expect(headersOf(headers, "/assets/a.js")).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
  });
  expect(headersOf(headers, "/index.html")["cache-control"]).toBe("no-cache");
});

test("the files for a host hold the headers and the fallback", () => {
  const folder = mkdtempSync(join(tmpdir(), "static-host-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeHostFiles(folder, "https://abc.supabase.co");
  const text = readFileSync(join(folder, "_headers"), "utf8");
  expect(text).toMatch(/^\/\*\n {2}content-security-policy: default-src 'none'/);
  expect(text).toContain("/assets/*\n  ! cache-control\n  cache-control: public");
  expect(readFileSync(join(folder, "_redirects"), "utf8")).toBe("/* /index.html 200\n");
  expect(JSON.parse(readFileSync(join(folder, "headers.json"), "utf8"))["/*"]).toBeDefined();
});

test.each([
  ["a secret key", "sb_secret_abc"],
  ["a legacy key of service_role", `x.${Buffer.from('{"role":"service_role"}').toString("base64url")}.y`],
])("%s is never built into the app", (_name, key) => {
  const script = join(import.meta.dirname, "..", "..", "scripts", "deploy-web.ts");
  const { status, stderr } = spawnSync(
    process.execPath,
    [script, "--url", "https://abc.supabase.co", "--key", key],
    { encoding: "utf8" },
  );
  expect(status).toBe(2);
  expect(stderr).toContain("This is a secret key");
});
