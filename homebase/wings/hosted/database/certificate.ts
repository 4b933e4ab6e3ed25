/** Owns the self-signed certificate of a stand-in's database, made new for each. DER as in RFC 5280. */
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import {
  BIT_STRING,
  COMMON_NAME,
  DNS_NAME,
  der,
  INTEGER,
  OCTET_STRING,
  pem,
  SEQUENCE,
  SET,
  SUBJECT_ALT_NAME,
  TRUE,
  time,
  UTF8_STRING,
} from "../../../src/core/der.ts";

export interface Certificate {
  /** Both PEM. */
  certificate: string;
  privateKey: string;
}

const VALID_MS = 30 * 24 * 60 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Object identifiers, encoded. */
const BASIC_CONSTRAINTS = Buffer.from("0603551d13", "hex");
const ECDSA_WITH_SHA256 = Buffer.from("06082a8648ce3d040302", "hex");
/** Of GeneralName. */
const IP_ADDRESS = 0x87;

/**
 * A certificate for localhost and 127.0.0.1, valid for 30 days, which is its own authority. @param names of hosts that
 * it is for besides
 */
export function selfSigned(commonName: string, now = Date.now(), names: readonly string[] = []): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serial = randomBytes(16);
  // Positive, and without leading zeros.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from(commonName)))));
  const extensions = [
    der(SEQUENCE, BASIC_CONSTRAINTS, TRUE, der(OCTET_STRING, der(SEQUENCE, TRUE))),
    der(
      SEQUENCE,
      SUBJECT_ALT_NAME,
      der(
        OCTET_STRING,
        der(
          SEQUENCE,
          ...["localhost", ...names].map((name) => der(DNS_NAME, Buffer.from(name))),
          der(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
        ),
      ),
    ),
  ];
  const content = der(
    SEQUENCE,
    // Version 3.
    der(0xa0, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, serial),
    algorithm,
    name,
    der(SEQUENCE, time(now - DAY_MS), time(now + VALID_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = sign("sha256", content, privateKey);
  const whole = der(SEQUENCE, content, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  return {
    certificate: pem("CERTIFICATE", whole),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}
