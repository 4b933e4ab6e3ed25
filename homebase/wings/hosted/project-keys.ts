/** Owns what a hosted project is born with: its reference, its keys, and how the Management API shows a secret. */
import { createHash, generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import type { JWK } from "jose";

/** A digest as in `GET /v1/projects/{ref}/secrets`. */
export function secretDigest(value: string): string {
  return createHash("sha256").update(value).digest("hex");
}

export function madeUpRef(): string {
  return [...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join("");
}

/** `sb_publishable_<22>_<8>`: docs/compat/platform.md 2.2. */
export function opaqueKey(kind: "publishable" | "secret"): string {
  const body = `sb_${kind}_${randomBytes(17).toString("base64url").slice(0, 22)}`;
  return `${body}_${createHash("sha256").update(body).digest("base64url").slice(0, 8)}`;
}

export function newSigningKey(): JWK {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    ...(privateKey.export({ format: "jwk" }) as JWK),
    alg: "ES256",
    use: "sig",
    key_ops: ["sign", "verify"],
    kid: randomUUID(),
  };
}
