/** Owns: finding addresses in what people write. Pure. */

export type Piece = { text: string } | { text: string; href: string };

/**
 * Cuts a text into plain pieces and links. Only http and https become links, whatever else an address could
 * be used for; punctuation that ends a sentence is not part of the address, nor is a bracket that was opened
 * before it.
 */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const found of text.matchAll(/\bhttps?:\/\/[^\s<>"]+/gi)) {
    const address = trimmed(found[0]);
    const href = hrefOf(address);
    if (href === null) continue;
    if (found.index > done) pieces.push({ text: text.slice(done, found.index) });
    pieces.push({ text: address, href });
    done = found.index + address.length;
  }
  if (done < text.length) pieces.push({ text: text.slice(done) });
  return pieces;
}

function trimmed(address: string): string {
  let end = address.length;
  while (end > 0) {
    const last = address[end - 1] ?? "";
    const inside = address.slice(0, end);
    const unopened = last === ")" && count(inside, ")") > count(inside, "(");
    if (!/[.,;:!?'"»”’\]}]/.test(last) && !unopened) break;
    end -= 1;
  }
  return address.slice(0, end);
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}

function hrefOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, href } = new URL(address);
  return (protocol === "http:" || protocol === "https:") && hostname !== "" ? href : null;
}
