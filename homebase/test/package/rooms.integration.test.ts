/** Rooms that can be removed: without its folder and the line that names it, the rest is as it was. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "../cli/project.ts";

const root = join(import.meta.dirname, "..", "..", "..");

/** What is deleted, the file that names it, and there the line. */
interface Room {
  folders: readonly string[];
  file: string;
  line: RegExp;
}
const ROOMS: Readonly<Record<string, Room>> = {
  SAML: { folders: ["auth/saml"], file: "auth/rooms.ts", line: /^ {2}SAML: .*\n/m },
  "the OAuth server": {
    folders: ["auth/oauth-server"],
    file: "auth/rooms.ts",
    line: /^ {2}"the OAuth server": .*\n/m,
  },
  wallets: { folders: ["auth/wallets"], file: "auth/rooms.ts", line: /^ {2}wallets: .*\n/m },
  S3: { folders: ["storage/s3"], file: "storage/service.ts", line: /^ {2}S3: .*\n/m },
  vectors: { folders: ["storage/vectors"], file: "storage/service.ts", line: /^ {2}"vector buckets": .*\n/m },
  // The other files of `meta` are a library: `hosted` and `mcp` read the catalogue by it.
  "/pg/": { folders: ["meta/service.ts"], file: "backend/services.ts", line: /^ {2}meta: async .*\n.*\n/m },
  hosted: {
    folders: ["hosted", "cli/commands/hosted.ts"],
    file: "cli/command-list.ts",
    line: /^ {2}hosted: \{\n(?: {4}.*\n)+ {2}\},\n/m,
  },
  "rest/standalone": {
    folders: ["rest/standalone", "cli/commands/rest.ts"],
    file: "cli/command-list.ts",
    line: /^ {2}rest: \{\n(?: {4}.*\n)+ {2}\},\n/m,
  },
};

const folder = mkdtempSync(join(tmpdir(), "homebase-rooms-"));
const project = new Project({
  "config.toml": `project_id = "rooms"
[auth.oauth_server]
enabled = true
[auth.web3.solana]
enabled = true
[storage.vector]
enabled = true
`,
});

/** The sources without these rooms, with the packages that they import. */
function copyWithout(name: string, rooms: readonly Room[]): string {
  const copy = join(folder, name);
  mkdirSync(join(copy, "homebase"), { recursive: true });
  for (const path of ["src", "bin", "package.json"])
    cpSync(join(root, "homebase", path), join(copy, "homebase", path), { recursive: true });
  for (const path of ["node_modules", "homebase/node_modules"])
    symlinkSync(join(root, path), join(copy, path), "dir");
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  writeFileSync(join(copy, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["homebase/src"] }));
  for (const { folders, file, line } of rooms) {
    for (const path of folders) rmSync(join(copy, "homebase", "src", path), { recursive: true });
    const path = join(copy, "homebase", "src", file);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(line);
    writeFileSync(path, text.replace(line, ""));
  }
  return copy;
}

const without = copyWithout("all", Object.values(ROOMS));

beforeAll(async () => {
  project.command = join(without, "homebase", "bin", "homebase.mjs");
  project.environment = { GOTRUE_SAML_ENABLED: "true" };
  await project.start();
}, 120_000);
afterAll(async () => {
  await project.remove();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

// The import rule lets only `hosted` import another room of these, `meta`; so two copies stand for all.
test.each([
  ["all of them", () => without],
  ["/pg/ alone", () => copyWithout("pg", ROOMS["/pg/"] ? [ROOMS["/pg/"]] : [])],
])(
  "types check without %s",
  (_name, copy) => {
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const check = () =>
      execFileSync(process.execPath, [tsc, "-p", copy()], { encoding: "utf8", stdio: "pipe" });
    expect(check).not.toThrow();
  },
  60_000,
);

test.each([
  ["SAML", "POST", "/auth/v1/sso", { domain: "example.com" }],
  ["SAML", "GET", "/auth/v1/admin/sso/providers", undefined],
  ["the OAuth server", "GET", "/auth/v1/user/oauth/grants", undefined],
  ["wallets", "POST", "/auth/v1/token?grant_type=web3", { chain: "solana", message: "m", signature: "s" }],
  ["S3", "GET", "/storage/v1/s3/bucket", undefined],
  ["vectors", "POST", "/storage/v1/vector/ListVectorBuckets", {}],
  ["/pg/", "GET", "/pg/tables", undefined],
])("without %s, %s %s responds 501", async (_name, method, path, body) => {
  const response = await fetch(project.url + path, {
    method,
    headers: { apikey: project.secret, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect([response.status, await response.text()]).toEqual([501, expect.stringMatching(/Homebase|Storage/)]);
});

test("without them the stack serves the rest", async () => {
  const settings = await fetch(`${project.url}/auth/v1/settings`, { headers: { apikey: project.key } });
  const buckets = await fetch(`${project.url}/storage/v1/bucket`, { headers: { apikey: project.secret } });
  expect([settings.status, buckets.status, await buckets.json()]).toEqual([200, 200, []]);
});

test.each(["hosted", "rest"])("without its room homebase %s exits with one sentence", async (name) => {
  const { code, stdout, stderr } = await project.run(name);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(new RegExp(`^Error: There is no command ${name}\\.[^\\n]*\\n$`));
});
