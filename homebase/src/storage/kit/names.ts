/** Owns validating bucket names, object keys, content types and sizes (docs/compat/storage.md 3). */
import { isHeaderValue } from "../../http/header-values.ts";
import { StorageError } from "./errors.ts";

const KEY = /^[\w/!.*'()&$=@;:+,? -]+$/;
const BUCKET = /^[\w!.*'()&$=@;:+,? -]+$/;
const MIME_RULE = /^[a-zA-Z0-9\-+.]+\/[a-zA-Z0-9\-+.*]+(;\s*charset=[a-zA-Z0-9-]+)?$/;
const MAX_BUCKET_NAME = 100;
const MAX_KEY_BYTES = 1024;
const MAX_MIME_RULE = 1000;
/** The placeholder of an empty folder: always empty, of any type. */
export const EMPTY_FOLDER = ".emptyFolderPlaceholder";

/** @throws InvalidKey unless `key` is a valid object name. */
export function requireKey(key: string): void {
  const refuse = (text: string) => {
    throw new StorageError("InvalidKey", `Invalid key: ${text}`);
  };
  if (key === "" || !KEY.test(key) || Buffer.byteLength(key) > MAX_KEY_BYTES) refuse(key);
  if (key.split("/").some((segment) => segment === "." || segment === "..")) {
    refuse(`${key} contains dot path segment`);
  }
}

/** @throws InvalidBucketName unless `name` is a valid bucket name. */
export function requireBucketName(name: string): void {
  const usable =
    name.length >= 1 &&
    name.length <= MAX_BUCKET_NAME &&
    BUCKET.test(name) &&
    name.trim() === name &&
    !name.endsWith("--table-s3");
  if (!usable) throw new StorageError("InvalidBucketName", "Bucket name invalid");
}

/** @throws InvalidMimeType for an invalid entry of an allow-list. */
export function requireMimeRules(rules: readonly string[]): void {
  for (const rule of rules) {
    if (rule.length > MAX_MIME_RULE || !(MIME_RULE.test(rule) || rule.endsWith("*"))) {
      throw new StorageError("InvalidMimeType", `mime type ${rule} is not supported`);
    }
  }
}

/** @throws InvalidMimeType unless the list is empty or includes the type; `image/*` is a wildcard. */
export function requireMimeAllowed(type: string, rules: readonly string[] | null): void {
  if (!rules || rules.length === 0) return;
  const slash = type.indexOf("/");
  const [kind, rest] = [type.slice(0, slash), type.slice(slash + 1)];
  const allowed = rules.some((rule) => {
    const at = rule.indexOf("/");
    return rule.slice(0, at) === kind && (rule.slice(at + 1) === "*" || rule.slice(at + 1) === rest);
  });
  if (slash < 0 || !allowed) throw new StorageError("InvalidMimeType", `mime type ${type} is not supported`);
}

/** RFC 9110 8.4. */
const CODINGS = /^[\w-]{1,32}(?: *, *[\w-]{1,32}){0,3}$/;

/**
 * Rejects values that are not valid headers, since every download sends them. @throws InvalidMimeType,
 * InvalidRequest
 */
export function requireHeaderValues(mimetype: string, cacheControl: string, contentEncoding = ""): void {
  if (!isHeaderValue(mimetype)) {
    throw new StorageError("InvalidMimeType", "The content type has characters that no header can have");
  }
  if (!isHeaderValue(cacheControl)) {
    throw new StorageError("InvalidRequest", "The cache control has characters that no header can have");
  }
  if (contentEncoding !== "" && !CODINGS.test(contentEncoding)) {
    throw new StorageError("InvalidRequest", "The content encoding is no list of codings, e.g. gzip");
  }
}

/** A size of the API: an integer, or decimal units such as "1.5gb". Null when it is neither. */
export function parseSize(value: unknown): number | null {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 ? value : null;
  if (typeof value !== "string") return null;
  if (/^\d+$/.test(value)) return Number(value);
  const match = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)$/i.exec(value);
  if (!match) return null;
  const factor = { gb: 1e9, mb: 1e6, kb: 1e3, b: 1 }[(match[2] ?? "b").toLowerCase()] ?? 1;
  return Math.floor(Number(Number(match[1]).toFixed(3)) * factor);
}
