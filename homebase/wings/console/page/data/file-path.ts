/** Owns the addresses of Storage's folders in the Data view: `/data/files/<bucket>/<folder>/`, without a bucket for the list of them. */
import { withParameters } from "../app/address.ts";
import { decoded } from "../parts/words.ts";

export const FILES = "files";
const ROOT = `/data/${FILES}`;

export interface Folder {
  /** "" for the list of buckets. */
  bucket: string;
  /** "" for the bucket itself; ends with a slash. */
  folder: string;
}

export function pathOfFolder(place: Folder | undefined, as: string): string {
  const segments = place ? [place.bucket, ...place.folder.split("/")].map(segmentOf) : [];
  return withParameters(new URL([ROOT, ...segments].join("/"), location.origin), { as });
}

/** A browser takes "." and ".." out of an address; no other segment has a bare colon. */
function segmentOf(name: string): string {
  return (/^\.\.?$/.test(name) ? ":" : "") + encodeURIComponent(name);
}

/** Undefined for the address of another list. */
export function folderOf({ pathname }: URL): Folder | undefined {
  if (pathname !== ROOT && !pathname.startsWith(`${ROOT}/`)) return undefined;
  const [bucket = "", ...rest] = pathname
    .slice(ROOT.length + 1)
    .split("/")
    .map(nameOf);
  const folder = rest.join("/");
  return { bucket, folder: folder === "" || folder.endsWith("/") ? folder : `${folder}/` };
}

function nameOf(segment: string): string {
  return decoded(segment.startsWith(":") ? segment.slice(1) : segment);
}
