/** The sources of `homebase rest`'s settings, and its output about them. */

import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignJWT } from "jose";
import { expect, it } from "vitest";
import { parseRoleClaim } from "../../../src/rest/role-claim.ts";
import { leasePorts } from "../../../test/port-lease.ts";
import { parseConfigFile } from "../config-file.ts";
import { connectionOf } from "../connection.ts";
import { get, standaloneRuns } from "./standalone-run.ts";

const PORT = 54_320 + leasePorts();
const SECRET = "reallyreallyreallyreallyverysafe";

const run = standaloneRuns(
  PORT,
  `
create role gate login noinherit password 'gate';
create role visitor nologin;
create role other login noinherit password 'other';
grant visitor to gate, other;
create schema api;
create schema second;
grant usage on schema api, second to visitor;
create table api.things (id int primary key);
insert into api.things select generate_series(1, 5);
create table second.others (id int primary key);
grant select on api.things, second.others to visitor;
create function api.numbers() returns setof api.things language sql stable rows 50 as 'select * from api.things';
create function api.setting(name text) returns text language sql stable as 'select current_setting(name, true)';
`,
);
const { start, ended, folders } = run;

function folderWith(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-rest-"));
  folders.push(folder);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it("reads files in PostgREST's format", () => {
  const text = `
# a comment
db-uri = "postgresql://a:b@c/$(DATABASE)" # and another
db-max-rows = 100
db-plan-enabled = on
jwt-role-claim-key = "$$.a[\\"b\\"]"
app.settings.first = "one"
app {
  settings.second = "t\\u00e9\\n"
}
`;
  expect([...parseConfigFile(text, { DATABASE: "d" })]).toEqual([
    ["db-uri", "postgresql://a:b@c/d"],
    ["db-max-rows", "100"],
    ["db-plan-enabled", "true"],
    ["jwt-role-claim-key", '$.a["b"]'],
    ["app.settings.first", "one"],
    ["app.settings.second", "té\n"],
  ]);
  expect(() => parseConfigFile('a = "$(NONE)"', {})).toThrow("$(NONE) is not a variable of the environment");
  expect(() => parseConfigFile("a = 1\nwhat?", {})).toThrow("line 2");
  expect(() => parseConfigFile("a {", {})).toThrow("not closed");
});

it("prints every setting with its default, sorted", async () => {
  const { out, code } = await ended(
    {
      PGRST_DB_CONFIG: "false",
      PGRST_DB_URI: "",
      PGRST_DB_SCHEMAS: "",
      PGRST_SERVER_HOST: "",
      PGRST_SERVER_PORT: "",
    },
    ["--dump-config"],
  );
  expect(code).toBe(0);
  expect(out).toBe(`admin-server-host = "!4"
admin-server-port = ""
admin-server-unix-socket = ""
admin-server-unix-socket-mode = "660"
client-error-verbosity = "verbose"
db-aggregates-enabled = false
db-anon-role = ""
db-channel = "pgrst"
db-channel-enabled = true
db-config = false
db-extra-search-path = "public"
db-hoisted-tx-settings = "statement_timeout,plan_filter.statement_cost_limit,default_transaction_isolation"
db-max-rows = ""
db-plan-enabled = false
db-pool = 10
db-pool-acquisition-timeout = 10
db-pool-automatic-recovery = true
db-pool-max-idletime = 30
db-pool-max-lifetime = 1800
db-pre-config = ""
db-pre-request = ""
db-prepared-statements = true
db-root-spec = ""
db-schemas = "public"
db-tx-end = "commit"
db-uri = "postgresql://"
jwt-aud = ""
jwt-cache-max-entries = 1000
jwt-role-claim-key = "$$.role"
jwt-secret = ""
jwt-secret-is-base64 = false
log-level = "error"
log-query = false
openapi-mode = "follow-privileges"
openapi-security-active = false
openapi-server-proxy-uri = ""
server-cors-allowed-origins = ""
server-host = "!4"
server-port = 3000
server-reuseport = false
server-timing-enabled = false
server-trace-header = ""
server-unix-socket = ""
server-unix-socket-mode = "660"
url-use-legacy-target-names = true
`);
});

it("takes file, environment and database, the latter before the former, and names before aliases", async () => {
  const file = folderWith(
    "rest.conf",
    `db-schema = "second"
max-rows = 4
db-anon-role = "visitor"
role-claim-key = ".\\"a b\\"[0].c"
secret-is-base64 = true
jwt-secret = "${Buffer.from(SECRET).toString("base64")}"
pre-request = "api.check"
db-pool-max-idletime = 7
server-timing-enabled = "1"
db-plan-enabled = "TRUE"
openapi-security-active = "no"
app.settings.colour = "red"
app.settings.shape = "round"
`,
  );
  await run.cluster.admin((client) => client.query("alter role gate set pgrst.db_tx_end = 'rollback'"));
  const { out } = await ended({ PGRST_APP_SETTINGS_colour: "green", PGRST_MAX_ROWS: "3" }, [
    file,
    "--dump-config",
  ]);
  await run.cluster.admin((client) => client.query("alter role gate reset pgrst.db_tx_end"));
  for (const line of [
    'db-schemas = "api"',
    "db-max-rows = 3",
    'db-anon-role = "visitor"',
    `jwt-role-claim-key = "$$['a b'][0].c"`,
    "jwt-secret-is-base64 = true",
    'db-pre-request = "api.check"',
    "db-pool-max-idletime = 7",
    "server-timing-enabled = true",
    "db-plan-enabled = true",
    "openapi-security-active = false",
    'db-tx-end = "rollback"',
    'app.settings.colour = "green"',
    'app.settings.shape = "round"',
  ]) {
    expect(out.split("\n")).toContain(line);
  }
  const again = folderWith("again.conf", out);
  expect((await ended({ PGRST_DB_CONFIG: "false" }, [again, "--dump-config"])).out).toBe(
    out
      .replace("db-config = true", "db-config = false")
      .replace('server-host = "!4"', 'server-host = "127.0.0.1"'),
  );
});

it.each([
  ["PGRST_DB_SCHEMAS", "api,pg_catalog", "db-schemas does not allow schema: 'pg_catalog'"],
  ["PGRST_DB_TX_END", "maybe", "Invalid transaction termination. Check your configuration."],
  ["PGRST_JWT_ROLE_CLAIM_KEY", "role.other", "failed to parse role-claim-key value (role.other)"],
  ["PGRST_JWT_AUD", "http://%", "jwt-aud should be a string or a valid URI"],
  ["PGRST_LOG_LEVEL", "quiet", "Invalid logging level. Check your configuration."],
  ["PGRST_SERVER_UNIX_SOCKET_MODE", "599", "octal mode"],
  // PostgREST, Config/Proxy.hs, isMalformedProxyUri.
  [
    "PGRST_OPENAPI_SERVER_PROXY_URI",
    "nowhere",
    "Malformed proxy uri, a correct example: https://example.com:8443/basePath",
  ],
  ["PGRST_OPENAPI_SERVER_PROXY_URI", "ftp://a.test/", "Malformed proxy uri"],
  ["PGRST_OPENAPI_SERVER_PROXY_URI", "https://me:secret@a.test/", "Malformed proxy uri"],
  ["PGRST_OPENAPI_SERVER_PROXY_URI", "https://a.test/?b=c", "Malformed proxy uri"],
  ["PGRST_OPENAPI_SERVER_PROXY_URI", "https://a.test:70000/", "Malformed proxy uri"],
  ["PGRST_CLIENT_ERROR_VERBOSITY", "some", "Invalid client-error-verbosity. Check your configuration."],
  ["PGRST_ADMIN_SERVER_PORT", "3000", "admin-server-port cannot be the same as server-port"],
])("ends with the reason when %s is %s", async (name, value, reason) => {
  const { code, errors } = await ended({ PGRST_SERVER_PORT: "3000", [name]: value }, ["--dump-config"]);
  expect([code, errors]).toEqual([1, expect.stringContaining(reason)]);
});

it("prints an example that reads back as itself, and its version", async () => {
  const { out } = await ended({}, ["--example"]);
  const file = folderWith("example.conf", out.replace("db-config = true", "db-config = false"));
  const own = { PGRST_DB_URI: "", PGRST_DB_SCHEMAS: "", PGRST_SERVER_HOST: "", PGRST_SERVER_PORT: "" };
  expect((await ended(own, [file, "--dump-config"])).out).toBe(
    out.replace("db-config = true", "db-config = false"),
  );
  expect((await ended({}, ["-v"])).out).toMatch(/^PostgREST \d/);
});

it("prints the schema", async () => {
  const { out } = await ended({}, ["--dump-schema"]);
  const { dbTables } = JSON.parse(out) as { dbTables: { name: string }[] };
  expect(dbTables.map(({ name }) => name)).toContain("things");
});

it.each([
  [".a.b", { a: { b: "visitor" } }, 200],
  [".a.many[1]", { a: { many: ["x", "visitor"] } }, 200],
  ['."https://x.test/roles"[0].value', { "https://x.test/roles": [{ value: "visitor" }] }, 200],
  [".a[3]", { a: ["visitor"] }, 401],
  [".mine", { role: "visitor" }, 401],
  ['.a[?(@ == "visitor")]', { a: ["x", "visitor"] }, 200],
  ['.a[?(@ != "x")]', { a: ["x", "visitor"] }, 200],
  ['.a[?(@ ^== "vis")]', { a: ["x", "visitor"] }, 200],
  ['.a[?(@ ==^ "tor")]', { a: ["x", "visitor"] }, 200],
  ['.a[?(@ *== "sit")]', { a: ["x", "visitor"] }, 200],
  ['.a[?(@ == "x")]', { a: [{ x: "x" }] }, 401],
  [".a[0][2:]", { a: ["p_visitor"] }, 200],
  [".a[0][:-2]", { a: ["visitor_s"] }, 200],
  [".a[0][2:-2]", { a: ["p_visitor_s"] }, 200],
  ['.a[?(@ *== "sit")][2:]', { a: ["x", "p_visitor"] }, 200],
  ['.a[?(@ *== "sit")][200:]', { a: ["x", "p_visitor"] }, 401],
  ["$.a['b-c']", { a: { "b-c": "visitor" } }, 200],
  ["$.a[?search(@, '^vis')]", { a: ["x", "visitor"] }, 200],
] as const)("finds the role at %s", (path, claims, status) => {
  const found = parseRoleClaim(path)?.read(claims);
  expect(found).toBe(status === 200 ? "visitor" : undefined);
});

it.each(["role.other", ".role##", ".my_role;;domain", ".#$$%&$%/", "1234", ".role[?(@ =)]", "$", ""])(
  "does not read %j as a path to the role",
  (path) => {
    expect(parseRoleClaim(path)).toBeUndefined();
  },
);

it("reads the address from a file and as keywords, and file settings anew on SIGUSR2", async () => {
  const uri = folderWith(
    "uri",
    `host=127.0.0.1 port=${PORT} user=gate password='gate' dbname=homebase connect_timeout=3\n`,
  );
  const secret = folderWith("secret", `${SECRET}\n`);
  const file = folderWith("rest.conf", 'db-max-rows = 2\napp.settings.colour = "red"\n');
  const { url, child } = await start(
    { PGRST_DB_URI: `@${uri}`, PGRST_JWT_SECRET: `@${secret}`, PGRST_DB_ANON_ROLE: "visitor" },
    [file],
  );
  const token = await new SignJWT({ role: "visitor" })
    .setProtectedHeader({ alg: "HS256" })
    .sign(Buffer.from(SECRET));
  const asked = () => get(`${url}/things`, { authorization: `Bearer ${token}` });
  expect((await asked()).json).toHaveLength(2);
  writeFileSync(secret, "another secret, as long as it needs to be");
  writeFileSync(file, 'db-max-rows = 3\napp.settings.colour = "blue"\n');
  child.kill("SIGUSR2");
  await expect.poll(async () => (await asked()).status).toBe(401);
  expect((await get(`${url}/things`)).json).toHaveLength(3);
  expect((await get(`${url}/rpc/setting?name=app.settings.colour`)).json).toBe("blue");
  // An unreadable file changes nothing.
  writeFileSync(file, "nonsense");
  child.kill("SIGUSR2");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await get(`${url}/things`)).json).toHaveLength(3);
});

