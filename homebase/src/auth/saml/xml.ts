/**
 * Owns XML of SAML: metadata, responses, assertions. `sax` parses in linear time, expands no entities of a
 * document type, and within limits that keep the later signature check cheap (docs/decisions/0017-xml.md).
 */
import sax from "sax";
import { isStorable } from "../../core/json.ts";

export const PROTOCOL = "urn:oasis:names:tc:SAML:2.0:protocol";
export const ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion";
export const METADATA = "urn:oasis:names:tc:SAML:2.0:metadata";
export const SIGNATURE = "http://www.w3.org/2000/09/xmldsig#";

/** A parsed element. */
export interface XmlElement {
  namespace: string;
  /** Without prefix. */
  name: string;
  /** By their names as written. */
  attributes: ReadonlyMap<string, string>;
  children: XmlElement[];
  /** Its text without its children's, entities decoded, comments left out. */
  text: string;
}

/** The text is not XML, or exceeds the limits. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** The limits of a document. */
export interface XmlLimits {
  characters: number;
  depth: number;
  elements: number;
  attributes: number;
  namespaces: number;
  /** Comments, processing instructions and CDATA sections. */
  others: number;
}

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
/** Interval in characters at which `sax` checks its own limits. */
const PIECE = 64 * 1024;
/** Without the entities of HTML. */
const OPTIONS: sax.SAXOptions & { strictEntities: boolean } = { xmlns: true, strictEntities: true };

/** Parses a document; a document type is rejected, and with it every entity of its own. @throws XmlError */
export function parseXml(text: string, limits: XmlLimits): XmlElement {
  if (text.length > limits.characters) throw new XmlError("The document is too long.");
  const roots: XmlElement[] = [];
  const open: XmlElement[] = [];
  let elements = 0;
  let attributes = 0;
  let namespaces = 0;
  let others = 0;
  const parser = sax.parser(true, OPTIONS);
  const addText = (more: string) => {
    if (!isStorable(more)) throw new XmlError("Not a character of XML.");
    const current = open.at(-1);
    if (current) current.text += more;
  };
  parser.onerror = (error) => {
    throw new XmlError(error.message.split("\n", 1)[0]);
  };
  const countOther = () => {
    others += 1;
    if (others > limits.others) throw new XmlError("Too many comments, instructions or sections.");
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.onopencdata = countOther;
  parser.oncomment = countOther;
  parser.onprocessinginstruction = countOther;
  parser.ondoctype = () => {
    throw new XmlError("A document type is not allowed.");
  };
  parser.onattribute = ({ name }) => {
    attributes += 1;
    if (name.startsWith("xmlns")) namespaces += 1;
    if (attributes > limits.attributes || namespaces > limits.namespaces)
      throw new XmlError("Too many attributes.");
  };
  parser.onopentag = (tag) => {
    elements += 1;
    if (elements > limits.elements) throw new XmlError("Too many elements.");
    if (open.length >= limits.depth) throw new XmlError("Too many elements within each other.");
    const element: XmlElement = {
      namespace: "uri" in tag ? tag.uri : "",
      name: "local" in tag ? tag.local : tag.name,
      attributes: new Map(
        Object.entries(tag.attributes).map(([name, value]) => [
          name,
          typeof value === "string" ? value : value.value,
        ]),
      ),
      children: [],
      text: "",
    };
    (open.at(-1)?.children ?? roots).push(element);
    open.push(element);
  };
  parser.onclosetag = () => void open.pop();
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.close();
  const [root] = roots;
  if (roots.length !== 1 || !root) throw new XmlError("Not one whole element.");
  return root;
}

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
