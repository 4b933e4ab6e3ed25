/** Owns: making a selected picture safe and small enough to share. */
import { AppError } from "../errors.ts";
import { errorWords } from "../words.ts";

export interface Picture {
  blob: Blob;
  width: number;
  height: number;
  /** File name extension that fits the blob's type. */
  extension: "webp" | "jpg";
}

/**
 * Redraws a picture, at most `longestSide` pixels long. The result has no EXIF, so no GPS position, and
 * orientation is already applied. WebP where the browser can write it, else JPEG. Throws an AppError of kind
 * `invalid` for a file that this browser cannot read as a picture.
 */
export async function redraw(file: Blob, longestSide: number): Promise<Picture> {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch((cause) => {
    const { message, hint } = errorWords().unreadablePicture;
    throw new AppError("invalid", "unreadable_picture", message, hint, cause);
  });
  const scale = Math.min(1, longestSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * scale));
  const height = Math.max(1, Math.round(bitmap.height * scale));
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const webp = await encode(canvas, "image/webp", 0.82);
  // A browser that cannot write WebP silently gives a PNG.
  if (webp.type === "image/webp") return { blob: webp, width, height, extension: "webp" };
  return { blob: await encode(canvas, "image/jpeg", 0.85), width, height, extension: "jpg" };
}

function encode(canvas: HTMLCanvasElement, type: string, quality: number): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error(`The canvas gave no ${type}`))),
      type,
      quality,
    );
  });
}
