/**
 * The configuration that the Supabase CLI's `init` writes, pushed to the stand-in for hosted by that CLI: pushed again it
 * changes nothing, and what is pulled is what was pushed. Skipped where the CLI cannot be installed, with the reason.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { type Hosted, startHosted } from "../index.ts";
import { missing, program, runSupabase } from "./supabase-cli.ts";

const REF = "abcdefghijklmnopqrst";
const folder = mkdtempSync(join(tmpdir(), "homebase-round-trip-"));
const file = join(folder, "supabase", "config.toml");
let hosted: Hosted;
beforeAll(async () => {
  if (program) hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
});
afterAll(async () => {
  await hosted?.close();
  rmSync(folder, { recursive: true });
});
beforeEach((context) => context.skip(!program, `the Supabase CLI: ${missing}`));

const supabase = (...args: string[]) => runSupabase(hosted, folder, ...args);
const UP_TO_DATE = ["API", "DB", "Auth", "Storage"].map((name) => `Remote ${name} config is up to date.`);

/** The pooler's settings, which the Management API does not take: the CLI says so at each push. */
const withoutPooler = (text: string) =>
  text.replace(/^(pool_mode|default_pool_size|max_client_conn) = .*$/gm, "");

/** Puts other values into the file, each in its section. */
function change(section: string, values: Record<string, string>): void {
  const text = readFileSync(file, "utf8");
  const [before = "", rest = ""] = text.split(`[${section}]\n`);
  const end = rest.search(/^\[/m);
  let body = end < 0 ? rest : rest.slice(0, end);
  for (const [name, value] of Object.entries(values))
    body = body.replace(new RegExp(`^(# )?${name} = .*$`, "m"), `${name} = ${value}`);
  writeFileSync(file, `${before}[${section}]\n${body}${end < 0 ? "" : rest.slice(end)}`);
}

test("the template as it is: a second push finds all up to date, and a pull writes nothing new", async () => {
  await supabase("init", "--yes");
  await supabase("link", "--project-ref", REF);
  expect(await supabase("config", "push", "--yes")).toContain("Confirmed by --yes");
  await expectRoundTrip();
}, 180_000);

test("with secrets, providers, vector buckets and other limits: likewise, and a changed secret is seen", async () => {
  change("auth.external.apple", { enabled: "true", client_id: '"apple.example"', secret: '"of apple"' });
  change("auth.sms", { enable_signup: "true" });
  change("auth.sms.twilio", {
    enabled: "true",
    account_sid: '"AC1"',
    message_service_sid: '"MG1"',
    auth_token: '"of twilio"',
  });
  change("auth.mfa.phone", { enroll_enabled: "true", verify_enabled: "true" });
  change("storage.vector", { enabled: "true", max_buckets: "3", max_indexes: "4" });
  change("storage", { file_size_limit: '"7MiB"' });
  change("api", { max_rows: "77" });
  const pushed = await supabase("config", "push", "--yes");
  expect(pushed).toContain("storage.vector.max_buckets");
  expect(pushed).toContain("auth.external.apple.secret");
  await expectRoundTrip();

  change("auth.external.apple", { secret: '"another of apple"' });
  expect(await supabase("config", "diff")).toContain("auth.external.apple.secret");
}, 180_000);

async function expectRoundTrip(): Promise<void> {
  const again = await supabase("config", "push", "--yes");
  for (const line of UP_TO_DATE) expect(again).toContain(line);
  const differing = (await supabase("config", "diff")).match(/^[a-z_.]+(?= \[)/gm) ?? [];
  expect(differing.filter((name) => !name.startsWith("db.pooler."))).toEqual([]);
  const before = readFileSync(file, "utf8");
  await supabase("config", "pull", "--yes");
  expect(withoutPooler(readFileSync(file, "utf8"))).toBe(withoutPooler(before));
}
