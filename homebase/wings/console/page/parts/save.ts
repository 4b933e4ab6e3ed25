/** Owns downloads of what the page has. */

/** The browser may begin the download only after the click: until then the URL must last. */
const LASTS_MS = 60_000;

export function save(name: string, pieces: BlobPart[]): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(pieces));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), LASTS_MS);
}
