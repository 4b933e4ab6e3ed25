/**
 * Owns the legacy API keys, which are JWTs: signing those that `status` prints, and recognising other valid
 * ones, e.g. those printed by earlier versions of the Supabase CLI (docs/compat/platform.md 3.1).
 */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import type { JWK } from "jose";
import { equalSecrets } from "../core/equal-secrets.ts";
import { tokenPart } from "./verify-token.ts";

/** What an API key stands for. */
export type ApiKeyRole = "anon" | "service_role";

export interface LegacyMaterial {
  jwtSecret: string;
  signingKeys: readonly JWK[];
  /** Whether `jwtSecret` is accepted. */
  legacySecret: boolean;
  /** Whether the first capable signing key signs them, as with `auth.signing_keys_path`. */
  keysBySigningKey?: boolean;
}

/** Expiry of the CLI's public keys. */
const DEMO_EXPIRY = 1_983_812_996;
const TEN_YEARS_S = 10 * 365 * 24 * 3_600;
const LONGEST_KEY = 4_096;
const SIGNATURE: Record<string, string> = { ES256: "sha256", RS256: "sha256" };

/**
 * The legacy key of a role. Signed with the secret it has this exact payload, key order and no `iat`, so its
 * text equals the CLI's; signed with a signing key it is valid for ten years from now.
 */
export function legacyKey(role: ApiKeyRole, material: LegacyMaterial): string {
  const key = material.keysBySigningKey
    ? material.signingKeys.find((one) => (one.key_ops?.includes("sign") ?? true) && isPrivate(one))
    : undefined;
  const exp = key ? Math.floor(Date.now() / 1_000) + TEN_YEARS_S : DEMO_EXPIRY;
  const head = key
    ? { alg: algorithmOf(key), typ: "JWT", ...(key.kid ? { kid: key.kid } : {}) }
    : { alg: "HS256", typ: "JWT" };
  const text = `${encode(head)}.${encode({ iss: "supabase-demo", role, exp })}`;
  const signature = key ? signatureBy(key, text) : hmac(secretKey(material.jwtSecret), text);
  return `${text}.${signature.toString("base64url")}`;
}

/** A quick check: three parts of base64url, of a plausible length. */
export function mayBeLegacyKey(text: string): boolean {
  return text.length <= LONGEST_KEY && /^[\w-]+\.[\w-]+\.[\w-]+$/.test(text);
}

/**
 * The role of a JWT without a subject, signed with this Backend's secret or keys; the services check its
 * time.
 */
export function roleOfLegacyKey(text: string, material: LegacyMaterial): ApiKeyRole | undefined {
  const [head = "", body = "", signature = ""] = text.split(".");
  const header = tokenPart(head);
  const claims = tokenPart(body);
  const role = claims?.role;
  if (!header || !claims || claims.sub !== undefined || (role !== "anon" && role !== "service_role"))
    return undefined;
  const given = Buffer.from(signature, "base64url");
  return isSigned(`${head}.${body}`, given, header, material) ? role : undefined;
}

function isSigned(
  text: string,
  signature: Buffer,
  header: Record<string, unknown>,
  material: LegacyMaterial,
): boolean {
  const ofKey = material.signingKeys.filter((key) => header.kid === undefined || key.kid === header.kid);
  if (header.alg === "HS256") {
    const secrets = ofKey
      .filter((key) => key.kty === "oct")
      .map((key) => createSecretKey(String(key.k), "base64url"));
    if (material.legacySecret) secrets.push(secretKey(material.jwtSecret));
    return secrets.some((secret) => equalSecrets(hmac(secret, text), signature));
  }
  return ofKey
    .filter((key) => key.kty !== "oct" && algorithmOf(key) === header.alg)
    .some((key) => {
      const digest = SIGNATURE[algorithmOf(key)];
      if (digest === undefined) return false;
      const publicKey = createPublicKey({ key: { ...key }, format: "jwk" });
      return verify(digest, Buffer.from(text), { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
    });
}

function signatureBy(key: JWK, text: string): Buffer {
  if (key.kty === "oct") return hmac(createSecretKey(String(key.k), "base64url"), text);
  const privateKey = createPrivateKey({ key: { ...key }, format: "jwk" });
  return sign(SIGNATURE[algorithmOf(key)] ?? "sha256", Buffer.from(text), {
    key: privateKey,
    dsaEncoding: "ieee-p1363",
  });
}

function isPrivate(key: JWK): boolean {
  return key.kty === "oct" || key.d !== undefined;
}

function algorithmOf(key: JWK): string {
  return key.alg ?? (key.kty === "RSA" ? "RS256" : key.kty === "oct" ? "HS256" : "ES256");
}

function secretKey(secret: string): KeyObject {
  return createSecretKey(secret, "utf8");
}

function hmac(secret: KeyObject, text: string): Buffer {
  return createHmac("sha256", secret).update(text).digest();
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
