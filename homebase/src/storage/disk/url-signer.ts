/**
 * Owns the key of signed URLs: random, one for each storage folder, and the only one that is accepted. The JWT secret of
 * a local stack is public, so a URL signed with it could name any object (docs/compat/storage.md 4).
 */
import { randomBytes, randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SignJWT } from "jose";
import { isRecord } from "../../core/record.ts";
import { type Claims, SignatureVerifier, type TokenCheck } from "../../tokens/verify-token.ts";
import { undefinedIfMissing } from "./disk.ts";

const FILE = "url-signing-key.json";
const ALGORITHM = "HS256";
const KEY_BYTES = 32;
const CACHE_ENTRIES = 1_000;

interface SigningKey {
  kid: string;
  secret: Uint8Array;
}

/** Signs and verifies the tokens of one storage folder's URLs. */
export class UrlSigner {
  readonly #folder: string;
  #key: Promise<SigningKey> | undefined;
  readonly #verifier = new SignatureVerifier(
    ({ alg, kid }) => (alg === ALGORITHM && kid !== undefined ? [this.#secretOf(kid)] : "algorithm"),
    CACHE_ENTRIES,
  );

  constructor(folder: string) {
    this.#folder = folder;
  }

  async sign(claims: Claims): Promise<string> {
    const { kid, secret } = await this.#load();
    return new SignJWT(claims).setProtectedHeader({ alg: ALGORITHM, kid }).sign(secret);
  }

  /** Verifies a signature, not the time claims. */
  check(token: string): Promise<TokenCheck> {
    return this.#verifier.checkToken(token);
  }

  async #secretOf(kid: unknown): Promise<Uint8Array> {
    const key = await this.#load();
    if (key.kid !== kid) throw new Error("Another key signed this token.");
    return key.secret;
  }

  #load(): Promise<SigningKey> {
    this.#key ??= readOrCreate(join(this.#folder, FILE)).catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }
}

async function readOrCreate(path: string): Promise<SigningKey> {
  const text = await readFile(path, "utf8").catch(undefinedIfMissing);
  const stored = text === undefined ? undefined : parse(text);
  if (stored) return stored;
  const key = { kid: `storage-url-signing-key_${randomUUID()}`, secret: randomBytes(KEY_BYTES) };
  const jwk = { kty: "oct", alg: ALGORITHM, kid: key.kid, k: key.secret.toString("base64url") };
  const temporary = `${path}.${randomUUID()}`;
  await writeFile(temporary, JSON.stringify(jwk), { mode: 0o600, flush: true });
  await rename(temporary, path);
  return key;
}

/** A file that no key can be read from is replaced: only URLs that are out end by it. */
function parse(text: string): SigningKey | undefined {
  try {
    const jwk: unknown = JSON.parse(text);
    if (!isRecord(jwk) || typeof jwk.kid !== "string" || typeof jwk.k !== "string") return undefined;
    const secret = Buffer.from(jwk.k, "base64url");
    return secret.length >= KEY_BYTES ? { kid: jwk.kid, secret } : undefined;
  } catch {
    return undefined;
  }
}
