/** Keys of one's own: the file of signing keys, and changing them without signing anybody out (docs/compat/auth.md 4). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeProtectedHeader, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keysOf } from "../../src/backend/keys.ts";
import { loadConfig } from "../../src/config/config.ts";
import type { TestBackend } from "../../src/testing/index.ts";
import { authBackend, clientOf, PASSWORD, PROJECT } from "./client.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homebase-keys-"));
});
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
    // The client verifies by these keys itself.
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
    // A key that was taken out of the file signs nobody in any more.
    const gone = await makeKey("ES256", "gone", ["sign"]);
    const stranger = keysOf({
      ...config,
      auth: { ...config.auth, signing_keys_path: await written([gone]) },
    });
    expect(await userOf(backend, await stranger.sign(claims))).toBe(403);
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
