/** Where the values of a configuration come from, as the loader says it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.ts";
import { keyLines } from "../../src/config/key-lines.ts";

const folder = mkdtempSync(join(tmpdir(), "homebase-origins-"));
mkdirSync(join(folder, "supabase"));
afterAll(() => rmSync(folder, { recursive: true }));

function origins(toml: string, environment: Record<string, string> = {}) {
  writeFileSync(join(folder, "supabase", "config.toml"), toml);
  return Object.fromEntries(loadConfig({ from: folder, environment }).origins);
}

test("a value of the file has its line, and one that is not there has no origin", () => {
  expect(origins('project_id = "a"\n\n# ports\n[api]\nport = 1234\n\n[auth]\nsite_url = "http://x"')).toEqual(
    {
      project_id: { line: 1 },
      "api.port": { line: 5 },
      "auth.site_url": { line: 8 },
    },
  );
});

test("env() has its line and its variable, also within a list; one that is not set and has a default has neither", () => {
  const toml =
    '[auth]\njwt_secret = "env(JWT)"\nadditional_redirect_urls = [\n  "env(URL)",\n]\n[api]\nport = "env(NONE)"';
  expect(origins(toml, { JWT: "a-secret-of-sixteen-and-more", URL: "http://y" })).toEqual({
    "auth.jwt_secret": { line: 2, variable: "JWT" },
    "auth.additional_redirect_urls": { line: 3, variable: "URL" },
  });
});

test("an override has its variable, and not the line that it replaces", () => {
  expect(
    origins("[api]\nport = 1234\nmax_rows = 7", { SUPABASE_API_PORT: "99", SUPABASE_AUTH_ENABLED: "false" }),
  ).toEqual({
    "api.port": { variable: "SUPABASE_API_PORT" },
    "api.max_rows": { line: 3 },
    "auth.enabled": { variable: "SUPABASE_AUTH_ENABLED" },
  });
});

test("lines are those of the parser's keys: strings over several lines, comments, quoted and dotted keys, inline tables", () => {
  const toml = `a = """
b = 1
[c] # no table"""
'quoted key'.x = 1 # [d]
"w\\u0061" = '#' # comment
[ t . "u" ]
list = [ # [x]
  "]",
  { y = 1 },
]
z = {
 k = '''
''' }
end = 2`;
  expect(Object.fromEntries(keyLines("config.toml", toml))).toEqual({
    a: 1,
    "quoted key.x": 4,
    wa: 5,
    "t.u.list": 7,
    "t.u.z": 11,
    "t.u.end": 14,
  });
  expect(origins('[auth.email]\nsmtp = { host = "h", port = 25 }')).toEqual({
    "auth.email.smtp.host": { line: 2 },
    "auth.email.smtp.port": { line: 2 },
  });
});

test("JSON has lines too: comments, lists, escapes and a key that stands twice", () => {
  const json = `// { "project_id": "x"
{ "project_id": "a", /* "api": {
*/ "api" // the ports
  : { "port": 1234, "schemas": ["public", "a:b"],
    "max_\\u0072ows": "env(MOST)" },
  "auth": {
    "site_url": "http://x", "site_url":
      "http://\\"y\\"{"
  },
}`;
  expect(Object.fromEntries(keyLines("config.jsonc", json))).toEqual({
    project_id: 2,
    api: 3,
    "api.port": 4,
    "api.schemas": 4,
    "api.max_rows": 5,
    auth: 6,
    "auth.site_url": 7,
  });
  expect(Object.fromEntries(keyLines("config.json", '{"a":\n[{ "no": { "key": 1 } }],\n"b": {} }'))).toEqual({
    a: 1,
    b: 3,
  });
  rmSync(join(folder, "supabase", "config.toml"), { force: true });
  writeFileSync(join(folder, "supabase", "config.json"), json);
  const { origins: found, file } = loadConfig({ from: folder, environment: { MOST: "5" } });
  expect([file, found.get("api.max_rows"), found.get("auth.site_url")]).toEqual([
    "config.json",
    { line: 5, variable: "MOST" },
    { line: 7 },
  ]);
  rmSync(join(folder, "supabase", "config.json"));
});

test("a key under its older name has its line under the newer one", () => {
  const found = origins('[inbucket]\nport = 1\nadmin_email = "env(MAIL)"\n[auth.sms]\nenabled = true', {
    MAIL: "m@x",
  });
  expect(found).toMatchObject({
    "local_smtp.port": { line: 2 },
    "local_smtp.admin_email": { line: 3, variable: "MAIL" },
    "auth.sms.enable_signup": { line: 5 },
  });
});
