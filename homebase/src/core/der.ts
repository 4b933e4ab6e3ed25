/** Owns writing DER, the encoding of certificates (ITU-T X.690), as far as a self-signed certificate needs it. */

export const SEQUENCE = 0x30;
export const SET = 0x31;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const NULL = 0x05;
export const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
/** DER's boolean true, and object identifiers of certificates (RFC 5280), encoded. */
export const TRUE = Buffer.from([0x01, 0x01, 0xff]);
export const COMMON_NAME = Buffer.from("0603550403", "hex");
export const SUBJECT_ALT_NAME = Buffer.from("0603551d11", "hex");
/** Tag of a dNSName in a GeneralName. */
export const DNS_NAME = 0x82;

/** One element: a tag, the length, and the parts. At most 65,535 bytes. */
export function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
}

/** A time of a certificate's validity, in milliseconds: UTCTime until 2049, as RFC 5280 4.1.2.5 requires. */
export function time(at: number): Buffer {
  const digits = `${new Date(at).toISOString().replaceAll(/\D/g, "").slice(0, 14)}Z`;
  const year = Number(digits.slice(0, 4));
  if (year >= 1950 && year < 2050) return der(UTC_TIME, Buffer.from(digits.slice(2)));
  return der(GENERALIZED_TIME, Buffer.from(digits));
}

/** DER as PEM. @param label e.g. "CERTIFICATE" */
export function pem(label: string, content: Buffer): string {
  const lines = content.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
}
