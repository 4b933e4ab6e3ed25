/**
 * Owns the tokens of another issuer (`[auth.third_party.*]`): its keys, which are fetched when a token first needs them
 * and kept for starts without a network, and a key of this stack's own that signs in the issuer's place.
 */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from "jose";
import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { isRecord } from "../core/record.ts";
import { isSafeAddress } from "../core/safe-address.ts";
import {
  type Claims,
  type SignatureCheck,
  SignatureVerifier,
  type TokenCheck,
  tokenPart,
  type VerificationKey,
} from "./verify-token.ts";

/** A symmetric algorithm is not among them: whoever can check its tokens can make them. */
const ALGORITHMS = ["RS256", "ES256"];
const ROLES: readonly unknown[] = [undefined, "anon", "authenticated"];
const CACHE_ENTRIES = 2_000;
const FETCH_MS = 5_000;
const LONGEST_ANSWER = 512 * 1024;
/** Between two attempts. */
const PAUSE_MS = 30_000;
/** Older keys are fetched again beside the work that they are used for. */
const FRESH_MS = 10 * 60_000;
const TOKEN_SECONDS = 3_600;
/** Begins the name of a stack's own key. */
const LOCAL = "local-";

interface Stored {
  issuer: string;
  /** Of the issuer. */
  keys: JWK[];
  /** This stack's own, private. */
  own: JWK;
}

export interface OtherIssuer {
  /** The name of its section in config.toml, e.g. `clerk`. */
  name: string;
  /** `iss` of its tokens, below which its keys are found. */
  issuer: string;
}

export class OtherIssuerTokens implements SignatureCheck {
  readonly name: string;
  readonly issuer: string;
  readonly #file: string | undefined;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #verifier = new SignatureVerifier((header) => this.#candidates(header), CACHE_ENTRIES);
  readonly #imported = new WeakMap<JWK, Promise<VerificationKey>>();
  #keys: JWK[];
  #own: JWK | undefined;
  /** Why the last token was refused. */
  #said = "";
  #fetching: Promise<void> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetchedAt = Number.NEGATIVE_INFINITY;

  /** @param file keeps the keys; without it they are lost with this process. */
  constructor({ name, issuer }: OtherIssuer, file: string | undefined, clock: Clock, log: Log) {
    this.name = name;
    this.issuer = issuer;
    this.#file = file;
    this.#clock = clock;
    this.#log = log;
    const stored = this.#stored();
    this.#keys = stored?.issuer === issuer ? stored.keys : [];
    this.#own = stored?.own;
  }

  async checkToken(token: string): Promise<TokenCheck> {
    const kid = tokenPart(token.split(".", 1)[0] ?? "")?.kid;
    if (typeof kid === "string") await this.#haveKey(kid);
    return this.#accepted(await this.#verifier.checkToken(token));
  }

  /** A cached result of `checkToken`. */
  cachedCheck(token: string): TokenCheck | undefined {
    const check = this.#verifier.cachedCheck(token);
    return check && this.#accepted(check);
  }

