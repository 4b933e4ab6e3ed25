/** `homebase rest`: the standalone service, with a Postgres without any Supabase objects. */

import { createHmac } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { expect, it } from "vitest";
import { leasePorts } from "../../../test/port-lease.ts";
import { get, standaloneRuns } from "./standalone-run.ts";

const DATABASE_PORT = 54_320 + leasePorts();
const SECRET = "a secret that is long enough for this";

const SCHEMA = `
create role gate login noinherit password 'gate';
create role visitor nologin;
create role member nologin;
grant visitor, member to gate;
create schema api;
grant usage on schema api to visitor, member;
grant usage on schema api to gate; -- for db-pre-config, which runs as the connecting role
create table api.things (id int primary key, name text);
insert into api.things values (1, 'one'), (2, 'two'), (3, 'three');
grant select on api.things to visitor;
grant all on api.things to member;
create function api.who() returns json language sql stable as $$
  select json_build_object('role', current_user, 'colour', current_setting('app.settings.colour', true),
    'claims', current_setting('request.jwt.claims', true)::json) $$;
create function api.gate() returns void language plpgsql as $$
  begin
    if current_setting('request.headers')::json->>'x-blocked' is not null then
      raise sqlstate 'PT418' using message = 'Blocked';
    end if;
  end $$;
create function api.configure() returns void language sql as
  $$select set_config('pgrst.db_max_rows', '2', true), set_config('pgrst.db_plan_enabled', 'true', true)$$;
`;

const run = standaloneRuns(DATABASE_PORT, SCHEMA);
const { start, ended } = run;

const hs256 = (claims: Record<string, unknown>, secret = SECRET) =>
  new SignJWT(claims).setProtectedHeader({ alg: "HS256" }).sign(Buffer.from(secret));
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

it("serves tables and functions at the root for anonymous callers and members", async () => {
  const { url } = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_JWT_SECRET: SECRET,
    PGRST_APP_SETTINGS_COLOUR: "green",
  });
  expect((await get(`${url}/things?id=lt.3&select=name`)).json).toEqual([{ name: "one" }, { name: "two" }]);
  const member = bearer(await hs256({ role: "member", sub: "ada" }));
  expect((await get(`${url}/rpc/who`, member)).json).toEqual({
    role: "member",
    colour: "green",
    claims: { role: "member", sub: "ada" },
  });
  const insert = (headers: Record<string, string>) =>
    fetch(`${url}/things`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: '{"id":4,"name":"four"}',
    });
  expect((await insert({})).status).toBe(401);
  expect((await insert(member)).status).toBe(201);
  // Hosted's protection against unfiltered writes is a separate library, which is not loaded here.
  expect((await fetch(`${url}/things?id=gt.3`, { method: "DELETE", headers: member })).status).toBe(204);
  expect(
    (
      await fetch(`${url}/things`, {
        method: "PATCH",
        headers: { ...member, "content-type": "application/json" },
        body: '{"name":"x"}',
      })
    ).status,
  ).toBe(204);
});

it("refuses anonymous callers where no role is for them, and tokens where no secret is", async () => {
  const { url } = await start();
  expect(await get(`${url}/things`)).toMatchObject({ status: 401, json: { code: "PGRST302" } });
  expect(await get(`${url}/things`, bearer(await hs256({ role: "member" })))).toMatchObject({
    status: 500,
    json: { code: "PGRST300", message: "Server lacks JWT secret" },
  });
});

it("has no endpoint for assistants: /mcp is a table like others", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor" });
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  expect([response.status, await response.json()]).toMatchObject([404, { code: "PGRST205" }]);
});

it("says of a token what is wrong with it", async () => {
  const { url } = await start({ PGRST_JWT_SECRET: SECRET, PGRST_JWT_AUD: "here" });
  const refused = async (token: string) => (await get(`${url}/things`, bearer(token))).json;
  expect(await refused(await hs256({ role: "member" }, "another secret, which is also long enough"))).toEqual(
    {
      code: "PGRST301",
      details: "None of the keys was able to decode the JWT",
      hint: null,
      message: "No suitable key or wrong key type",
    },
  );
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  expect(await refused(`${encode({ alg: "none" })}.${encode({ role: "member" })}.`)).toMatchObject({
    code: "PGRST301",
    details: "JWT is unsecured but expected 'alg' was not 'none'",
  });
  expect(await refused(await hs256({ role: "member", aud: "there" }))).toMatchObject({
    code: "PGRST303",
    message: "JWT not in audience",
  });
});

