/**
 * Owns XML as the S3 protocol needs it: a few elements deep, no attributes that matter. Written by hand
 * because that is a page, and because a general parser would bring entity expansion, which no request
 * here may have.
 */

/** A value of an answer: a list repeats its element, undefined is an empty one. */
export type XmlValue = string | number | boolean | null | undefined | XmlObject | readonly XmlValue[];
export interface XmlObject {
  [name: string]: XmlValue;
}

/** An element that was read. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  /** Its text without that of its children, entities decoded. */
  text: string;
}

/** What was sent is not XML, or XML that no S3 request has. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAX_DEPTH = 16;
/** A tag, a comment, a declaration or CDATA; a name may have a prefix. */
const MARKUP =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<(\/?)([A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)(?:\s+[^<>]*?)?(\/?)>/g;
const ENTITIES: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** A document of one element in S3's namespace. */
export function writeXml(root: string, value: XmlValue): string {
  const inside = contents(value);
  const open = `${root} xmlns="${NAMESPACE}"`;
  return DECLARATION + (inside === "" ? `<${open}/>` : `<${open}>${inside}</${root}>`);
}

function contents(value: XmlValue): string {
  if (value === undefined || value === null) return "";
  if (typeof value !== "object") return escapeText(String(value));
  if (Array.isArray(value)) return value.map(contents).join("");
  return Object.entries(value)
    .map(([name, child]) =>
      Array.isArray(child) ? child.map((one) => element(name, one)).join("") : element(name, child),
    )
    .join("");
}

function element(name: string, value: XmlValue): string {
  const inside = contents(value);
  return inside === "" ? `<${name}/>` : `<${name}>${inside}</${name}>`;
}

function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("\r", "&#xD;");
}

/**
 * Reads a document. Prefixes of names and attributes are dropped.
 * @throws XmlError
 */
export function readXml(text: string): XmlElement {
  const top: XmlElement = { name: "", children: [], text: "" };
  const open: XmlElement[] = [top];
  let at = 0;
  for (const match of text.matchAll(MARKUP)) {
    addText(open, text.slice(at, match.index));
    at = match.index + match[0].length;
    const [, cdata, closing, , name, empty] = match;
    const current = open.at(-1) as XmlElement;
    if (cdata !== undefined) current.text += cdata;
    if (name === undefined) continue;
    if (closing) {
      if (open.length === 1 || current.name !== name) throw new XmlError(`Unexpected </${name}>.`);
      open.pop();
    } else {
      const child: XmlElement = { name, children: [], text: "" };
      current.children.push(child);
      if (!empty) open.push(child);
      if (open.length > MAX_DEPTH) throw new XmlError("Too many elements within each other.");
    }
  }
  addText(open, text.slice(at));
  const [root] = top.children;
  if (open.length !== 1 || top.children.length !== 1 || !root) throw new XmlError("Not one whole element.");
  return root;
}

function addText(open: XmlElement[], raw: string): void {
  if (raw.includes("<")) throw new XmlError("Markup that cannot be read.");
  const current = open.at(-1) as XmlElement;
  if (open.length > 1) current.text += decodeEntities(raw);
  else if (raw.replace("\uFEFF", "").trim() !== "") throw new XmlError("Text outside of the element.");
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (_all, hex, decimal, name) => {
    if (name !== undefined) {
      const known = ENTITIES[name];
      if (known === undefined) throw new XmlError(`Unknown entity &${name};.`);
      return known;
    }
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (code > 0x10ffff) throw new XmlError("Not a character.");
    return String.fromCodePoint(code);
  });
}

/** The text of a child, or undefined without one. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text;
}