  /**
   * A token as the issuer makes it, signed by this stack's key, which no other stack trusts.
   * @param claims replace the usual ones; without `exp` it is valid for an hour
   */
  async sign(claims: Claims): Promise<string> {
    let own = this.#ownKey();
    if (!own) {
      own = await makeKey();
      this.#store(own);
    }
    const iat = Math.floor(this.#clock.now() / 1_000);
    return new SignJWT({ iss: this.issuer, role: "authenticated", iat, exp: iat + TOKEN_SECONDS, ...claims })
      .setProtectedHeader({ alg: "ES256", typ: "JWT", kid: String(own.kid) })
      .sign(await importJWK(own, "ES256"));
  }

  /** What a valid signature does not show: that the token is of this issuer, ends, and claims no other role. */
  #accepted(check: TokenCheck): TokenCheck {
    if (!check.ok) return check;
    const { iss, exp, role } = check.claims;
    const fault = !isSameIssuer(iss, this.issuer)
      ? `its issuer is ${JSON.stringify(iss)} and not ${this.issuer}`
      : typeof exp !== "number"
        ? "it never expires (no exp)"
        : !ROLES.includes(role)
          ? `its role is ${JSON.stringify(role)}; anon and authenticated are accepted`
          : undefined;
    if (fault === undefined) return check;
    // A client sends the same token again and again.
    if (fault !== this.#said) this.#log.warn(`A token of ${this.name} was refused: ${fault}.`);
    this.#said = fault;
    return { ok: false, failure: "unknown_key", header: { ...check.header } };
  }

  async #candidates({
    alg,
    kid,
  }: Record<string, unknown>): Promise<readonly VerificationKey[] | "unknown_key"> {
    if (!ALGORITHMS.includes(String(alg)) || typeof kid !== "string") return "unknown_key";
    const own = kid.startsWith(LOCAL) ? this.#ownKey() : undefined;
    const key = own?.kid === kid ? own : this.#keys.find((one) => one.kid === kid && fits(one, String(alg)));
    if (!key) return "unknown_key";
    let imported = this.#imported.get(key);
    if (!imported) {
      const { d: _private, key_ops: _operations, ...rest } = key;
      imported = importJWK(rest, String(alg));
      this.#imported.set(key, imported);
    }
    return [await imported];
  }

  /** Fetches the keys where this one is not among them, or they are old. */
  async #haveKey(kid: string): Promise<void> {
    if (kid.startsWith(LOCAL)) return;
    const now = this.#clock.now();
    const known = this.#keys.some((one) => one.kid === kid);
    if (known && now - this.#fetchedAt < FRESH_MS) return;
    if (!this.#fetching && now - this.#triedAt >= PAUSE_MS) {
      this.#triedAt = now;
      this.#fetching = this.#fetch().finally(() => {
        this.#fetching = undefined;
      });
    }
    if (!known) await this.#fetching;
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = await fetchKeys(this.issuer);
      this.#fetchedAt = this.#clock.now();
      this.#store(this.#ownKey() ?? (await makeKey()));
    } catch (error) {
      const { message, cause } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      const left = this.#keys.length > 0 ? "those of the last time are used" : "its tokens are refused";
      this.#log.warn(`The keys of ${this.name} (${this.issuer}) could not be fetched; ${left}: ${why}`);
    }
  }

  /** A command may have made it meanwhile. */
  #ownKey(): JWK | undefined {
    this.#own ??= this.#stored()?.own;
    return this.#own;
  }

  /** What an earlier process has kept; a file that cannot be read is none. */
  #stored(): Stored | undefined {
    if (this.#file === undefined) return undefined;
    try {
      const { issuer, keys, own } = JSON.parse(readFileSync(this.#file, "utf8")) as Partial<Stored>;
      return typeof issuer === "string" && Array.isArray(keys) && isRecord(own)
        ? { issuer, keys, own }
        : undefined;
    } catch {
      return undefined;
    }
  }

  #store(own: JWK): void {
    this.#own = own;
    if (this.#file === undefined) return;
    const stored: Stored = { issuer: this.issuer, keys: this.#keys, own };
    mkdirSync(dirname(this.#file), { recursive: true });
    const whole = `${this.#file}.new`;
    writeFileSync(whole, JSON.stringify(stored), { mode: 0o600 });
    chmodSync(whole, 0o600);
    renameSync(whole, this.#file);
  }
}

/** By OpenID Connect Discovery: the issuer names the address of its keys. */
async function fetchKeys(issuer: string): Promise<JWK[]> {
  const found = await fetchJson(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
  if (!isSameIssuer(found.issuer, issuer)) throw new Error(`it calls itself ${JSON.stringify(found.issuer)}`);
  const address = String(found.jwks_uri);
  if (!isSafeAddress(address))
    throw new Error(`it has its keys at ${JSON.stringify(address)}, which is not https`);
  const { keys } = await fetchJson(address);
  const usable = (Array.isArray(keys) ? keys : []).filter(
    (key): key is JWK =>
      isRecord(key) && typeof key.kid === "string" && ALGORITHMS.some((alg) => fits(key, alg)),
  );
  if (usable.length === 0) throw new Error(`there is no key for ${ALGORITHMS.join(" or ")} at ${address}`);
  return usable;
}

async function fetchJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(FETCH_MS),
    headers: { accept: "application/json" },
  });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  if (!isSafeAddress(response.url)) throw new Error(`${url} leads to ${response.url}, which is not https`);
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > LONGEST_ANSWER) throw new Error(`${url} answered more than ${LONGEST_ANSWER} bytes`);
    parts.push(part);
  }
  const value: unknown = JSON.parse(Buffer.concat(parts).toString("utf8"));
  if (!isRecord(value)) throw new Error(`${url} answered no object`);
  return value;
}

function fits(key: JWK, alg: string): boolean {
  const type = alg === "RS256" ? key.kty === "RSA" : key.kty === "EC" && key.crv === "P-256";
  return type && (key.alg ?? alg) === alg && (key.use ?? "sig") === "sig";
}

/** Auth0's ends with a slash, and configurations leave it out. */
function isSameIssuer(given: unknown, issuer: string): boolean {
  return typeof given === "string" && given.replace(/\/$/, "") === issuer.replace(/\/$/, "");
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair("ES256", { extractable: true });
  return {
    ...(await exportJWK(privateKey)),
    alg: "ES256",
    use: "sig",
    kid: `${LOCAL}${crypto.randomUUID()}`,
  };
}
