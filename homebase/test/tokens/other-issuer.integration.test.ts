/**
 * Tokens of another issuer in each service, from an issuer that runs here: its keys fetched when they are needed, kept for
 * later, changed; what is refused; and the stack's own key in its place.
 */
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import { exportJWK, generateKeyPair, type JWK, type KeyObject, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MovableClock, systemClock } from "../../src/core/clock.ts";
import { createLog, type LogEntry } from "../../src/core/log.ts";
import { createBackend } from "../../src/testing/index.ts";
import { OtherIssuerTokens } from "../../src/tokens/other-issuer.ts";
import { folderForThisFile, forThisFile } from "../for-this-file.ts";
import { PhoenixSocket } from "../realtime/phoenix-socket.ts";

/** An issuer whose keys a test can change. */
const issuer = { keys: [] as JWK[], name: undefined as string | undefined, up: true, asked: [] as string[] };
const server = createServer(({ url = "" }, response) => {
  issuer.asked.push(url);
  const body = url.endsWith("openid-configuration")
    ? { issuer: issuer.name ?? address, jwks_uri: `${address}/keys` }
    : { keys: issuer.keys };
  response.writeHead(issuer.up ? 200 : 500, { "content-type": "application/json" }).end(JSON.stringify(body));
});
await once(server.listen(0, "127.0.0.1"), "listening");
afterAll(() => server.close());
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function newKey(kid: string, alg = "RS256") {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}
type Key = Awaited<ReturnType<typeof newKey>>;

const soon = () => Math.floor(Date.now() / 1000) + 7_200;
const signed = (
  { alg, kid, privateKey }: Pick<Key, "alg" | "kid"> & { privateKey: unknown },
  claims: object = {},
) =>
  new SignJWT({ iss: address, sub: "user_2abc", role: "authenticated", exp: soon(), ...claims })
    .setProtectedHeader({ alg, kid })
    .sign(privateKey as KeyObject);

const folder = folderForThisFile("other-issuer", {
  "supabase/config.toml": `project_id = "p"\n[auth.third_party.workos]\nenabled = true\nissuer_url = "${address}"\n`,
  "supabase/migrations/20260101000000_a.sql": `create table public.notes (owner text default auth.jwt() ->> 'sub', body text);
    alter table public.notes enable row level security;
    create policy own on public.notes to authenticated using (owner = auth.jwt() ->> 'sub');
    insert into public.notes values ('user_2abc', 'mine'), ('user_9', 'theirs');
    create policy files on storage.objects to authenticated using (owner_id = auth.jwt() ->> 'sub')
      with check (owner_id = auth.jwt() ->> 'sub');
    insert into storage.buckets (id, name) values ('b', 'b');`,
  "supabase/functions/hello/index.ts": "Deno.serve(() => new Response('hello'));",
});
const backend = await forThisFile(createBackend({ projectFolder: folder }));
let first: Key;
beforeAll(async () => {
  first = await newKey("first");
  issuer.keys = [first.jwk];
});

/** What each service says to a token. */
async function answers(token: string) {
  const client = createClient(backend.url, backend.publishableKey, { accessToken: async () => token });
  const { data, error } = await client.from("notes").select("body");
  const uploaded = await client.storage.from("b").upload(`${crypto.randomUUID()}.txt`, "x");
  const called = await client.functions.invoke("hello");
  using socket = await PhoenixSocket.open(backend);
  const { status } = await socket.join("room", {}, { access_token: token });
  return {
    rest: error?.code ?? data,
    storage: uploaded.error === null,
    functions: called.error === null,
    realtime: status,
  };
}
const ACCEPTED = { rest: [{ body: "mine" }], storage: true, functions: true, realtime: "ok" };
const REFUSED = { rest: "PGRST301", storage: false, functions: false, realtime: "error" };

