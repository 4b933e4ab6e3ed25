/** Values of `--dump-config` where PostgREST writes another text than it was given (Config.hs of 16.4, `toText`). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dumpConfig } from "../dump.ts";
import { readConfiguration } from "../environment.ts";

/** The lines of some settings. */
function dumped(environment: Record<string, string>, names: RegExp, file = ""): string[] {
  const folder = mkdtempSync(join(tmpdir(), "homebase-dump-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "rest.conf"), file);
  const config = readConfiguration(environment, join(folder, "rest.conf"));
  return dumpConfig(config, config.settings)
    .split("\n")
    .filter((line) => names.test(line));
}

test("the trace header keeps its case", () => {
  expect(dumped({ PGRST_SERVER_TRACE_HEADER: "X-Request-Id" }, /^server-trace/)).toEqual([
    'server-trace-header = "X-Request-Id"',
  ]);
});

test("a secret in base64 has the standard alphabet and padding", () => {
  const bytes = Buffer.from("~~~??>>>~~~??>>>~~~??>>>~~~??>>>~");
  const own = { PGRST_JWT_SECRET_IS_BASE64: "true" };
  const standard = [`jwt-secret = "${bytes.toString("base64")}"`];
  for (const given of [
    bytes.toString("base64"),
    bytes.toString("base64url"),
    ` ${bytes.toString("base64url")}..\n`,
  ])
    expect(dumped({ ...own, PGRST_JWT_SECRET: given }, /^jwt-secret = /)).toEqual(standard);
  expect(dumped({ PGRST_JWT_SECRET: "a-text_with-dashes_of-32-letters.." }, /^jwt-secret = /)).toEqual([
    'jwt-secret = "a-text_with-dashes_of-32-letters.."',
  ]);
});

test("variables of app.settings keep their case; the one in small letters is set last", () => {
  const file = 'app.settings.colour = "red"\napp.settings.shape = "round"\n';
  const environment = { PGRST_APP_SETTINGS_COLOUR: "green", PGRST_APP_SETTINGS_shape: "flat" };
  expect(dumped(environment, /^app/, file)).toEqual([
    'app.settings.COLOUR = "green"',
    'app.settings.colour = "red"',
    'app.settings.shape = "flat"',
  ]);
  expect(
    readConfiguration({ PGRST_APP_SETTINGS_b: "1", PGRST_APP_SETTINGS_B: "2" }).settings.appSettings,
  ).toEqual([
    ["app.settings.B", "2"],
    ["app.settings.b", "1"],
  ]);
});

test.each([
  ["TRUE", true, true],
  ['"false"', false, false],
  ["1", true, true],
  ["0", false, false],
  ["-1", false, false],
  ["no", false, true],
  ["main-query", false, true],
])("%s as a boolean, or the default", (value, where, otherwise) => {
  const environment = {
    PGRST_LOG_QUERY: value,
    PGRST_DB_PREPARED_STATEMENTS: value,
    PGRST_DB_CHANNEL_ENABLED: value,
  };
  expect(dumped(environment, /^(log-query|db-prepared|db-channel-enabled)/)).toEqual([
    `db-channel-enabled = ${otherwise}`,
    `db-prepared-statements = ${otherwise}`,
    `log-query = ${where}`,
  ]);
});
