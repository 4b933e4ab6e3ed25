/** Owns creating a Backend's keys from the configuration. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { JWK } from "jose";
import { type Config, ConfigError } from "../config/config.ts";
import { otherIssuerOf } from "../config/third-party.ts";
import { type Clock, systemClock } from "../core/clock.ts";
import { type Log, silentLog } from "../core/log.ts";
import { developmentSigningKey, Keys } from "../tokens/keys.ts";
import { OtherIssuerTokens } from "../tokens/other-issuer.ts";

/**
 * The configured keys; the CLI's public development keys by default.
 * @param more `issuerFile` keeps the keys of another issuer, and the one in its place
 * @throws ConfigError when `signing_keys_path` names no usable file.
 */
export function keysOf(
  config: Config,
  {
    issuerFile,
    clock = systemClock,
    log = silentLog,
  }: { issuerFile?: string | undefined; clock?: Clock; log?: Log } = {},
): Keys {
  const own = config.auth.signing_keys_path
    ? readSigningKeys(config, config.auth.signing_keys_path)
    : undefined;
  const other = otherIssuerOf(config.auth);
  const material = {
    jwtSecret: config.auth.jwt_secret,
    publishableKey: config.auth.publishable_key,
    secretKey: config.auth.secret_key,
    signingKeys: own ?? [developmentSigningKey],
    legacySecret: true,
    keysBySigningKey: own !== undefined,
  };
  return new Keys(material, other && new OtherIssuerTokens(other, issuerFile, clock, log));
}

function readSigningKeys(config: Config, path: string): JWK[] {
  const file = resolve(config.supabaseFolder, path);
  try {
    const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
    const keys = Array.isArray(parsed) ? parsed : [parsed];
    if (keys.length === 0 || !keys.every((key) => typeof key === "object" && key !== null && "kty" in key)) {
      throw new Error("it holds no JSON Web Key");
    }
    return keys as JWK[];
  } catch (error) {
    throw new ConfigError(
      `auth.signing_keys_path = "${path}" cannot be used: ${error instanceof Error ? error.message : error}`,
    );
  }
}
