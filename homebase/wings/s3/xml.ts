/** Owns XML for the S3 protocol: requests a few levels deep, and responses. */
import { parseXml, type XmlElement, XmlError } from "../../src/core/xml.ts";

/** A value in a response: a list repeats its element, undefined is an empty one. */
export type XmlValue = string | number | boolean | null | undefined | XmlObject | readonly XmlValue[];
export interface XmlObject {
  [name: string]: XmlValue;
}

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const LIMITS = {
  /** Deeper than any request of the protocol. */
  depth: 16,
  /** The largest request completes an upload of 10,000 parts, each of which may have a tag and five checksums. */
  elements: 100_000,
  /** Requests have few namespaces. */
  attributes: 1_000,
};
/** A thousand keys to delete, each with some dozens of escaped characters. */
const MAX_ENTITIES = 50_000;

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

/** Parses a request; prefixes and attributes are irrelevant. @throws XmlError */
export function readXml(text: string): XmlElement {
  if (text.split("&", MAX_ENTITIES + 2).length > MAX_ENTITIES + 1) throw new XmlError("Too many entities.");
  return parseXml(text, LIMITS, { xmlns: false });
}

/** The text of a child, or undefined without one. */
export function childText(parent: XmlElement, name: string): string | undefined {
  return parent.children.find((child) => child.name === name)?.text;
}
