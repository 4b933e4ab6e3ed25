/** Owns: finding links in messages. Pure. */
import { LinkifyIt } from "linkify-it";

export type Piece = { text: string } | { text: string; href: string };

// Only http and https addresses become links.
const finder = new LinkifyIt()
  .set({ fuzzyEmail: false, fuzzyIP: false })
  .add("ftp:", null)
  .add("mailto:", null)
  .add("//", null);

/** Cuts a text into plain pieces and links. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let done = 0;
  for (const { index, lastIndex, text: address, url } of finder.match(text) ?? []) {
    const href = hrefOf(url);
    if (href === null) continue;
    if (index > done) pieces.push({ text: text.slice(done, index) });
    pieces.push({ text: address, href });
    done = lastIndex;
  }
  if (done < text.length) pieces.push({ text: text.slice(done) });
  return pieces;
}

function hrefOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, href } = new URL(address);
  return (protocol === "http:" || protocol === "https:") && hostname !== "" ? href : null;
}
