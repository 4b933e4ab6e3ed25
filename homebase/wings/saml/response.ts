/**
 * Owns the envelope of a response, before its signature is checked: what must hold for any response, and for
 * the checks of the signature to mean something. Nothing of it is trusted.
 */
import { type XmlElement, XmlError } from "../../src/core/xml.ts";
import { ASSERTION, allOf, childOf, childrenOf, instantOf, PROTOCOL, SIGNATURE } from "./xml.ts";

/** SHA-1 is left out: two documents with one SHA-1 digest can be made. */
const SIGNATURE_ALGORITHMS = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
]);
const DIGESTS = new Set([
  "http://www.w3.org/2001/04/xmlenc#sha256",
  "http://www.w3.org/2001/04/xmlenc#sha512",
]);
const SUCCESS = "urn:oasis:names:tc:SAML:2.0:status:Success";
const ENCRYPTION = "http://www.w3.org/2001/04/xmlenc#";
/** Ciphers that detect changes, and key transports without PKCS#1 v1.5 padding: no answer tells about a plain text. */
const CIPHERS = new Set([
  "http://www.w3.org/2009/xmlenc11#aes128-gcm",
  "http://www.w3.org/2009/xmlenc11#aes256-gcm",
]);
const KEY_TRANSPORTS = new Set([
  "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
  "http://www.w3.org/2009/xmlenc11#rsa-oaep",
]);

/** The response is not accepted; the message gives the reason, for the log. */
export class ResponseRefused extends Error {
  override readonly name = "ResponseRefused";
}

/** The attributes of a response. */
export interface Envelope {
  issuer: string | undefined;
  destination: string | undefined;
  inResponseTo: string | undefined;
  /** Milliseconds. */
  issuedAt: number;
  status: string;
  /** Whether the response as a whole has a signature. */
  signed: boolean;
  encrypted: boolean;
}

/** The issuer of a response that is not verified yet. */
export function issuerOf(response: XmlElement): string {
  return childOf(response, ASSERTION, "Issuer")?.text.trim() ?? "";
}

/**
 * Checks the shape of a response: one assertion, one element of each id, only known algorithms.
 * @throws XmlError
 */
export function checkEnvelope(response: XmlElement, encryptionAllowed: boolean): Envelope {
  if (response.namespace !== PROTOCOL || response.name !== "Response") throw new XmlError("Not a response.");
  const status = childOf(childOf(response, PROTOCOL, "Status"), PROTOCOL, "StatusCode");
  const envelope: Envelope = {
    issuer: issuerOf(response) || undefined,
    destination: response.attributes.get("Destination") || undefined,
    inResponseTo: response.attributes.get("InResponseTo") || undefined,
    issuedAt: instantOf(response.attributes.get("IssueInstant") ?? ""),
    status: status?.attributes.get("Value") ?? "",
    signed: childrenOf(response, SIGNATURE, "Signature").length > 0,
    encrypted: childrenOf(response, ASSERTION, "EncryptedAssertion").length > 0,
  };
  if (envelope.encrypted && !encryptionAllowed) throw new XmlError("Encrypted assertions are not allowed.");
  checkTree(response, envelope.encrypted ? 1 : 0);
  const own = childrenOf(response, ASSERTION, "Assertion").length + (envelope.encrypted ? 1 : 0);
  if (own !== 1 && envelope.status === SUCCESS) throw new XmlError("Not one assertion.");
  return envelope;
}

/** Checks a decrypted assertion as `checkEnvelope` does a response; nothing of it is verified yet. @throws XmlError */
export function checkDecrypted(assertion: XmlElement): void {
  if (assertion.namespace !== ASSERTION || assertion.name !== "Assertion")
    throw new XmlError("Not an assertion.");
  checkTree(assertion, 0);
}

/**
 * At most one assertion in the whole tree: one somewhere else has no honest purpose, but signature wrapping
 * needs it. Names count whatever their namespace, because other parsers look at the names only.
 */
function checkTree(root: XmlElement, encrypted: 0 | 1): void {
  const ids = new Set<string>();
  const counts = { assertion: 0, data: 0, key: 0 };
  for (const element of allOf(root)) {
    if (element.name === "Assertion" || element.name === "EncryptedAssertion") counts.assertion += 1;
    if (element.name === "EncryptedData") counts.data += 1;
    if (element.name === "EncryptedKey") counts.key += 1;
    for (const [name, id] of element.attributes) {
      if (name.toLowerCase() !== "id") continue;
      if (ids.has(id)) throw new XmlError("Two elements have one id.");
      ids.add(id);
    }
    checkAlgorithm(element);
  }
  if (counts.assertion > 1) throw new XmlError("Not one assertion.");
  if (counts.data !== encrypted || counts.key !== encrypted)
    throw new XmlError("Not one encrypted assertion.");
}

/** @throws XmlError for an algorithm that is not on the lists above. */
function checkAlgorithm(element: XmlElement): void {
  const { namespace, name } = element;
  if (namespace === SIGNATURE && name === "SignatureMethod") requireOneOf(element, SIGNATURE_ALGORITHMS);
  // Not every DigestMethod: that of an encrypted key is part of OAEP, which SHA-1 does not weaken.
  if (namespace === SIGNATURE && name === "Reference") {
    for (const digest of childrenOf(element, SIGNATURE, "DigestMethod")) requireOneOf(digest, DIGESTS);
  }
  if (name !== "EncryptedData" && name !== "EncryptedKey") return;
  if (namespace !== ENCRYPTION) throw new XmlError("Not one encrypted assertion.");
  const methods = childrenOf(element, ENCRYPTION, "EncryptionMethod");
  if (methods.length !== 1) throw new XmlError("Not one encryption method.");
  for (const method of methods) requireOneOf(method, name === "EncryptedData" ? CIPHERS : KEY_TRANSPORTS);
}

function requireOneOf({ attributes }: XmlElement, allowed: ReadonlySet<string>): void {
  const algorithm = attributes.get("Algorithm") ?? "";
  if (!allowed.has(algorithm)) throw new XmlError(`The algorithm ${algorithm} is not accepted.`);
}
