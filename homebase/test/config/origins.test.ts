/** Where the values of config.toml come from, as the loader says it. */
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
  expect(Object.fromEntries(keyLines(toml))).toEqual({
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
