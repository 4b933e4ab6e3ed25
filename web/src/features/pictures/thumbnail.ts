/** Owns: making a thumbnail of an image that is on the screen. */

/** In pixels: the size in which a place's page shows it on a phone. */
const LONGEST_SIDE = 480;

/** The thumbnail as a data URL; null if the browser does not let the image be read. */
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