it("takes settings from the database's own entry before the role's, and ignores those of other roles", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor" });
  const shown = async () => ((await get(`${url}/things`)).json as unknown[]).length;
  expect(await shown()).toBe(5);
  const change = (sql: string) => run.cluster.admin((client) => client.query(sql));
  try {
    await change("alter role gate set pgrst.db_max_rows = '3'; alter role other set pgrst.db_max_rows = '1'");
    await change("notify pgrst, 'reload config'");
    await expect.poll(shown).toBe(3);
    await change("alter role gate in database homebase set pgrst.db_max_rows = '2'; notify pgrst");
    await expect.poll(shown).toBe(2);
    await change("alter role gate set pgrst.db_schemas = 'second'; notify pgrst, 'reload schema'");
    await expect.poll(async () => (await get(`${url}/others`)).status).toBe(200);
    await change("create table api.more (id int); grant select on api.more to visitor");
    await change(
      "alter role gate reset pgrst.db_schemas; notify pgrst, 'something else'; notify pgrst, 'reload schema'",
    );
    await expect.poll(async () => (await get(`${url}/more`)).json).toEqual([]);
  } finally {
    await change(
      "alter role gate reset all; alter role gate in database homebase reset all; alter role other reset all",
    );
  }
});

it("serves a Unix socket with the mode that is asked for, and its admin on another", async () => {
  const path = folderWith("unused", "").replace("unused", "rest.sock");
  const admin = path.replace("rest.sock", "admin.sock");
  await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_SERVER_UNIX_SOCKET: path,
    PGRST_SERVER_UNIX_SOCKET_MODE: "600",
    PGRST_ADMIN_SERVER_UNIX_SOCKET: admin,
    PGRST_ADMIN_SERVER_UNIX_SOCKET_MODE: "640",
  });
  expect([statSync(path).mode & 0o777, statSync(admin).mode & 0o777]).toEqual([0o600, 0o640]);
  const over = (socketPath: string, target: string) =>
    new Promise<string>((resolve, reject) => {
      request({ socketPath, path: target }, (answer) => {
        let text = `${answer.statusCode} `;
        answer.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on("end", () => resolve(text));
      })
        .on("error", reject)
        .end();
    });
  expect(await over(path, "/things?id=eq.1")).toBe('200 [{"id":1}]');
  expect(await over(admin, "/live")).toBe("200 ");
  rmSync(path);
  expect([await over(admin, "/live"), await over(admin, "/ready")]).toEqual(["500 ", "500 "]);
});

