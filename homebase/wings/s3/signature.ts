/**
 * Owns AWS Signature Version 4: parsing and verifying a request's signature (AWS documentation,
 * "Authenticating Requests (AWS Signature Version 4)").
 */
import { createHash, createHmac } from "node:crypto";
import { equalSecrets } from "../../src/core/equal-secrets.ts";
import { encodeStrict } from "../../src/core/percent.ts";
import { StorageError } from "../../src/storage/kit/errors.ts";

/** The signer, time and scope in the request. */
export interface ClientSignature {
  accessKey: string;
  /** `YYYYMMDD` of the credential's scope. */
  shortDate: string;
  region: string;
  service: string;
  signedHeaders: string[];
  /** In hex. */
  signature: string;
  /** `YYYYMMDDTHHMMSSZ`. */
  longDate: string;
  /** Hash of the body, or its transfer mode. */
  contentSha: string | undefined;
  sessionToken: string | undefined;
  presigned: boolean;
}

/** The signed parts of a request. */
export interface SignedRequest {
  method: string;
  /** As the client sent it: with all prefixes, percent-encoded, without the query. */
  path: string;
  query: ReadonlyMap<string, string>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export const ALGORITHM = "AWS4-HMAC-SHA256";
export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
export const EMPTY_SHA256 = createHash("sha256").digest("hex");
const SERVICE = "s3";
/** Regions that clients send when they do not know the server's. */
const ANY_REGION = ["auto", "us-east-1", ""];
/** Headers that proxies and clients change after signing. */
const UNSIGNABLE = new Set([
  "authorization",
  "connection",
  "expect",
  "from",
  "keep-alive",
  "max-forwards",
  "pragma",
  "referer",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "x-amzn-trace-id",
]);

export const invalidSignature = (message: string) => new StorageError("InvalidSignature", message);

/**
 * The signature in `Authorization`.
 * @throws InvalidSignature
 */
export function readHeaderSignature(headers: SignedRequest["headers"]): ClientSignature {
  const parameters = new Map<string, string>();
  for (const part of String(headers.authorization).slice(ALGORITHM.length).split(",")) {
    const mark = part.indexOf("=");
    if (mark > 0) parameters.set(part.slice(0, mark).trim(), part.slice(mark + 1).trim());
  }
  return readParts({
    credential: parameters.get("Credential"),
    signedHeaders: parameters.get("SignedHeaders"),
    signature: parameters.get("Signature"),
    longDate: single(headers["x-amz-date"]),
    contentSha: single(headers["x-amz-content-sha256"]),
    sessionToken: single(headers["x-amz-security-token"]),
    presigned: false,
  });
}

/**
 * The signature in the query of a presigned URL.
 * @param now milliseconds since the epoch.
 * @throws InvalidSignature, ExpiredToken
 */
export function readQuerySignature(query: ReadonlyMap<string, string>, now: number): ClientSignature {
  const signature = readParts({
    credential: query.get("X-Amz-Credential"),
    signedHeaders: query.get("X-Amz-SignedHeaders"),
    signature: query.get("X-Amz-Signature"),
    longDate: query.get("X-Amz-Date"),
    contentSha: query.get("X-Amz-Content-Sha256"),
    sessionToken: query.get("X-Amz-Security-Token"),
    presigned: true,
  });
  const expires = query.get("X-Amz-Expires");
  if (expires) {
    const seconds = Number.parseInt(expires, 10);
    if (Number.isNaN(seconds) || seconds < 0) throw invalidSignature("Invalid expiration");
    if (readLongDate(signature.longDate) + seconds * 1000 < now) throw expired();
  }
  return signature;
}

export const expired = () => new StorageError("ExpiredToken", "The provided token has expired.");

interface SignatureParts {
  credential: string | undefined;
  signedHeaders: string | undefined;
  signature: string | undefined;
  longDate: string | undefined;
  contentSha: string | undefined;
  sessionToken: string | undefined;
  presigned: boolean;
}

/** Combines the fields of a signature from a header or a query. */
export function readParts(parts: SignatureParts): ClientSignature {
  const { credential, signedHeaders, signature, longDate } = parts;
  if (!credential || signedHeaders === undefined || !signature || !longDate) {
    throw invalidSignature("Invalid signature format");
  }
  const scope = credential.split("/");
  const [accessKey = "", shortDate = "", region = "", service = ""] = scope;
  if (scope.length !== 5) throw invalidSignature("Invalid credentials");
  return {
    accessKey,
    shortDate,
    region,
    service,
    signature,
    longDate,
    signedHeaders: signedHeaders.split(";").filter(Boolean),
    contentSha: parts.contentSha,
    sessionToken: parts.sessionToken,
    presigned: parts.presigned,
  };
}

function readLongDate(text: string): number {
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

/** Computes signatures with one secret, for one day, region and service. */
export class Signer {
  readonly #key: Buffer;
  readonly #scope: string;

  /** @param region the server's own; `ANY_REGION` is replaced by it. */
  constructor(secret: string, { shortDate, region, service }: ClientSignature, ownRegion: string) {
    if (service !== SERVICE) throw new StorageError("AccessDenied", "Invalid Service");
    const chosen = ANY_REGION.includes(region) ? region : ownRegion;
    this.#scope = `${shortDate}/${chosen}/${SERVICE}/aws4_request`;
    this.#key = [shortDate, chosen, SERVICE, "aws4_request"].reduce<Buffer>(
      hmac,
      Buffer.from(`AWS4${secret}`),
    );
  }

  /** Whether the request was signed with this secret. */
  signed(client: ClientSignature, request: SignedRequest): boolean {
    const canonical = canonicalRequest(client, request);
    return equalSecrets(
      client.signature,
      this.#sign([ALGORITHM, client.longDate, this.#scope, sha256(canonical)]),
    );
  }

  /** Whether the text itself was signed, as a form's policy is. */
  signedText(client: ClientSignature, text: string): boolean {
    return equalSecrets(client.signature, hmac(this.#key, text).toString("hex"));
  }

  /** The signature of a chunk, from its hash and the previous signature. */
  chunk(client: ClientSignature, previous: string, hash: string): string {
    return this.#sign([`${ALGORITHM}-PAYLOAD`, client.longDate, this.#scope, previous, EMPTY_SHA256, hash]);
  }

  /** The signature of the trailer, from its lines and the last chunk's signature. */
  trailer(client: ClientSignature, previous: string, lines: string): string {
    return this.#sign([`${ALGORITHM}-TRAILER`, client.longDate, this.#scope, previous, sha256(lines)]);
  }

  #sign(lines: string[]): string {
    return hmac(this.#key, lines.join("\n")).toString("hex");
  }
}

function canonicalRequest(client: ClientSignature, { method, path, query, headers }: SignedRequest): string {
  const parameters = [...query]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => [encodeStrict(name), encodeStrict(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map((pair) => pair.join("="));
  const names = [...client.signedHeaders].sort();
  const lines = names
    .filter((name) => !UNSIGNABLE.has(name.toLowerCase()))
    .flatMap((name) => {
      const value = headerValue(headers, name);
      return value === undefined ? [] : [`${name}:${value.trim().replace(/\s+/g, " ")}\n`];
    });
  return [
    method,
    path,
    parameters.join("&"),
    lines.join(""),
    names.join(";"),
    payloadHash(client, method),
  ].join("\n");
}

function payloadHash({ presigned, contentSha }: ClientSignature, method: string): string {
  if (presigned && method === "GET") return UNSIGNED_PAYLOAD;
  return contentSha ?? UNSIGNED_PAYLOAD;
}

function headerValue(headers: SignedRequest["headers"], name: string): string | undefined {
  if (name === "host") return forwardedHost(headers) ?? single(headers.host);
  if (name === "content-length") return single(headers[name]) ?? "0";
  return single(headers[name]);
}

/** The client's original Host, if a proxy has replaced it. */
function forwardedHost(headers: SignedRequest["headers"]): string | undefined {
  const host = single(headers["x-forwarded-host"])?.toLowerCase();
  const port = single(headers["x-forwarded-port"]);
  if (!host || !port || port === "443" || port === "80") return host;
  return `${host.replace(/:\d+$/, "")}:${port}`;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value;
}

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
