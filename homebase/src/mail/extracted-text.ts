/** Owns extracting from a mail: its plain text, its links, and the code or link that the recipient needs. */

/** The parts of a mail that are read here. */
export interface Readable {
  subject: string;
  html?: string;
  text?: string;
}

const ENTITIES: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** Entities of HTML as the characters they stand for. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[String(name).toLowerCase()] ?? whole;
  });
}

/** A link as text: its words, and its URL in brackets unless they are equal. */
function linkAsText(href: string, words: string): string {
  const address = href.replace(/^mailto:/i, "").trim();
  return address === "" || decodeEntities(words.trim()) === decodeEntities(address)
    ? words
    : `${words} ( ${address} )`;
}

/** The text of an HTML mail, a line for each block, with the URLs of its links, as in Mailpit. */
export function textOfHtml(html: string): string {
  const bare = html
    .replace(/<(style|script|head)\b[\s\S]*?<\/\1>/gi, "")
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(
      /<a\b[^>]*?\bhref\s*=\s*["']([^"']*)["'][^>]*>([\s\S]*?)<\/a>/gi,
      (_whole, href: string, words: string) => linkAsText(href, words),
    )
    .replace(/<(?:br|\/p|\/div|\/h\d|\/tr|\/li)\b[^>]*>/gi, "\n")
    .replace(/<[^>]+>/g, "");
  return decodeEntities(bare)
    .split("\n")
    .map((line) => line.replace(/[ \t]+/g, " ").trim())
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The URLs in a mail, in order, without duplicates. */
export function linksOf(message: Readable): string[] {
  const fromHtml = [...(message.html ?? "").matchAll(/<a\b[^>]*\bhref\s*=\s*["']([^"']+)["']/gi)].map(
    ([, address = ""]) => decodeEntities(address),
  );
  const fromText = fromHtml.length > 0 ? [] : ((message.text ?? "").match(/https?:\/\/[^\s<>"]+/g) ?? []);
  return [...new Set([...fromHtml, ...fromText])];
}

/** The code in a mail: six to ten separate digits. Undefined when there is none. */
export function codeOf(message: Readable): string | undefined {
  const words = textOfHtml(message.html ?? "") || (message.text ?? "");
  const bare = words.replace(/https?:\/\/\S+/g, " ");
  return /(?<![\w.-])\d{6,10}(?![\w-])/.exec(`${bare}\n${message.subject}`)?.[0];
}

/** The confirmation link: the one to /verify, else the first. Undefined when there is none. */
export function linkOf(message: Readable): string | undefined {
  const links = linksOf(message);
  return links.find((link) => link.includes("/verify?")) ?? links[0];
}
