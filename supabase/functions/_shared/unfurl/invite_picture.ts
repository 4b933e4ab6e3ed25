/**
 * Owns: the drawing of an invite's picture: the table from above with a set place for everyone who joined and a free
 * seat, and beside it the host, the title and the date. An SVG of 1200 by 630, the size that chats show uncropped.
 */
import { escapeMarkup } from "../markup.ts";
import { layOut } from "../table/seating.ts";
import type { InviteTexts } from "./invite_texts.ts";

export const PICTURE = { width: 1200, height: 630 } as const;

/** The light tokens of web/src/ui/theme/styles.css in sRGB: resvg does not know OKLCH. */
const colour = {
  ground: "#f4ede0",
  card: "#fdfaf4",
  ink: "#3a2036",
  soft: "#5f4a5a",
  action: "#b93520",
  yes: "#56651d",
  edge: "#887682",
  wood: "#d6ab84",
  woodEdge: "#b08053",
  china: "#fffcf5",
} as const;

/** Font family of fonts/*.ttf. */
const FAMILY = "Fraunces";
const TEXT_LEFT = 80;
const TEXT_WIDTH = 560;
/** Sizes of the title, in pixels: the first at which it fits. */
const TITLE_SIZES = [84, 72, 60, 50];
const MOST_LINES = 3;

/** @param people how many have joined */
export function invitePicture(texts: InviteTexts, people: number): string {
  const title = titleLines(drawable(texts.title) || drawable(texts.invitation));
  const top = 315 - (title.lines.length * title.size * 1.12 + (texts.when === null ? 52 : 104)) / 2;
  const first = top + 8;
  const titleTop = first + 40 + title.size * 0.86;
  const below = titleTop + (title.lines.length - 1) * title.size * 1.12 + 66;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${PICTURE.width}" height="${PICTURE.height}" viewBox="0 0 ${PICTURE.width} ${PICTURE.height}" font-family="${FAMILY}" font-weight="600">`,
    `<rect width="${PICTURE.width}" height="${PICTURE.height}" fill="${colour.ground}"/>`,
    line(oneLine(texts.invitation, 38), first, 38, colour.soft),
    ...title.lines.map((text, index) =>
      line(text, titleTop + index * title.size * 1.12, title.size, colour.ink),
    ),
    ...(texts.when === null ? [] : [line(oneLine(texts.when, 40), below, 40, colour.action)]),
    line(oneLine(texts.people, 32), texts.when === null ? below : below + 52, 32, colour.soft),
    line("Nosh", 580, 34, colour.ink),
    table(people),
    "</svg>",
  ].join("");
}

function line(text: string, baseline: number, size: number, fill: string): string {
  return `<text x="${TEXT_LEFT}" y="${baseline.toFixed(1)}" font-size="${size}" fill="${fill}">${escapeMarkup(text)}</text>`;
}

function table(people: number): string {
  // Twenty seats and one free: as many as a plan can have.
  const taken = Math.min(people, 20);
  const layout = layOut(taken + 1);
  const scale = Math.min(440 / layout.width, 520 / layout.height);
  const { rx, ry, chair } = layout;
  const seats = layout.seats.map(({ x, y, towards }, index) => {
    // The free seat is the last one, as on the page of the link.
    if (index === taken) {
      return `<circle cx="${x}" cy="${y}" r="${chair}" fill="${colour.card}" stroke="${colour.edge}" stroke-width="1.8" stroke-dasharray="4 3.4"/>`;
    }
    const plate = { x: x + Math.cos(towards) * 45, y: y + Math.sin(towards) * 45 };
    return [
      `<circle cx="${x}" cy="${y}" r="${chair}" fill="${colour.card}" stroke="${colour.yes}" stroke-width="2.4"/>`,
      `<circle cx="${x}" cy="${y}" r="${chair - 5}" fill="${colour.yes}" fill-opacity="0.16"/>`,
      `<circle cx="${plate.x}" cy="${plate.y + 1.2}" r="12.5" fill="${colour.woodEdge}" fill-opacity="0.7"/>`,
      `<circle cx="${plate.x}" cy="${plate.y}" r="12.5" fill="${colour.china}"/>`,
      `<circle cx="${plate.x}" cy="${plate.y}" r="8" fill="none" stroke="${colour.woodEdge}" stroke-opacity="0.5"/>`,
    ].join("");
  });
  return [
    `<g transform="translate(910 315) scale(${scale.toFixed(3)})">`,
    `<ellipse cy="4" rx="${rx}" ry="${ry}" fill="${colour.woodEdge}"/>`,
    `<ellipse rx="${rx}" ry="${ry}" fill="${colour.wood}"/>`,
    `<ellipse rx="${rx - 5}" ry="${ry - 5}" fill="none" stroke="${colour.woodEdge}" stroke-opacity="0.55"/>`,
    ...seats,
    "</g>",
  ].join("");
}

/** The title in lines, at the largest size at which at most three of them hold it; cut with an ellipsis after that. */
function titleLines(text: string): { size: number; lines: string[] } {
  for (const size of TITLE_SIZES) {
    const lines = wrap(text, size);
    if (lines.length <= MOST_LINES) return { size, lines };
  }
  const size = TITLE_SIZES.at(-1) ?? 50;
  const lines = wrap(text, size);
  const last = [...(lines[MOST_LINES - 1] ?? "")];
  while (widthOf(`${last.join("")}…`, size) > TEXT_WIDTH) last.pop();
  return { size, lines: [...lines.slice(0, MOST_LINES - 1), `${last.join("").trimEnd()}…`] };
}

function wrap(text: string, size: number): string[] {
  const lines: string[] = [];
  let current = "";
  for (const word of text.split(" ").flatMap((word) => pieces(word, size))) {
    const longer = current === "" ? word : `${current} ${word}`;
    if (current !== "" && widthOf(longer, size) > TEXT_WIDTH) {
      lines.push(current);
      current = word;
    } else current = longer;
  }
  return [...lines, current];
}

/** A word that is longer than a line, in parts. */
function pieces(word: string, size: number): string[] {
  const parts: string[] = [];
  let part = "";
  for (const letter of word) {
    if (widthOf(part + letter, size) > TEXT_WIDTH) {
      parts.push(part);
      part = "";
    }
    part += letter;
  }
  return [...parts, part];
}

function oneLine(text: string, size: number): string {
  const letters = [...drawable(text)];
  if (widthOf(letters.join(""), size) <= TEXT_WIDTH) return letters.join("");
  while (widthOf(`${letters.join("")}…`, size) > TEXT_WIDTH) letters.pop();
  return `${letters.join("").trimEnd()}…`;
}

/** An estimate in pixels, never less than the drawn width of usual text: a function has no font metrics. */
function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const letter of text) {
    if (/[MW@mw%]/.test(letter)) ems += 0.95;
    else if (/[iljtfI.,;:'’!|()[\] ]/.test(letter)) ems += 0.36;
    else if (/\p{Lu}/u.test(letter)) ems += 0.76;
    else ems += 0.6;
  }
  return ems * size;
}

/** The text without characters that the fonts have no glyph for: other scripts, emoji, control characters. */
function drawable(text: string): string {
  return text
    .normalize("NFC")
    .replace(
      /[^\u0020-\u007e\u00a0-\u017f\u0192\u0218-\u021b\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u20ac]/gu,
      "",
    )
    .replace(/\s+/g, " ")
    .trim();
}