it("words each failure of a token, with the challenge that says it", async () => {
  const { url } = await start({ PGRST_JWT_SECRET: SECRET, PGRST_DB_ANON_ROLE: "visitor" });
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const signed = (header: string, payload: string) => {
    const input = `${encode(header)}.${encode(payload)}`;
    return `${input}.${createHmac("sha256", SECRET).update(input).digest("base64url")}`;
  };
  const HS256 = '{"alg":"HS256"}';
  const cases: [token: string, code: string, message: string, details?: string][] = [
    ["", "PGRST301", "Empty JWT is sent in Authorization header"],
    ["a.b.c.d", "PGRST301", "Expected 3 parts in JWT; got 4"],
    [`${encode("no JSON")}.x.y`, "PGRST301", "JWT cryptographic operation failed"],
    ["%%%.x.y", "PGRST301", "JWT cryptographic operation failed"],
    [`${encode('{"alg":"HS256"}')}.e30.a`, "PGRST301", "JWT cryptographic operation failed"],
    [signed('{"alg":"XS1"}', "{}"), "PGRST301", "JWT cryptographic operation failed"],
    [
      signed('{"alg":"HS256","kid":"other"}', "{}"),
      "PGRST301",
      "No suitable key or wrong key type",
      "No suitable key was found to decode the JWT",
    ],
    [signed(HS256, "[1]"), "PGRST303", "Parsing claims failed"],
    [signed(HS256, "nonsense"), "PGRST303", "Parsing claims failed"],
    [signed(HS256, '{"exp":1}'), "PGRST303", "JWT expired"],
    [signed(HS256, '{"exp":99999999999.5}'), "PGRST303", "JWT expired"],
    [signed(HS256, '{"exp":"1"}'), "PGRST303", "The JWT 'exp' claim must be a number"],
    [signed(HS256, '{"nbf":99999999999}'), "PGRST303", "JWT not yet valid"],
    [signed(HS256, '{"nbf":[]}'), "PGRST303", "The JWT 'nbf' claim must be a number"],
    [signed(HS256, '{"iat":99999999999}'), "PGRST303", "JWT issued at future"],
    [signed(HS256, '{"iat":{}}'), "PGRST303", "The JWT 'iat' claim must be a number"],
    [signed(HS256, '{"aud":1}'), "PGRST303", "The JWT 'aud' claim must be a string or an array of strings"],
    [signed(HS256, '{"aud":[1]}'), "PGRST303", "The JWT 'aud' claim must be a string or an array of strings"],
  ];
  for (const [token, code, message, details = null] of cases) {
    const answer = await get(`${url}/things`, { authorization: `Bearer ${token}` });
    expect([answer.status, answer.json]).toEqual([401, { code, details, hint: null, message }]);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", error_description="${message}"`,
    );
  }
  const fine = [
    '{"aud":null,"exp":null}',
    '{"aud":[]}',
    '{"aud":"anything"}',
    `{"exp":${Math.floor(Date.now() / 1000) - 20}}`,
  ];
  for (const claims of fine)
    expect((await get(`${url}/things`, bearer(signed(HS256, claims)))).status).toBe(200);
  expect(await get(`${url}/things`, bearer(signed(HS256, '{"role":"nobody"}')))).toMatchObject({
    status: 401,
    json: { code: "22023", message: 'role "nobody" does not exist' },
  });
  expect(await get(`${url}/things`, bearer(signed(HS256, '{"role":"supabase_admin"}')))).toMatchObject({
    status: 403,
    json: { code: "42501", message: 'permission denied to set role "supabase_admin"' },
  });
});

