/** The manifest of the installed app names files and screens that exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const web = join(import.meta.dirname, "../../web");
const manifest = JSON.parse(readFileSync(join(web, "public/manifest.webmanifest"), "utf8")) as {
  start_url: string;
  lang: string;
  icons: { src: string }[];
  screenshots: { src: string; form_factor: string }[];
  shortcuts: { url: string; icons: { src: string }[] }[];
  share_target: { action: string };
};
const router = readFileSync(join(web, "src/app/router.tsx"), "utf8");

test("each icon and picture is a file", () => {
  const files = [...[manifest, ...manifest.shortcuts].flatMap((one) => one.icons), ...manifest.screenshots];
  // Browsers show those of their own width only.
  expect(manifest.screenshots.map(({ form_factor }) => form_factor)).toEqual(["narrow", "wide"]);
  expect(files.filter(({ src }) => !existsSync(join(web, "public", src)))).toEqual([]);
});

test("each address is a screen", () => {
  const { start_url, shortcuts, share_target } = manifest;
  const addresses = [start_url, share_target.action, ...shortcuts.map(({ url }) => url)];
  expect(addresses.filter((path) => !router.includes(`path: "${path}"`))).toEqual([]);
});
