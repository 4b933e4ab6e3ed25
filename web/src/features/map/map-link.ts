/** Owns: reading a position, and a name where there is one, out of what a map service's "Share" gives. Pure. */
import type { Position } from "./geometry.ts";

/**
 * The content of a link: a position, or only a name. A short link has neither; the function look-up finds the long link
 * behind it.
 */
export type MapLink =
  | { kind: "position"; position: Position; name: string | null }
  | { kind: "name"; name: string }
  | { kind: "short"; link: string; name: string | null };

const NUMBER = "(-?\\d{1,3}(?:\\.\\d+)?)";
const PAIR = new RegExp(`^\\s*(?:loc:|geo:)?\\s*${NUMBER}\\s*[,~ /]\\s*${NUMBER}`);
/** Parameters that hold a pair: Google, Apple, Bing, OpenStreetMap's and Waze's links. */
const PAIRS = ["coordinate", "q", "query", "ll", "sll", "center", "cp", "daddr", "destination", "viewpoint"];
const SHORT = /^(maps\.app\.goo\.gl|goo\.gl|maps\.apple|osm\.org)$/;

/** Hosts whose links may have a name and no position. */
const MAPS = /^(maps\.google\.[a-z.]+|(www\.)?google\.[a-z.]+|maps\.apple\.com)$/;

/** @returns null for text that names no position. */
export function readMapLink(text: string): MapLink | null {
  const trimmed = text.trim();
  if (/^geo:/i.test(trimmed)) return readGeo(trimmed.slice("geo:".length));
  const plain = positionOf(PAIR.exec(trimmed));
  if (plain) return { kind: "position", position: plain, name: null };
  const address = /https?:\/\/\S+/.exec(trimmed);
  if (!address || !URL.canParse(address[0])) return null;
  const url = new URL(address[0]);
  // Sharing on a phone puts the place's name before the link.
  const before = trimmed.slice(0, address.index).trim() || null;
  const position = placeOf(url);
  if (position) return { kind: "position", position, name: nameOf(url) ?? before };
  if (SHORT.test(url.hostname)) return { kind: "short", link: url.href, name: before };
  const name = MAPS.test(url.hostname) ? (nameOf(url) ?? before) : null;
  return name ? { kind: "name", name } : null;
}

/** RFC 5870, with Android's `q`: a pair that may have a label, or an address where the pair is 0,0. */
function readGeo(rest: string): MapLink | null {
  const [pair = "", parameters = ""] = rest.split("?");
  const asked = new URLSearchParams(parameters).get("q") ?? "";
  const [, query = "", name = null] = /^(.*?)(?:\((.*)\))?$/.exec(asked) ?? [];
  const position =
    positionOf(PAIR.exec(query)) ??
    (query === "" || !/^0,0$/.test(pair) ? positionOf(PAIR.exec(pair)) : null);
  if (position) return { kind: "position", position, name };
  return query ? { kind: "name", name: query } : null;
}

function placeOf(url: URL): Position | null {
  const { hash, pathname, searchParams } = url;
  const whole = decoded(`${pathname}${hash}`);
  // Google: the place itself is in the data, "@" is only what the map showed.
  const data = positionOf(new RegExp(`!3d${NUMBER}!4d${NUMBER}`).exec(whole));
  if (data) return data;
  const marker = positionOf(PAIR.exec(`${searchParams.get("mlat") ?? ""},${searchParams.get("mlon") ?? ""}`));
  if (marker) return marker;
  for (const name of PAIRS) {
    const found = positionOf(PAIR.exec(searchParams.get(name) ?? ""));
    if (found) return found;
  }
  return (
    positionOf(new RegExp(`/@${NUMBER},${NUMBER}`).exec(whole)) ??
    positionOf(new RegExp(`map=\\d+(?:\\.\\d+)?/${NUMBER}/${NUMBER}`).exec(whole)) ??
    positionOf(new RegExp(`/(?:place|search|dir)/${NUMBER},\\s*\\+?${NUMBER}`).exec(whole))
  );
}

function nameOf({ pathname, searchParams }: URL): string | null {
  const google = /\/place\/([^/@]+)/.exec(pathname)?.[1];
  const name = google
    ? decoded(google.replaceAll("+", " "))
    : (searchParams.get("q") ?? searchParams.get("query") ?? searchParams.get("name"));
  // A pair of numbers is a position, and a text that cannot be decoded is not a name.
  return name && !/^[\s\d.,°'"NSEW+-]+$|^%/.test(name) ? name.trim() : null;
}

function positionOf(found: RegExpExecArray | null): Position | null {
  if (!found) return null;
  const [latitude, longitude] = [Number(found[1]), Number(found[2])];
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
