/** Owns sample pictures for tests that do not depend on their content. */
import type { Page } from "@playwright/test";

export interface Picture {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

/** A small picture, drawn by the browser, as a file for a file chooser. */
export async function draw(page: Page, name: string): Promise<Picture> {
  const url = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.width = 64;
    canvas.height = 48;
    canvas.getContext("2d")?.fillRect(0, 0, 32, 48);
    return canvas.toDataURL("image/png");
  });
  return { name, mimeType: "image/png", buffer: Buffer.from(url.slice(url.indexOf(",") + 1), "base64") };
}