test("REST, Storage, Realtime and functions take it, and its keys are fetched once, when first needed", async () => {
  expect(issuer.asked).toEqual([]);
  expect(await answers(await signed(first))).toEqual(ACCEPTED);
  expect(await answers(await signed(first, { n: 1 }))).toEqual(ACCEPTED);
  expect(issuer.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
});

test("Auth does not know its user", async () => {
  const response = await fetch(`${backend.url}/auth/v1/user`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${await signed(first)}` },
  });
  expect([response.status, await response.json()]).toMatchObject([403, { error_code: "bad_jwt" }]);
});

test.each([
  ["another issuer's", { iss: "http://elsewhere.example" }],
  ["without an issuer", { iss: undefined }],
  ["without an end", { exp: undefined }],
  ["of role service_role", { role: "service_role" }],
  ["of another role of the database", { role: "postgres" }],
  ["with an empty role", { role: "" }],
  ["with a list for a role", { role: ["authenticated"] }],
])("a token %s is refused by each service", async (_, claims) => {
  const before = backend.logs.length;
  expect(await answers(await signed(first, claims))).toEqual(REFUSED);
  const said = backend.logs.slice(before).filter(({ message }) => message.startsWith("A token of workos"));
  expect(said).toHaveLength(1);
});

test("a token that is over is refused, by its own reason", async () => {
  expect(await answers(await signed(first, { exp: 1_000 }))).toEqual({ ...REFUSED, rest: "PGRST303" });
});

test("neither another key of the same name, nor its public key as a secret, nor none at all signs", async () => {
  const other = await newKey("first");
  expect(await answers(await signed(other))).toEqual(REFUSED);
  const secret = new TextEncoder().encode(JSON.stringify(first.jwk));
  expect(await answers(await signed({ alg: "HS256", kid: "first", privateKey: secret }))).toMatchObject({
    storage: false,
    functions: false,
    realtime: "error",
  });
  const [, claims] = (await signed(first)).split(".");
  const head = Buffer.from(JSON.stringify({ alg: "none", kid: "first" })).toString("base64url");
  expect(await answers(`${head}.${claims}.`)).toMatchObject({
    storage: false,
    functions: false,
    realtime: "error",
  });
});

test("a new key is taken at most half a minute later, and unknown names do not flood the issuer", async () => {
  const second = await newKey("second", "ES256");
  backend.clock.advance(31_000);
  issuer.asked = [];
  for (let at = 0; at < 5; at++)
    expect((await answers(await signed({ ...second, kid: `guess-${at}` }))).rest).toBe("PGRST301");
  expect(issuer.asked).toHaveLength(2);
  issuer.keys = [first.jwk, second.jwk];
  expect((await answers(await signed(second))).rest).toBe("PGRST301");
  backend.clock.advance(31_000);
  expect(await answers(await signed(second))).toEqual(ACCEPTED);
  expect(issuer.asked).toHaveLength(4);
  backend.clock.reset();
});

test("this stack's own key signs in its place, and another stack refuses that", async () => {
  issuer.asked = [];
  const token = await backend.issuer("workos").sign({ sub: "user_2abc", org_id: "org_1" });
  expect(await answers(token)).toEqual(ACCEPTED);
  await using other = await createBackend({ projectFolder: folder });
  const response = await fetch(`${other.url}/rest/v1/notes`, {
    headers: { apikey: other.publishableKey, authorization: `Bearer ${token}` },
  });
  expect(response.status).toBe(401);
  expect(issuer.asked).toEqual([]);
  await expect(backend.issuer("clerk").sign()).rejects.toThrow(/enables auth.third_party.workos, not clerk/);
});

const fresh = (file: string) => {
  const said: LogEntry[] = [];
  const clock = new MovableClock();
  const tokens = new OtherIssuerTokens(
    { name: "workos", issuer: address },
    file,
    clock,
    createLog("auth", (entry) => said.push(entry)),
  );
  return { tokens, said, clock };
};

test("keys are kept for a start without a network, readable by this user alone", async () => {
  const file = join(folderForThisFile("kept"), "state", "keys.json");
  const token = await signed(first);
  expect(await fresh(file).tokens.checkToken(token)).toMatchObject({ ok: true });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  issuer.up = false;
  const { tokens, said } = fresh(file);
  expect(await tokens.checkToken(token)).toMatchObject({ ok: true });
  await expect
    .poll(() => said.map(({ message }) => message))
    .toEqual([expect.stringContaining("those of the last time are used")]);
  // Damaged, and of another issuer: as without one.
  for (const text of [
    "{",
    JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), issuer: "https://other" }),
  ]) {
    writeFileSync(file, text);
    const without = fresh(file);
    expect(await without.tokens.checkToken(token)).toMatchObject({ ok: false, failure: "unknown_key" });
    expect(without.said.map(({ message }) => message)).toEqual([
      expect.stringContaining("its tokens are refused"),
    ]);
  }
  issuer.up = true;
});

test("an issuer that calls itself by another name, or has no usable key, is not believed", async () => {
  const file = join(folderForThisFile("liar"), "keys.json");
  const known = issuer.keys;
  issuer.name = "https://elsewhere.example";
  const liar = fresh(file);
  expect(await liar.tokens.checkToken(await signed(first))).toMatchObject({ ok: false });
  expect(liar.said[0]?.message).toContain('calls itself "https://elsewhere.example"');
  issuer.name = undefined;
  issuer.keys = [{ kty: "oct", k: "c2VjcmV0", kid: "first", alg: "HS256" }];
  const bare = fresh(file);
  expect(await bare.tokens.checkToken(await signed(first))).toMatchObject({ ok: false });
  expect(bare.said[0]?.message).toContain("there is no key for RS256 or ES256");
  issuer.keys = known;
});

test("a key that a command has made is taken by the running stack", async () => {
  const file = join(folderForThisFile("shared"), "keys.json");
  const { tokens } = fresh(file);
  const command = new OtherIssuerTokens(
    { name: "workos", issuer: address },
    file,
    systemClock,
    createLog("x", () => {}),
  );
  expect(await tokens.checkToken(await command.sign({ sub: "a" }))).toMatchObject({
    ok: true,
    claims: { sub: "a" },
  });
});
