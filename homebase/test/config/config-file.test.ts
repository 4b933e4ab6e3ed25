/** The file of a project's configuration: config.toml, config.json and config.jsonc. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadConfig, loadRemoteConfig } from "../../src/config/config.ts";
import { asWritten } from "../../src/config/config-file.ts";
import { isProject } from "../../src/config/find-project.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "homebase-config-"));
  mkdirSync(join(folder, "supabase"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "supabase", name), text);
};
const load = (environment = {}) => loadConfig({ named: folder, environment });

test.each([
  ["config.json", '{"project_id":"p","api":{"max_rows":3},"auth":{"enable_signup":false}}'],
  [
    "config.jsonc",
    '// A project\n{ "$schema": "https://example.org/s.json", "project_id": "p", /* few */ "api": { "max_rows": 3, }, "auth": { "enable_signup": false }, }',
  ],
  ["config.toml", 'project_id = "p"\n[api]\nmax_rows = 3\n[auth]\nenable_signup = false\n'],
])("%s is read", (name, text) => {
  write({ [name]: text });
  expect(isProject(folder)).toBe(true);
  expect(load()).toMatchObject({
    project_id: "p",
    api: { max_rows: 3 },
    auth: { enable_signup: false },
    warnings: [],
  });
});

test("of two files the JSON one counts, as in the Supabase CLI, and the other is named", () => {
  write({ "config.json": '{"api":{"max_rows":3}}', "config.toml": "[api]\nmax_rows = 9\n" });
  const { api, warnings } = load();
  expect(api.max_rows).toBe(3);
  expect(warnings).toEqual(["supabase/config.toml is not read: config.json stands beside it."]);
});

test("variables, overrides, remotes and unknown keys are as in TOML", () => {
  write({
    "config.json":
      '{"api":{"max_rows":"env(MOST)","max_row":1},"remotes":{"live":{"project_id":"abcdefghijklmnopqrst","api":{"max_rows":7}}}}',
  });
  const { api, warnings } = load({ MOST: "5" });
  expect([api.max_rows, warnings]).toEqual([
    5,
    ["supabase/config.json: unknown key api.max_row, ignored. Did you mean max_rows?"],
  ]);
  expect(load({ MOST: "5", SUPABASE_API_MAX_ROWS: "6" }).api.max_rows).toBe(6);
  const { config } = loadRemoteConfig({ named: folder, environment: {}, remote: "live" });
  expect([config.project_id, config.api.max_rows]).toEqual(["abcdefghijklmnopqrst", 7]);
});

test("the name of a section that the CLI 3 refuses is told", () => {
  write({ "config.toml": "[inbucket]\nport = 1234\n" });
  const { local_smtp, warnings } = load();
  expect([local_smtp.port, warnings]).toEqual([
    1234,
    ["supabase/config.toml: the Supabase CLI 3 refuses [inbucket]: call it [local_smtp]."],
  ]);
});

test.each([
  ['{"api":', "supabase/config.json is not valid JSON: "],
  ["[1]", "supabase/config.json is no JSON object."],
  ['{"api":{"max_rows":"many"}}', "supabase/config.json cannot be used:\n  api.max_rows: "],
])("%s is refused with the file's name", (text, message) => {
  write({ "config.json": text });
  expect(() => load()).toThrow(message);
});

test("an example is as the project's file would have it", () => {
  write({ "config.jsonc": "{}" });
  const read = () => loadRemoteConfig({ named: folder, environment: {}, remote: "live" });
  expect(read).toThrow(/^supabase\/config\.jsonc has no \[remotes\.live\]/);
  expect(read).toThrow(/\n\n\{\n {2}"remotes": \{\n {4}"live": \{\n {6}"project_id": "abcdefghijklmnopqrst"/);
  write({ "config.jsonc": asWritten("config.jsonc", "[remotes.live]\nproject_id = 'abcdefghijklmnopqrst'") });
  expect(read().config.project_id).toBe("abcdefghijklmnopqrst");
});
