/** Tests vapid.ts. */
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { expect, it } from "vitest";
import { fromBase64url, toBase64url } from "./base64url.ts";
import { PushNotConfigured, vapidFrom } from "./vapid.ts";

const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const { x = "", y = "" } = publicKey.export({ format: "jwk" });
const point = toBase64url(Uint8Array.of(4, ...fromBase64url(x), ...fromBase64url(y)));
const settings = {
  VAPID_PUBLIC_KEY: point,
  VAPID_PRIVATE_KEY: privateKey.export({ format: "jwk" }).d ?? "",
  VAPID_SUBJECT: "mailto:table@nosh.test",
};
const from = (variables: Record<string, string>) => vapidFrom((name) => variables[name]);

it("signs a token for the endpoint's origin", async () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  const vapid = await from(settings);
  const header = await vapid.authorization("https://push.example.net/send/1?x=2", now);
  const [, head = "", claims = "", signature = "", key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(key).toBe(point);
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(head)).toEqual({ typ: "JWT", alg: "ES256" });
  expect(read(claims)).toEqual({
    aud: "https://push.example.net",
    exp: now / 1000 + 12 * 3600,
    sub: "mailto:table@nosh.test",
  });
  const verifier = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  expect(
    verify(
      "sha256",
      Buffer.from(`${head}.${claims}`),
      { key: verifier, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    ),
  ).toBe(true);
});

it.each([
  ["nothing is set", {}],
  ["a key is missing", { ...settings, VAPID_PRIVATE_KEY: "" }],
  ["the public key is invalid", { ...settings, VAPID_PUBLIC_KEY: point.slice(0, 40) }],
  ["the subject is not an address", { ...settings, VAPID_SUBJECT: "Nosh" }],
])("if %s, push is not configured", async (_what, variables) => {
  await expect(from(variables)).rejects.toThrow(PushNotConfigured);
});
