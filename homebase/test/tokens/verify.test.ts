/** Token verification for all services: signature, key selection, expiry and start. */
import { generateKeyPairSync } from "node:crypto";
import { importPKCS8, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { developmentSigningKey, Keys } from "../../src/tokens/keys.ts";
import { SignatureVerifier, verifyToken } from "../../src/tokens/verify-token.ts";

const NOW = 1_800_000_000;
const clock = { now: () => NOW * 1_000 };
const secret = "super-secret-jwt-token-with-at-least-32-characters-long";
const keys = new Keys({
  jwtSecret: secret,
  publishableKey: "sb_publishable_test",
  secretKey: "sb_secret_test",
  signingKeys: [developmentSigningKey],
  legacySecret: true,
});

describe("time claims", () => {
  test.each([
    [{}, true],
    [{ exp: NOW + 1 }, true],
    [{ exp: NOW }, "expired"],
    [{ exp: NOW - 1 }, "expired"],
    [{ nbf: NOW }, true],
    [{ nbf: NOW + 1 }, "not_yet"],
    [{ exp: NOW, nbf: NOW + 1 }, "expired"],
    [{ iat: NOW + 1 }, true],
    [{ exp: "soon" }, "time_type"],
    [{ exp: String(NOW - 1) }, "time_type"],
    [{ exp: null }, "time_type"],
    [{ exp: NOW + 1, nbf: [NOW] }, "time_type"],
    [{ exp: NOW + 1, iat: true }, "time_type"],
  ])("%j", async (claims, expected) => {
    for (const token of [await keys.sign(claims), await keys.signWithSecret(claims)]) {
      const check = await verifyToken(token, keys, clock);
      expect(check.ok || check.failure).toBe(expected);
    }
  });

  test("are looked at anew each time, also where the signature's check is remembered", async () => {
    const token = await keys.sign({ exp: NOW + 60 });
    expect((await verifyToken(token, keys, clock)).ok).toBe(true);
    const later = { now: () => (NOW + 60) * 1_000 };
    expect(await verifyToken(token, keys, later)).toMatchObject({ ok: false, failure: "expired" });
  });
});

describe("the signature", () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

  test("must be of the key that the kid names", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const pem = privateKey.export({ format: "pem", type: "pkcs8" }).toString();
    const sign = async (header: { alg: string; kid?: string }) =>
      new SignJWT({ sub: "someone" }).setProtectedHeader(header).sign(await importPKCS8(pem, "ES256"));
    const failure = async (token: string) => {
      const check = await verifyToken(token, keys, clock);
      return check.ok || check.failure;
    };
    const { kid = "" } = developmentSigningKey;
    expect(await failure(await sign({ alg: "ES256", kid: "another" }))).toBe("unknown_key");
    expect(await failure(await sign({ alg: "ES256", kid }))).toBe("signature");
    expect(await failure(await sign({ alg: "ES256" }))).toBe("signature");
  });

  test.each([
    ["", "malformed"],
    ["a.b", "malformed"],
    [`${encode([])}.${encode({})}.x`, "malformed"],
    [`${encode({ alg: "none" })}.${encode({ role: "service_role" })}.`, "algorithm"],
    [`${encode({ alg: "HS512" })}.${encode({})}.x`, "algorithm"],
    [`${encode({ alg: "HS256" })}.${encode({ role: "service_role" })}.AAAA`, "signature"],
  ])("%s is refused as %s", async (token, failure) => {
    expect(await verifyToken(token, keys, clock)).toMatchObject({ ok: false, failure });
  });

  test("over claims that are no object is malformed", async () => {
    const { CompactSign } = await import("jose");
    const key = new TextEncoder().encode(secret);
    for (const payload of ["[1]", "null", "no json"]) {
      const token = await new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: "HS256" })
        .sign(key);
      expect(await verifyToken(token, keys, clock)).toMatchObject({ ok: false, failure: "malformed" });
    }
  });
});

test("as many outcomes are remembered as there is room for, the oldest goes first", async () => {
  let evicted = 0;
  const key = new TextEncoder().encode(secret);
  const verifier = new SignatureVerifier(
    () => [key],
    2,
    () => {
      evicted += 1;
    },
  );
  const tokens = await Promise.all([1, 2, 3].map((sub) => keys.signWithSecret({ sub })));
  for (const token of tokens) expect((await verifier.checkToken(token)).ok).toBe(true);
  expect(tokens.map((token) => verifier.cachedCheck(token) !== undefined)).toEqual([false, true, true]);
  expect(evicted).toBe(1);
});