it("takes the secret as base64, from a file, and as a set of keys", async () => {
  const folder = mkdtempSync(join(tmpdir(), "homebase-rest-"));
  run.folders.push(folder);
  const role = async (variables: Record<string, string>, token: string) => {
    const { url } = await start(variables);
    return ((await get(`${url}/rpc/who`, bearer(token))).json as { role?: string }).role;
  };
  const base64 = {
    PGRST_JWT_SECRET: Buffer.from(SECRET).toString("base64"),
    PGRST_JWT_SECRET_IS_BASE64: "true",
  };
  expect(await role(base64, await hs256({ role: "member" }))).toBe("member");
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const file = join(folder, "jwks.json");
  const other = await exportJWK((await generateKeyPair("ES256")).publicKey);
  writeFileSync(
    file,
    JSON.stringify({
      keys: [
        { ...other, kid: "b" },
        { ...(await exportJWK(publicKey)), kid: "a" },
      ],
    }),
  );
  const token = await new SignJWT({ role: "member" })
    .setProtectedHeader({ alg: "ES256", kid: "a" })
    .sign(privateKey);
  expect(await role({ PGRST_JWT_SECRET: `@${file}` }, token)).toBe("member");
});

it("does not take a public key for a symmetric secret", async () => {
  const { publicKey } = await generateKeyPair("RS256");
  const jwk = JSON.stringify(await exportJWK(publicKey));
  const { url } = await start({ PGRST_JWT_SECRET: jwk });
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = `${encode({ alg: "HS256" })}.${encode({ role: "member" })}`;
  const forged = `${head}.${createHmac("sha256", jwk).update(head).digest("base64url")}`;
  expect(await get(`${url}/things`, bearer(forged))).toMatchObject({
    status: 401,
    json: { code: "PGRST301" },
  });
});

it("finds the role at the path of the claims that the setting names", async () => {
  const { url } = await start({
    PGRST_JWT_SECRET: SECRET,
    PGRST_JWT_ROLE_CLAIM_KEY: '$.realm."the-roles"[1]',
  });
  const token = await hs256({ realm: { "the-roles": ["none", "member"] } });
  expect((await get(`${url}/rpc/who`, bearer(token))).json).toMatchObject({ role: "member" });
});

it("reads settings of the database: from db-pre-config, and over it from the connecting role", async () => {
  const { url } = await start({ PGRST_DB_ANON_ROLE: "visitor", PGRST_DB_PRE_CONFIG: "api.configure" });
  expect((await get(`${url}/things`)).json).toHaveLength(2);
  await run.cluster.admin((client) => client.query("alter role gate set pgrst.db_max_rows = '1'"));
  try {
    await run.cluster.admin((client) => client.query("notify pgrst, 'reload config'"));
    await expect.poll(async () => (await get(`${url}/things`)).json).toHaveLength(1);
  } finally {
    await run.cluster.admin((client) => client.query("alter role gate reset pgrst.db_max_rows"));
  }
});