it("tells its schema and counts on the admin port, and not its configuration, which has secrets", async () => {
  const { url, adminUrl = "" } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_JWT_SECRET: SECRET,
    PGRST_ADMIN_SERVER_PORT: "0",
    PGRST_DB_POOL: "3",
    PGRST_JWT_CACHE_MAX_ENTRIES: "1",
  });
  const text = async (path: string) => (await fetch(`${adminUrl}${path}`)).text();
  await expect.poll(async () => (await fetch(`${adminUrl}/ready`)).status).toBe(200);
  expect((await fetch(`${adminUrl}/config`)).status).toBe(404);
  const schema = JSON.parse(await text("/schema_cache")) as { dbTables: { name: string }[] };
  expect(schema.dbTables.map(({ name }) => name)).toContain("things");
  for (const sub of ["a", "a", "b"]) {
    const token = await new SignJWT({ role: "visitor", sub })
      .setProtectedHeader({ alg: "HS256" })
      .sign(Buffer.from(SECRET));
    await get(`${url}/things`, { authorization: `Bearer ${token}` });
  }
  const metrics = await fetch(`${adminUrl}/metrics`);
  // PostgREST, Admin.hs: Prometheus asks for a content type.
  expect(metrics.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const counts = Object.fromEntries(
    [...(await metrics.text()).matchAll(/^(pgrst\S+) (\S+)$/gm)].map((one) => [one[1], one[2]]),
  );
  expect(counts).toEqual({
    pgrst_db_pool_timeouts_total: "0.0",
    pgrst_db_pool_available: expect.stringMatching(/^[123]\.0$/),
    pgrst_db_pool_waiting: "0.0",
    pgrst_db_pool_max: "3.0",
    'pgrst_schema_cache_loads_total{status="SUCCESS"}': expect.stringMatching(/^[1-9]/),
    pgrst_schema_cache_query_time_seconds: expect.stringMatching(/^0\.\d/),
    pgrst_jwt_cache_requests_total: "3.0",
    pgrst_jwt_cache_hits_total: "1.0",
    pgrst_jwt_cache_evictions_total: "1.0",
  });
});

