/**
 * Owns XML of SAML: its namespaces, its times, and the limits that keep the later signature check cheap
 * (docs/decisions/0027-saml.md).
 */
import { type XmlElement, XmlError, type XmlLimits } from "../../src/core/xml.ts";

export const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
export const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
export const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
export const SIGNATURE = "http://www.w3.org/2000/09/xmldsig#";

/** A connection's metadata has one provider, but may be that of a small federation. Only `sax` reads it. */
export const METADATA_LIMITS: XmlLimits = {
  characters: 512 * 1024,
  depth: 48,
  elements: 10_000,
  attributes: 10_000,
  namespaces: 1_000,
  others: 1_000,
};
/**
 * The time of the signature check grows with the square of the number of nodes: 9,000 elements take 18 seconds,
 * these limits a fifth of one. A user's thousand groups fit in.
 */
export const RESPONSE_LIMITS: XmlLimits = {
  characters: 256 * 1024,
  depth: 24,
  elements: 1_200,
  attributes: 2_000,
  namespaces: 60,
  others: 40,
};
/** The children with a namespace and name. */
export function childrenOf(parent: XmlElement, namespace: string, name: string): XmlElement[] {
  return parent.children.filter((child) => child.namespace === namespace && child.name === name);
}

/** The first child with a namespace and name. */
export function childOf(
  parent: XmlElement | undefined,
  namespace: string,
  name: string,
): XmlElement | undefined {
  return parent?.children.find((child) => child.namespace === namespace && child.name === name);
}

/** An element and everything inside it. */
export function* allOf(root: XmlElement): Generator<XmlElement> {
  const waiting = [root];
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    yield one;
    waiting.push(...one.children);
  }
}

/** Escapes text for an element or an attribute in double quotes. */
export function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\r", "&#xD;")
    .replaceAll("\n", "&#xA;")
    .replaceAll("\t", "&#x9;");
}

/** An xs:dateTime in milliseconds; without a zone it is UTC, as SAML requires. @throws XmlError */
export function instantOf(text: string): number {
  const parts = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?)(Z|[+-]\d\d:\d\d)?$/.exec(text.trim());
  const at = parts ? Date.parse(`${parts[1]}${parts[2] ?? "Z"}`) : Number.NaN;
  if (Number.isNaN(at)) throw new XmlError("Not a time.");
  return at;
}

/** An xs:duration in milliseconds, a year as 365 days and a month as 30. @throws XmlError */
export function durationOf(text: string): number {
  const parts =
    /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(
      text.trim(),
    );
  if (!parts) throw new XmlError("Not a duration.");
  const [years, months, days, hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  const allDays = (years ?? 0) * 365 + (months ?? 0) * 30 + (days ?? 0);
  return (((allDays * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000;
}
