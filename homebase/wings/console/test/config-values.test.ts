/** What the page may see of a configuration: where each value comes from, and no text that a variable sets. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/config.ts";
import { configValues, MASK } from "../server/stack/config.ts";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

test.each([
  [
    "config.json",
    '{\n"auth": { "site_url": "env(SITE)" },\n"local_smtp": { "admin_email": "env(MAIL)", "port": 55324 }\n}',
  ],
  ["config.toml", 'auth.site_url = "env(SITE)"\n[inbucket]\nadmin_email = "env(MAIL)"\nport = 55324\n'],
])("of %s", (file, text) => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-values-"));
  folders.push(folder);
  mkdirSync(join(folder, "supabase"));
  writeFileSync(join(folder, "supabase", file), text);
  const environment = {
    SITE: "http://inside.example.org",
    MAIL: "me@example.org",
    SUPABASE_API_EXTERNAL_URL: "http://x",
  };
  const values = configValues(loadConfig({ from: folder, environment }));
  const of = (key: string) => values.find((one) => one.key === key);
  expect(of("auth.site_url")).toMatchObject({
    file,
    value: MASK,
    variable: "SITE",
    line: expect.any(Number),
  });
  expect(of("local_smtp.admin_email")).toMatchObject({ value: MASK, variable: "MAIL", line: 3 });
  expect(of("local_smtp.port")).toMatchObject({ value: "55324", line: file === "config.json" ? 3 : 4 });
  expect(of("api.external_url")).toEqual({
    file,
    key: "api.external_url",
    value: MASK,
    variable: "SUPABASE_API_EXTERNAL_URL",
  });
  expect(of("auth.jwt_expiry")).toEqual({ file, key: "auth.jwt_expiry", value: "3600" });
});
