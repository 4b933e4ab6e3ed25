/** Owns the image of a QR code: its size, its quiet zone, and the SVG that authenticator apps scan. */
import encodeQR from "qr";

/** Modules along one side of version 25. Denser codes cannot be scanned reliably from a screen. */
const LARGEST = 117;
/** Width of the quiet zone in modules (ISO/IEC 18004, 9.1). */
const QUIET = 4;

/**
 * An SVG picture of the code, without `#`: auth-js puts it into a data URL as it is, which would end there.
 * @throws RangeError when the text is longer than a version 25 code holds.
 */
export function qrSvg(text: string): string {
  const grid = qrGrid(text);
  const size = grid.length + QUIET * 2;
  let path = "";
  grid.forEach((row, y) => {
    for (let x = 0; x < row.length; x++) {
      if (!row[x]) continue;
      const start = x;
      while (row[x + 1]) x++;
      path += `M${start + QUIET} ${y + QUIET}h${x - start + 1}v1h-${x - start + 1}z`;
    }
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 4}" height="${size * 4}" shape-rendering="crispEdges"><path fill="white" d="M0 0h${size}v${size}H0z"/><path fill="black" d="${path}"/></svg>`;
}

/** The code's modules, row by row; true is dark. @throws RangeError as `qrSvg` does. */
export function qrGrid(text: string): boolean[][] {
  // The library always draws a quiet zone of at least one module.
  const drawn = encodeQR(text, "raw", { ecc: "medium", encoding: "byte", border: 1 });
  const grid = drawn.slice(1, -1).map((row) => row.slice(1, -1));
  if (grid.length > LARGEST) throw new RangeError("The text is too long for a QR code that can be scanned.");
  return grid;
}
