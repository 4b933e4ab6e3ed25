/** Wings that can be left out: without its folder and its lines in wings/index.ts, the rest is as it was. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { wings } from "../../wings/index.ts";
import { Project } from "../cli/project.ts";

const root = join(import.meta.dirname, "..", "..", "..");

const folder = mkdtempSync(join(tmpdir(), "homebase-wings-"));
const project = new Project({
  "config.toml": `project_id = "wings"
[auth.oauth_server]
enabled = true
[auth.web3.solana]
enabled = true
[storage.vector]
enabled = true
`,
});

/** The sources without wings, with the packages that they import. */
function copyWithoutWings(): string {
  const copy = join(folder, "copy");
  mkdirSync(join(copy, "homebase"), { recursive: true });
  for (const path of ["src", "wings", "bin", "package.json"])
    cpSync(join(root, "homebase", path), join(copy, "homebase", path), {
      recursive: true,
      filter: (from) => !/\/wings\/(?:[^/]+\/test|testing\.ts)$/.test(from),
    });
  for (const path of ["node_modules", "homebase/node_modules"])
    symlinkSync(join(root, path), join(copy, path), "dir");
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const include = ["homebase/src", "homebase/wings"];
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  const list = join(copy, "homebase", "wings", "index.ts");
  let text = readFileSync(list, "utf8");
  for (const { name } of wings) {
    rmSync(join(copy, "homebase", "wings", name), { recursive: true });
    const [line = "", variable = ""] =
      new RegExp(`^import \\{ (\\w+) \\} from "\\./${name}/wing\\.ts";\\n`, "m").exec(text) ?? [];
    expect(variable).not.toBe("");
    text = text.replace(line, "").replace(`  ${variable},\n`, "");
  }
  writeFileSync(list, text);
  return copy;
}

const without = copyWithoutWings();

beforeAll(async () => {
  project.command = join(without, "homebase", "bin", "homebase.mjs");
  project.environment = { GOTRUE_SAML_ENABLED: "true" };
  await project.start();
}, 120_000);
afterAll(async () => {
  await project.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

// No wing imports another one (scripts/import-rules.ts), so what holds without all holds without each.
test("types check without them", () => {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const check = () =>
    execFileSync(process.execPath, [tsc, "-p", without], { encoding: "utf8", stdio: "pipe" });
  expect(check).not.toThrow();
}, 60_000);

test.each([
  ["saml", "POST", "/auth/v1/sso", { domain: "example.com" }],
  ["saml", "GET", "/auth/v1/admin/sso/providers", undefined],
  ["oauth-server", "GET", "/auth/v1/user/oauth/grants", undefined],
  ["wallets", "POST", "/auth/v1/token?grant_type=web3", { chain: "solana", message: "m", signature: "s" }],
  ["s3", "GET", "/storage/v1/s3/bucket", undefined],
  ["vectors", "POST", "/storage/v1/vector/ListVectorBuckets", {}],
  ["meta", "GET", "/pg/tables", undefined],
  ["mcp", "POST", "/mcp", {}],
])("without %s, %s %s responds 501", async (_name, method, path, body) => {
  const response = await fetch(project.url + path, {
    method,
    headers: { apikey: project.secret, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([response.status, await response.text()]).toEqual([501, expect.stringMatching(/Homebase|Storage/)]);
});

test("without the console nothing listens at [studio] port", async () => {
  await expect(fetch(`http://127.0.0.1:${54_323 + project.offset}/`)).rejects.toThrow("fetch failed");
});

test("without them the stack serves the rest", async () => {
  const settings = await fetch(`${project.url}/auth/v1/settings`, { headers: { apikey: project.key } });
  const buckets = await fetch(`${project.url}/storage/v1/bucket`, { headers: { apikey: project.secret } });
  expect([settings.status, buckets.status, await buckets.json()]).toEqual([200, 200, []]);
});

test.each(wings.flatMap(({ commands = {} }) => Object.keys(commands)))(
  "without its wing homebase %s exits with one sentence",
  async (name) => {
    const { code, stdout, stderr } = await project.run(name);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(new RegExp(`^Error: There is no command ${name}\\.[^\\n]*\\n$`));
  },
);
