/** Custom signing keys: the key file, and rotation without signing anybody out (docs/compat/auth.md 4). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterAll, describe, expect, it } from "vitest";
import { keysOf } from "../../../src/backend/create-keys.ts";
import { loadConfig } from "../../../src/config/config.ts";
import type { TestBackend } from "../../../src/testing/index.ts";
import { authBackend, clientOf, PASSWORD, PROJECT } from "../client.ts";

const folder = await mkdtemp(join(tmpdir(), "homebase-keys-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function makeKey(alg: "RS256" | "ES256", kid: string, operations: string[]): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), alg, kid, use: "sig", key_ops: operations };
}

async function withKeys(keys: JWK[]): Promise<TestBackend> {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify(keys));
  return authBackend({ signing_keys_path: path });
}

async function userOf(backend: TestBackend, token: string): Promise<number> {
  const response = await fetch(`${backend.url}/auth/v1/user`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}` },
  });
  await response.arrayBuffer();
  return response.status;
}

describe("signing_keys_path", () => {
  it("signs with the key that may sign, RS256 too, and shows public parts alone", async () => {
    const retired = await makeKey("ES256", "old", ["verify"]);
    const current = await makeKey("RS256", "new", ["sign", "verify"]);
    await using backend = await withKeys([retired, current]);
    const client = clientOf(backend);
    const { data } = await client.auth.signUp({ email: "rs@example.com", password: PASSWORD });
    const token = data.session?.access_token ?? "";
    expect(decodeProtectedHeader(token)).toEqual({ alg: "RS256", kid: "new", typ: "JWT" });
    expect(await userOf(backend, token)).toBe(200);
    const jwks = (await (await fetch(`${backend.url}/auth/v1/.well-known/jwks.json`)).json()) as {
      keys: JWK[];
    };
    expect(jwks.keys.map(({ kid, alg, key_ops }) => ({ kid, alg, key_ops }))).toEqual([
      { kid: "old", alg: "ES256", key_ops: ["verify"] },
      { kid: "new", alg: "RS256", key_ops: ["verify"] },
    ]);
    const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "k"];
    for (const key of jwks.keys) for (const member of privateMembers) expect(key).not.toHaveProperty(member);
    // The client itself verifies with these keys.
    const { data: checked, error } = await client.auth.getClaims();
    expect(error).toBeNull();
    expect(checked?.claims.email).toBe("rs@example.com");
  });

  it("changes keys without signing anybody out: the old key goes on verifying", async () => {
    const first = await makeKey("ES256", "first", ["sign", "verify"]);
    const config = loadConfig({ from: PROJECT });
    const path = join(folder, "rotating.json");
    await writeFile(path, JSON.stringify([first]));
    const before = keysOf({ ...config, auth: { ...config.auth, signing_keys_path: path } });
    const second = await makeKey("ES256", "second", ["sign", "verify"]);
    await using backend = await withKeys([second, { ...first, key_ops: ["verify"] }]);
    const { data } = await clientOf(backend).auth.signUp({ email: "kept@example.com", password: PASSWORD });
    const claims = JSON.parse(
      Buffer.from(data.session?.access_token.split(".")[1] ?? "", "base64url").toString(),
    );
    expect(decodeProtectedHeader(data.session?.access_token ?? "").kid).toBe("second");
    expect(await userOf(backend, await before.sign(claims))).toBe(200);
    // Tokens of a key that was removed from the file are rejected.
    const gone = await makeKey("ES256", "gone", ["sign"]);
    const stranger = keysOf({
      ...config,
      auth: { ...config.auth, signing_keys_path: await written([gone]) },
    });
    expect(await userOf(backend, await stranger.sign(claims))).toBe(403);
  });

  it("signs the keys that are JWTs, which work in every service", async () => {
    await using backend = await withKeys([await makeKey("ES256", "own", ["sign", "verify"])]);
    for (const [key, role] of [
      [backend.anonKey, "anon"],
      [backend.serviceRoleKey, "service_role"],
    ] as const) {
      expect(decodeProtectedHeader(key)).toEqual({ alg: "ES256", kid: "own", typ: "JWT" });
      const claims = decodeJwt(key);
      expect(claims).toMatchObject({ iss: "supabase-demo", role });
      expect((claims.exp ?? 0) - Date.now() / 1_000).toBeGreaterThan(9 * 365 * 24 * 3_600);
    }
    const headers = { apikey: backend.serviceRoleKey, authorization: `Bearer ${backend.serviceRoleKey}` };
    for (const path of ["/auth/v1/admin/users", "/storage/v1/bucket", "/rest/v1/"]) {
      expect([path, (await fetch(backend.url + path, { headers })).status]).toEqual([path, 200]);
    }
    // The keys of another start differ in their text and are equally valid.
    const config = { ...backend.config, auth: { ...backend.config.auth } };
    const again = keysOf(config);
    expect(again.serviceRoleKey).not.toBe(backend.serviceRoleKey);
    expect(again.roleOfApiKey(backend.serviceRoleKey)).toBe("service_role");
  });

  it("takes every key that the CLI's secret has signed for a role, and no other", async () => {
    await using backend = await authBackend({});
    const key = (claims: Record<string, unknown>, secret = backend.config.auth.jwt_secret) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .sign(new TextEncoder().encode(secret));
    const ask = async (apikey: string) =>
      (await fetch(`${backend.url}/auth/v1/settings`, { headers: { apikey } })).status;
    expect(await ask(await key({ role: "anon" }))).toBe(200);
    expect(
      await ask(await key({ iss: "supabase-demo", role: "service_role", iat: 1, exp: 1_983_812_996 })),
    ).toBe(200);
    expect(await ask(await key({ role: "anon" }, "another-secret-of-at-least-32-characters"))).toBe(401);
    expect(await ask(await key({ role: "authenticated", sub: crypto.randomUUID() }))).toBe(401);
    expect(await ask(await key({ role: "postgres" }))).toBe(401);
    expect(await ask(`${await key({ role: "anon" })}x`)).toBe(401);
  });

  it("a key that is a JWT is no bearer token by being sent as apikey", async () => {
    await using backend = await authBackend({});
    await backend.sql("create function whoami() returns text language sql as 'select current_user::text'");
    const ask = async (headers: Record<string, string>) =>
      (await fetch(`${backend.url}/rest/v1/rpc/whoami`, { headers })).json();
    expect(await ask({ apikey: backend.serviceRoleKey })).toBe("anon");
    expect(await ask({ apikey: backend.secretKey })).toBe("service_role");
    expect(
      await ask({ apikey: backend.serviceRoleKey, authorization: `Bearer ${backend.serviceRoleKey}` }),
    ).toBe("service_role");
    const admin = await fetch(`${backend.url}/auth/v1/admin/users`, {
      headers: { apikey: backend.serviceRoleKey },
    });
    expect([admin.status, await admin.json()]).toMatchObject([401, { error_code: "no_authorization" }]);
  });

  it("goes on taking tokens of the legacy secret, and refuses another one's", async () => {
    await using backend = await withKeys([await makeKey("ES256", "new", ["sign", "verify"])]);
    const { data } = await clientOf(backend).auth.signUp({ email: "hs@example.com", password: PASSWORD });
    const claims = JSON.parse(
      Buffer.from(data.session?.access_token.split(".")[1] ?? "", "base64url").toString(),
    );
    const legacy = (secret: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .sign(new TextEncoder().encode(secret));
    expect(await userOf(backend, await legacy(backend.config.auth.jwt_secret))).toBe(200);
    expect(await userOf(backend, await legacy("another-secret-of-at-least-32-characters"))).toBe(403);
  });
});

async function written(keys: JWK[]): Promise<string> {
  const path = join(folder, `${crypto.randomUUID()}.json`);
  await writeFile(path, JSON.stringify(keys));
  return path;
}