// PostgREST, Query/SqlFragment.hs, countF: without db-max-rows and limits the page's own count is the total.
it("counts a function's rows exactly in the scan that reads them", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_DB_PLAN_ENABLED: "true" });
  const plan = async (path: string, prefer?: string) => {
    const response = await fetch(`${url}/rpc/numbers${path}`, {
      headers: { accept: "application/vnd.pgrst.plan+json", ...(prefer ? { prefer } : {}) },
    });
    return [...(await response.text()).matchAll(/"Node Type": "([^"]+)"/g)].map((found) => found[1]);
  };
  expect(await plan("", "count=exact")).toEqual(await plan(""));
  expect((await plan("?limit=2", "count=exact")).length).toBeGreaterThan((await plan("?limit=2")).length);
  const counted = await fetch(`${url}/rpc/numbers?id=gt.2`, { headers: { prefer: "count=exact" } });
  expect(counted.headers.get("content-range")).toBe("0-2/3");
});

it("prints its settings although the database's address is not one", async () => {
  const file = folderWith("rest.conf", 'db-uri = "tmp_db"\ndb-schemas = "api"\n');
  const { code, out, errors } = await ended({ PGRST_DB_URI: undefined as unknown as string }, [
    file,
    "--dump-config",
  ]);
  expect([code, out]).toEqual([0, expect.stringContaining('db-uri = "tmp_db"\n')]);
  expect(errors).toContain("PGRST_DB_URI is not an address of a database.");
  const schema = await ended({ PGRST_DB_URI: "tmp_db" }, ["--dump-schema"]);
  expect([schema.code, schema.out]).toEqual([1, ""]);
  expect(schema.errors).not.toContain("at ");
});

it.each(["postgresql://?", "postgresql:///?", "postgres://"])("reads %s as libpq's defaults", (uri) => {
  expect(connectionOf(uri).hosts).toHaveLength(1);
});
