/** Owns: making a small copy of a picture that is on the screen. */

/** As large as a place's page shows it on a phone. */
const LONGEST_SIDE = 480;

/** The copy as a data address; null where the browser does not let it be read. */
export function thumbnailOf(image: HTMLImageElement): string | null {
  const scale = Math.min(1, LONGEST_SIDE / Math.max(image.naturalWidth, image.naturalHeight));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
  canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
  try {
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return canvas.toDataURL("image/jpeg", 0.8);
  } catch {
    return null;
  }
}
