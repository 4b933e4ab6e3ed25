/**
 * Owns the service provider's certificate: a self-signed vessel for its public key, the same at every start,
 * so that identity providers need no new one (supabase/auth, internal/conf/saml.go).
 */
import { createPublicKey, type KeyObject, sign } from "node:crypto";
import {
  BIT_STRING,
  COMMON_NAME,
  DNS_NAME,
  der,
  INTEGER,
  NULL,
  OCTET_STRING,
  SEQUENCE,
  SET,
  SUBJECT_ALT_NAME,
  TRUE,
  time,
  UTF8_STRING,
} from "../../src/core/der.ts";

/** Object identifiers, encoded. */
const KEY_USAGE = Buffer.from("0603551d0f", "hex");
const RSA_WITH_SHA256 = Buffer.from("06092a864886f70d01010b", "hex");
/** Bits of keyUsage, after the number of unused bits: digitalSignature, and dataEncipherment. */
const SIGNING = Buffer.from([7, 0x80]);
const SIGNING_AND_ENCRYPTION = Buffer.from([4, 0x90]);
const START = Date.UTC(1970, 0, 1);
const END = Date.UTC(2170, 0, 1);

/**
 * The certificate of a key for a host, as DER. RSA signatures with PKCS#1 padding are deterministic, so one
 * key always gives the same certificate.
 */
export function serviceCertificate(key: KeyObject, host: string, encryption: boolean): Buffer {
  const algorithm = der(SEQUENCE, RSA_WITH_SHA256, der(NULL));
  const commonName = der(UTF8_STRING, Buffer.from(`SAML 2.0 Certificate for ${host}`));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, commonName)));
  const usage = der(BIT_STRING, encryption ? SIGNING_AND_ENCRYPTION : SIGNING);
  const names = der(SEQUENCE, der(DNS_NAME, Buffer.from(`_samlsp.${host}`)));
  const content = der(
    SEQUENCE,
    // Version 3.
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([0])),
    algorithm,
    name,
    der(SEQUENCE, time(START), time(END)),
    name,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(
      0xa3,
      der(
        SEQUENCE,
        der(SEQUENCE, KEY_USAGE, TRUE, der(OCTET_STRING, usage)),
        der(SEQUENCE, SUBJECT_ALT_NAME, der(OCTET_STRING, names)),
      ),
    ),
  );
  return der(SEQUENCE, content, algorithm, der(BIT_STRING, Buffer.from([0]), sign("sha256", content, key)));
}
