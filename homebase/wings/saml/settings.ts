/**
 * Owns the settings of SAML. config.toml has no key for them, so they are read from the environment under
 * upstream's names (supabase/auth, internal/conf/saml.go; docs/decisions/0027-saml.md).
 */
import { createPrivateKey, type KeyObject } from "node:crypto";
import { type Config, ConfigError } from "../../src/config/config.ts";
import { duration } from "../../src/config/schema.ts";

const RELAY_STATE_MS = 120_000;

export interface SamlSettings {
  /** RSA, 2048 bits or more. */
  privateKey: KeyObject;
  /** The base of the service provider's addresses, if not Auth's own; without trailing slash. */
  externalUrl: string | undefined;
  encryptedAssertions: boolean;
  /** How long a user may stay at the identity provider. */
  relayStateMs: number;
}

/** Undefined while GOTRUE_SAML_ENABLED is not "true". @throws ConfigError for a missing or unusable key. */
export function readSamlSettings(environment: Config["environment"]): SamlSettings | undefined {
  if (environment.GOTRUE_SAML_ENABLED !== "true") return undefined;
  const validity = duration.safeParse(environment.GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD);
  const externalUrl = environment.GOTRUE_SAML_EXTERNAL_URL;
  if (externalUrl && !URL.canParse(externalUrl)) {
    throw new ConfigError("GOTRUE_SAML_EXTERNAL_URL is not a URL.");
  }
  return {
    privateKey: readKey(environment.GOTRUE_SAML_PRIVATE_KEY ?? ""),
    externalUrl: externalUrl ? externalUrl.replace(/\/+$/, "") : undefined,
    encryptedAssertions: environment.GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS === "true",
    relayStateMs: (validity.success && validity.data) || RELAY_STATE_MS,
  };
}

function readKey(text: string): KeyObject {
  const how =
    "Make one with: openssl genrsa -traditional 2048 | openssl rsa -traditional -outform DER | base64 -w0";
  if (text === "") throw new ConfigError(`SAML is enabled without GOTRUE_SAML_PRIVATE_KEY. ${how}`);
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs1" });
  } catch {
    throw new ConfigError(`GOTRUE_SAML_PRIVATE_KEY is not an RSA key in PKCS#1 format, in base64. ${how}`);
  }
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  if (modulusLength < 2_048) throw new ConfigError("GOTRUE_SAML_PRIVATE_KEY must be at least RSA 2048.");
  if (publicExponent !== 65_537n) {
    throw new ConfigError("GOTRUE_SAML_PRIVATE_KEY must use the public exponent 65537.");
  }
  return key;
}
