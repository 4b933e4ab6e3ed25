/**
 * Owns parsing XML: `sax` reads in linear time and within limits, and expands no entities of a document type
 * (docs/decisions/0017-xml.md).
 */
import sax from "sax";
import { isStorable } from "./json.ts";

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
  characters?: number;
  depth: number;
  elements: number;
  attributes: number;
  namespaces?: number;
  /** Comments, processing instructions and CDATA sections. */
  others?: number;
}

/**
 * Interval in characters at which `sax` checks its own limits: 64 KB of a name, a value, a comment or a
 * document type.
 */
const PIECE = 64 * 1024;
/** Without the entities of HTML. */
const OPTIONS: sax.SAXOptions & { strictEntities: boolean } = { strictEntities: true };

/**
 * Parses a document; a document type is rejected, and with it every entity of its own.
 * @param xmlns whether prefixes need a namespace; otherwise they are dropped.
 * @throws XmlError
 */
export function parseXml(
  text: string,
  {
    characters = Infinity,
    namespaces: mostNamespaces = Infinity,
    others: mostOthers = Infinity,
    ...limits
  }: XmlLimits,
  { xmlns = true } = {},
): XmlElement {
  if (text.length > characters) throw new XmlError("The document is too long.");
  const roots: XmlElement[] = [];
  const open: XmlElement[] = [];
  let elements = 0;
  let attributes = 0;
  let namespaces = 0;
  let others = 0;
  const parser = sax.parser(true, { ...OPTIONS, xmlns });
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
    if (others > mostOthers) throw new XmlError("Too many comments, instructions or sections.");
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
    if (attributes > limits.attributes || namespaces > mostNamespaces)
      throw new XmlError("Too many attributes.");
  };
  parser.onopentag = (tag) => {
    elements += 1;
    if (elements > limits.elements) throw new XmlError("Too many elements.");
    if (open.length >= limits.depth) throw new XmlError("Too many elements within each other.");
    const element: XmlElement = {
      namespace: "uri" in tag ? tag.uri : "",
      name: "local" in tag ? tag.local : tag.name.slice(tag.name.indexOf(":") + 1),
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
