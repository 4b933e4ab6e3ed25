/** Access tokens that Auth must reject, and expired ones (docs/compat/auth.md 0). */
import { createHmac, generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../for-this-file.ts";
import { authBackend, clientOf, PASSWORD } from "../client.ts";

const INVALID = "invalid JWT: unable to parse or verify signature, ";
const KID = "b81269f1-21d8-4f2e-b719-c2240a840d90";

let token: string;
let claims: Record<string, unknown>;
const backend = await forThisFile(authBackend());
beforeAll(async () => {
  const { data } = await clientOf(backend).auth.signUp({ email: "token@example.com", password: PASSWORD });
  token = data.session?.access_token ?? "";
  claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
});

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

async function user(authorization: string) {
  const response = await fetch(`${backend.url}/auth/v1/user`, {
    headers: { apikey: backend.publishableKey, authorization },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** A token with its own header, signed as HS256 by a secret. */
function hs256(secret: string, header: object, payload: unknown = claims): string {
  const head = `${encode(header)}.${encode(payload)}`;
  return `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
}

describe("GET /user", () => {
  it("takes the token that it gave, with the scheme in any case", async () => {
    expect((await user(`bearer ${token}`)).status).toBe(200);
  });

  it("refuses a token whose claims were changed", async () => {
    const [head, , signature] = token.split(".");
    const forged = `${head}.${encode({ ...claims, role: "service_role" })}.${signature}`;
    expect(await user(`Bearer ${forged}`)).toEqual({
      status: 403,
      body: {
        code: 403,
        error_code: "bad_jwt",
        msg: `${INVALID}token signature is invalid: signature is invalid`,
      },
    });
  });

  it("refuses an unsigned token: alg none", async () => {
    const answer = await user(`Bearer ${encode({ alg: "none", typ: "JWT" })}.${encode(claims)}.`);
    expect(answer).toMatchObject({
      status: 403,
      body: {
        error_code: "bad_jwt",
        msg: `${INVALID}token signature is invalid: signing method none is invalid`,
      },
    });
  });

  it("refuses a token of another key pair, with our key's name and with an unknown one", async () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const sign = (kid: string) =>
      new SignJWT(claims).setProtectedHeader({ alg: "ES256", typ: "JWT", kid }).sign(privateKey);
    expect((await user(`Bearer ${await sign(KID)}`)).body.msg).toContain("signature is invalid");
    expect((await user(`Bearer ${await sign("nobody")}`)).body).toMatchObject({
      error_code: "bad_jwt",
      msg: `${INVALID}token is unverifiable: error while executing keyfunc: unrecognized JWT kid nobody for algorithm ES256`,
    });
  });

  it("refuses HS256 by another secret, and by our public key taken for a secret", async () => {
    for (const secret of [
      "another-secret-of-thirty-two-characters",
      JSON.stringify(backend.backend.keys.publicJwks.keys[0]),
    ]) {
      const answer = await user(`Bearer ${hs256(secret, { alg: "HS256", typ: "JWT", kid: KID })}`);
      expect(answer).toMatchObject({ status: 403, body: { error_code: "bad_jwt" } });
    }
  });

  it("takes HS256 by the project's secret: the legacy kind", async () => {
    expect(
      (await user(`Bearer ${hs256(backend.config.auth.jwt_secret, { alg: "HS256", typ: "JWT" })}`)).status,
    ).toBe(200);
  });

  it.each([
    ["an expired one", { exp: 1_000 }, 403, `${INVALID}token has invalid claims: token is expired`],
    [
      "one whose expiry is a text",
      { exp: "never" },
      403,
      `${INVALID}token is malformed: could not JSON decode claim`,
    ],
    ["one without subject", { sub: "" }, 403, "invalid claim: missing sub claim"],
    ["one whose subject is no UUID", { sub: "ada" }, 400, "invalid claim: sub claim must be a UUID"],
  ])("refuses %s", async (_case, changes, status, msg) => {
    const signed = hs256(
      backend.config.auth.jwt_secret,
      { alg: "HS256", typ: "JWT" },
      { ...claims, ...changes },
    );
    expect(await user(`Bearer ${signed}`)).toEqual({
      status,
      body: { code: status, error_code: "bad_jwt", msg },
    });
  });

  it("refuses a user who is gone: user_not_found", async () => {
    const gone = { ...claims, sub: crypto.randomUUID(), session_id: undefined };
    const signed = hs256(backend.config.auth.jwt_secret, { alg: "HS256", typ: "JWT" }, gone);
    expect(await user(`Bearer ${signed}`)).toMatchObject({
      status: 403,
      body: { error_code: "user_not_found" },
    });
  });

  it("refuses what is no token, and a token whose audience is not the one asked for", async () => {
    expect((await user("Bearer rubbish")).body).toMatchObject({ error_code: "bad_jwt" });
    const response = await fetch(`${backend.url}/auth/v1/user`, {
      headers: { apikey: backend.publishableKey, authorization: `Bearer ${token}`, "x-jwt-aud": "other" },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error_code: "validation_failed" });
  });
});
