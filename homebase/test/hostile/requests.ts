/**
 * Owns hostile requests to a whole gateway and its inbox: each service's valid parts, mixed and damaged,
 * reproducible by seed.
 */
import { createHash, createHmac } from "node:crypto";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET, S3_REGION } from "../../src/storage/kit/s3-keys.ts";
import { type HostileRequest, hostileRequests, INJECTIONS, random } from "../rest/hostile.ts";
import type { HostileServer } from "./server.ts";

import {
  HEADERS,
  METHODS,
  PREFIXES,
  S3_TEMPLATES,
  TARGETS,
  type Target,
  TEMPLATES,
  type Template,
  TYPES,
  VALUES,
} from "./templates.ts";

export interface AimedRequest extends HostileRequest {
  target: Target;
}

/** An endless sequence of requests. */
export function* aimedRequests(seed: number, server: HostileServer): Generator<AimedRequest, never> {
  const next = random(seed);
  const rest = hostileRequests(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const chance = (probability: number) => next() < probability;
  const value = (): unknown => (chance(0.3) ? pick(INJECTIONS) : pick(VALUES));

  const spoil = (body: unknown): unknown => {
    if (chance(0.15)) return value();
    if (Array.isArray(body)) return body.map((item) => (chance(0.3) ? spoil(item) : item));
    if (typeof body !== "object" || body === null) return chance(0.5) ? value() : body;
    const copy: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(body)) {
      if (!chance(0.1)) copy[name] = chance(0.35) ? spoil(member) : member;
    }
    if (chance(0.1))
      Object.defineProperty(copy, pick(["__proto__", "constructor", "x"]), {
        value: value(),
        enumerable: true,
      });
    return copy;
  };
  const bytes = (body: unknown): Buffer => {
    if (chance(0.03)) return Buffer.from(pick(["[", '{"a":']).repeat(20_000));
    if (chance(0.02)) return Buffer.from(`${"[".repeat(3_000)}${"]".repeat(3_000)}`);
    if (chance(0.03)) return Buffer.from([0xff, 0xfe, 0x7b]);
    const text = typeof body === "string" ? body : JSON.stringify(chance(0.7) ? spoil(body) : body);
    if (chance(0.08)) return Buffer.from(text.slice(0, Math.floor(next() * text.length)));
    return Buffer.from(chance(0.05) ? text.repeat(200) : text);
  };
  const damage = (path: string): string => {
    const [place = "", query] = path.split("?", 2);
    if (query !== undefined && chance(0.6)) {
      const pairs = query.split("&").map((pair) => {
        const [name = "", given = ""] = pair.split("=", 2);
        return chance(0.5)
          ? `${name}=${encodeURIComponent(String(value()).slice(0, 500).toWellFormed())}`
          : `${name}=${given}`;
      });
      return `${place}?${pairs.join("&")}`;
    }
    const at = Math.floor(next() * (path.length + 1));
    const more = chance(0.5)
      ? pick(["%", "%2", "%ff", "//", "/", "/../", "?", "&", "=", "#", ";", "%0d%0a", "%25", "%C3%A9", "%2f"])
      : encodeURIComponent(String(pick(INJECTIONS)).toWellFormed());
    return path.slice(0, at) + more + path.slice(at + (chance(0.5) ? 1 : 0));
  };
  const caller = (headers: Record<string, string>): void => {
    const key = pick([
      server.anonKey,
      server.serviceRoleKey,
      server.serviceRoleKey,
      server.publishableKey,
      "wrong",
      "a.b.c",
    ]);
    if (chance(0.95)) headers.apikey = key;
    if (chance(0.8))
      headers.authorization = `${pick(["Bearer ", "Bearer ", "Bearer ", "bearer ", "Basic ", ""])}${key}`;
  };

  for (;;) {
    const target = pick(TARGETS);
    if (target === "rest") {
      const made = rest.next().value;
      const headers = { apikey: server.anonKey, ...made.headers };
      yield { ...made, headers, target, path: PREFIXES.rest + made.path };
      continue;
    }
    const [method, path, body] = pick<Template>(target === "s3" ? S3_TEMPLATES : TEMPLATES[target]);
    const headers: Record<string, string> = {};
    const damaged = chance(0.35) ? damage(path) : path;
    const made: AimedRequest = {
      target,
      method: chance(0.1) ? pick(METHODS) : method,
      path: PREFIXES[target] + (damaged.startsWith("/") ? damaged : `/${damaged}`),
      headers,
    };
    if (target === "tus") {
      headers["tus-resumable"] = "1.0.0";
      if (method === "POST") {
        headers["upload-length"] = "5";
        headers["upload-metadata"] = "bucketName ZmlsZXM=,objectName YQ==";
      } else if (method === "PATCH") {
        headers["upload-offset"] = "0";
        headers["content-type"] = "application/offset+octet-stream";
      }
    }
    if (body !== undefined) {
      made.body = bytes(body);
      // Node's client frames the body of a GET only when its length is set.
      headers["content-length"] = String(made.body.length);
      headers["content-type"] ??= typeof body === "string" ? "text/plain" : "application/json";
    }
    if (chance(0.1)) headers["content-type"] = pick(TYPES);
    for (let count = Math.floor(next() * 3); count > 0; count--) {
      const [name, values] = pick(HEADERS);
      Object.defineProperty(headers, name, {
        value: Buffer.from(chance(0.8) ? pick(values) : pick(INJECTIONS).replace(/\p{Cc}/gu, "?")).toString(
          "latin1",
        ),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    if (target === "s3") Object.assign(headers, signature(made, new URL(server.url).host));
    else if (target !== "inbox") caller(headers);
    yield made;
  }
}

/** An AWS signature version 4 of the request, without its body. */
function signature({ method, path }: HostileRequest, host: string): Record<string, string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
  const [place = "", query = ""] = path.split("?", 2);
  const pairs = query
    .split("&")
    .filter(Boolean)
    .map((pair) => (pair.includes("=") ? pair : `${pair}=`))
    .sort();
  const headers = `host:${host}\nx-amz-content-sha256:UNSIGNED-PAYLOAD\nx-amz-date:${time}\n`;
  const names = "host;x-amz-content-sha256;x-amz-date";
  const canonical = [method, place, pairs.join("&"), headers, names, "UNSIGNED-PAYLOAD"].join("\n");
  const scope = `${time.slice(0, 8)}/${S3_REGION}/s3/aws4_request`;
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const key = scope
    .split("/")
    .reduce<string | Buffer>((held, part) => hmac(held, part), `AWS4${S3_ACCESS_KEY_SECRET}`);
  const text = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join(
    "\n",
  );
  return {
    "x-amz-date": time,
    "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    authorization: `AWS4-HMAC-SHA256 Credential=${S3_ACCESS_KEY_ID}/${scope}, SignedHeaders=${names}, Signature=${hmac(key, text).toString("hex")}`,
  };
}
