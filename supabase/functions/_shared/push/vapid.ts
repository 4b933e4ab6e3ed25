/**
 * Owns: identifying the app to push services (VAPID, RFC 8292): a key pair of P-256, whose public key a browser
 * subscribes with, and a short-lived token for each push service.
 */
import { fromBase64url, toBase64url } from "./base64url.ts";

export interface Vapid {
  /** The public key, an uncompressed point in base64url. */
  publicKey: string;
  /** The value of the Authorization header for an endpoint. */
  authorization(endpoint: string, now: number): Promise<string>;
}

export class PushNotConfigured extends Error {
  constructor(reason: string) {
    super(`No web push: ${reason}`);
  }
}

/** A push service refuses tokens that are valid for more than 24 hours. */
const VALID_SECONDS = 12 * 3600;

/**
 * @param read returns an environment variable
 * @throws PushNotConfigured if a key or the subject is missing or invalid
 */
export async function vapidFrom(read: (name: string) => string | undefined): Promise<Vapid> {
  const [publicKey, privateKey, subject] = ["VAPID_PUBLIC_KEY", "VAPID_PRIVATE_KEY", "VAPID_SUBJECT"].map(
    (name) => read(name)?.trim(),
  );
  if (!publicKey || !privateKey || !subject) {
    throw new PushNotConfigured("set VAPID_PUBLIC_KEY, VAPID_PRIVATE_KEY and VAPID_SUBJECT.");
  }
  if (!/^(mailto:|https:\/\/)\S+$/.test(subject)) {
    throw new PushNotConfigured("VAPID_SUBJECT must be a mailto: or https: address.");
  }
  const key = await signingKey(publicKey, privateKey);
  return {
    publicKey,
    async authorization(endpoint, now) {
      const claims = {
        aud: new URL(endpoint).origin,
        exp: Math.floor(now / 1000) + VALID_SECONDS,
        sub: subject,
      };
      const unsigned = `${part({ typ: "JWT", alg: "ES256" })}.${part(claims)}`;
      const signature = await crypto.subtle.sign(
        { name: "ECDSA", hash: "SHA-256" },
        key,
        new TextEncoder().encode(unsigned),
      );
      return `vapid t=${unsigned}.${toBase64url(new Uint8Array(signature))}, k=${publicKey}`;
    },
  };
}

async function signingKey(publicKey: string, privateKey: string): Promise<CryptoKey> {
  try {
    const point = fromBase64url(publicKey);
    if (point.length !== 65 || point[0] !== 4) throw new Error("not an uncompressed point");
    const [x, y] = [point.slice(1, 33), point.slice(33)].map(toBase64url);
    return await crypto.subtle.importKey(
      "jwk",
      { kty: "EC", crv: "P-256", x, y, d: privateKey },
      { name: "ECDSA", namedCurve: "P-256" },
      false,
      ["sign"],
    );
  } catch {
    throw new PushNotConfigured("VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY are not a pair of P-256 keys.");
  }
}

function part(value: object): string {
  return toBase64url(new TextEncoder().encode(JSON.stringify(value)));
}
