/**
 * Owns XML for the S3 protocol: a few levels deep, with irrelevant attributes. `sax` parses documents in
 * linear time and within limits (docs/decisions/0017-xml.md).
 */
import sax from "sax";
import { isStorable } from "../../core/json.ts";

/** A value in a response: a list repeats its element, undefined is an empty one. */
export type XmlValue = string | number | boolean | null | undefined | XmlObject | readonly XmlValue[];
export interface XmlObject {
  [name: string]: XmlValue;
}

/** A parsed element. */
export interface XmlElement {
  name: string;
  children: XmlElement[];
  /** Its text without its children's, entities decoded. */
  text: string;
}

/** The body is not XML, or exceeds the limits of S3 requests. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
/** Deeper than any request of the protocol. */
const MAX_DEPTH = 16;
/** The largest request completes an upload of 10,000 parts, each of which may have a tag and five checksums. */
const MAX_ELEMENTS = 100_000;
/** Requests have few namespaces. */
const MAX_ATTRIBUTES = 1_000;
/** A thousand keys to delete, each with some dozens of escaped characters. */
const MAX_ENTITIES = 50_000;
/** Without the entities of HTML. */
const OPTIONS: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };
/**
 * Interval in characters at which `sax` checks its own limits: 64 KB of a name, a value, a comment or a
 * document type.
 */
const PIECE = 64 * 1024;

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
 * Parses a document. Prefixes and attributes are dropped. Only XML's five predefined entities and numeric
 * references are supported: a document type is rejected. @throws XmlError
 */
export function readXml(text: string): XmlElement {
  if (text.split("&", MAX_ENTITIES + 2).length > MAX_ENTITIES + 1) throw new XmlError("Too many entities.");
  const top: XmlElement = { name: "", children: [], text: "" };
  const open: XmlElement[] = [top];
  let elements = 0;
  let attributes = 0;
  const parser = sax.parser(true, OPTIONS);
  const addText = (more: string) => {
    if (!isStorable(more)) throw new XmlError("Not a character of XML.");
    const current = open.at(-1);
    if (current && open.length > 1) current.text += more;
  };
  parser.onerror = (error) => {
    throw new XmlError(error.message.split("\n", 1)[0]);
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  parser.ondoctype = () => {
    throw new XmlError("A document type is not allowed.");
  };
  parser.onattribute = () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) throw new XmlError("Too many attributes.");
  };
  parser.onopentag = ({ name }) => {
    elements += 1;
    if (elements > MAX_ELEMENTS) throw new XmlError("Too many elements.");
    if (open.length > MAX_DEPTH) throw new XmlError("Too many elements within each other.");
    const child: XmlElement = { name: name.slice(name.indexOf(":") + 1), children: [], text: "" };
    open.at(-1)?.children.push(child);
    open.push(child);
  };
  parser.onclosetag = () => void open.pop();
  for (let at = 0; at < text.length; at += PIECE) {
    parser.write(text.slice(at, at + PIECE));
  }
  parser.close();
  const [root] = top.children;
  if (top.children.length !== 1 || !root) throw new XmlError("Not one whole element.");
  return root;
}

/** The text of a child, or undefined without one. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text;
}