it("runs the pre-request function, ends transactions as told, times and traces", async () => {
  const { url } = await start({
    PGRST_DB_ANON_ROLE: "member",
    PGRST_DB_PRE_REQUEST: "api.gate",
    PGRST_DB_TX_END: "rollback",
    PGRST_SERVER_TIMING_ENABLED: "true",
    PGRST_SERVER_TRACE_HEADER: "X-Request-Id",
    PGRST_CLIENT_ERROR_VERBOSITY: "minimal",
  });
  expect(await get(`${url}/things`, { "x-blocked": "1" })).toMatchObject({
    status: 418,
    json: { code: "PT418", message: "Blocked" },
  });
  const answer = await get(`${url}/things`, { "x-request-id": "abc" });
  expect(answer.headers.get("x-request-id")).toBe("abc");
  expect(answer.headers.get("server")).toMatch(/^postgrest\//);
  expect(answer.headers.get("vary")).toBe("Accept, Prefer, Range");
  expect(answer.headers.get("server-timing")).toMatch(
    /^jwt;dur=[\d.]+, parse;dur=[\d.]+, plan;dur=[\d.]+, transaction;dur=[\d.]+, response;dur=[\d.]+$/,
  );
  const stages = async (method: string, path: string) => {
    const timing = (await fetch(`${url}${path}`, { method })).headers.get("server-timing");
    return timing?.replace(/;dur=[\d.]+/g, "");
  };
  expect(await stages("OPTIONS", "/things")).toBe("jwt, parse, response");
  expect(await stages("HEAD", "/")).toBe("jwt, parse, plan, transaction, response");
  const missing = await get(`${url}/nothing`);
  expect(missing.headers.get("x-request-id")).toBe("");
  expect(missing.json).toEqual({
    code: "PGRST205",
    message: "Could not find the table 'api.nothing' in the schema cache",
  });
  const deleted = await fetch(`${url}/things?id=eq.1`, { method: "DELETE" });
  expect(deleted.status).toBe(204);
  expect((await get(`${url}/things?id=eq.1`)).json).toHaveLength(1);
});

it("answers preflights before anything else, and names origins only where they are listed", async () => {
  const open = await start();
  const preflight = await fetch(`${open.url}/things`, {
    method: "OPTIONS",
    headers: {
      origin: "http://a.test",
      "access-control-request-method": "PATCH",
      "access-control-request-headers": "prefer,x-one , x-two",
    },
  });
  expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(preflight.headers.get("access-control-allow-headers")).toBe(
    "Authorization, prefer, x-one, x-two, Accept, Accept-Language, Content-Language",
  );
  const listed = await start({
    PGRST_DB_ANON_ROLE: "visitor",
    PGRST_SERVER_CORS_ALLOWED_ORIGINS: "http://a.test, http://b.test",
  });
  const from = async (origin: string) => (await get(`${listed.url}/things`, { origin })).headers;
  expect((await from("http://b.test")).get("access-control-allow-origin")).toBe("http://b.test");
  expect((await from("http://b.test")).get("access-control-allow-credentials")).toBe("true");
  expect((await from("http://c.test")).get("access-control-allow-origin")).toBeNull();
});

it("says on its admin port whether it lives and is ready", async () => {
  const { adminUrl = "" } = await start({ PGRST_ADMIN_SERVER_PORT: "0" });
  expect((await fetch(`${adminUrl}/live`)).status).toBe(200);
  await expect.poll(async () => (await fetch(`${adminUrl}/ready`)).status).toBe(200);
  expect((await fetch(`${adminUrl}/nothing`)).status).toBe(404);
});

it("warns of variables it does not know, by name", async () => {
  const { errors } = await start({ PGRST_DB_SCHEMAZ: "api" });
  expect(errors()).toContain("PGRST_DB_SCHEMAZ is not a setting that is known here");
});

it("ends with the reason when it cannot be configured", async () => {
  expect(await ended({ PGRST_JWT_SECRET: "short" })).toMatchObject({
    code: 1,
    errors: expect.stringContaining("The JWT secret must be at least 32 characters long."),
  });
  expect((await ended({ PGRST_OPENAPI_MODE: "loud" })).errors).toContain("openapi-mode must be one of");
  expect(await ended({}, ["my.conf"])).toMatchObject({
    code: 1,
    errors: expect.stringContaining("my.conf cannot be read (ENOENT)"),
  });
  expect(await ended({}, ["--loud"])).toMatchObject({ code: 2 });
  expect((await ended({}, ["--help"])).out).toContain("PGRST_DB_URI");
});

// PostgREST, src/PostgREST/Config/Proxy.hs, isMalformedProxyUri.
it.each(["example.com", "ftp://example.com/", "https://", "https://example.com:port/"])(
  "ends when the proxy's address is %s",
  async (address) => {
    expect(await ended({ PGRST_OPENAPI_SERVER_PROXY_URI: address })).toMatchObject({
      code: 1,
      errors: expect.stringContaining(
        `openapi-server-proxy-uri is "${address}": Malformed proxy uri, a correct example: https://example.com:8443/basePath`,
      ),
    });
  },
);

it("answers 503 while the database cannot be reached", async () => {
  const { url } = await start({
    PGRST_DB_URI: "postgresql://gate@127.0.0.1:55219/none",
    PGRST_DB_ANON_ROLE: "x",
  });
  expect(await get(`${url}/things`)).toMatchObject({ status: 503, json: { code: "PGRST002" } });
});
