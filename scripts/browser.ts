/** Owns finding a Chromium for tests, pictures and measurements, and installing one if necessary. */
import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";
import { binary, run } from "./process.ts";

const SYSTEM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** Debian's package chromium-headless-shell. */
const SYSTEM_SHELL = "/usr/bin/chromium-headless-shell";

/**
 * A second `--disable-features` replaces the first: these are Playwright's own (1.65), for stable tests,
 * followed by two pages of the address bar that Chromium would load in each window.
 */
const SWITCHED_OFF = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxFullPopup",
];

/** Launch options: as root it has no sandbox, and it must make no network requests of its own. */
export const browserArguments = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  `--disable-features=${SWITCHED_OFF.join(",")}`,
];

/**
 * For the end-to-end tests, which look at no pixels: no process for graphics, which costs a fifth of the
 * processor's time of a page.
 */
export const testBrowserArguments = [...browserArguments, "--disable-gpu"];

/** Which build: `whole` as people have it, or `shell`, the lighter one without windows, for tests. */
export type BrowserBuild = "whole" | "shell";

/** The path of a Chromium; undefined without one. */
export function findBrowser(build: BrowserBuild = "whole"): string | undefined {
  const given = process.env.CHROMIUM_PATH;
  if (given) return given;
  const whole = [chromium.executablePath(), ...SYSTEM];
  return [...(build === "shell" ? [SYSTEM_SHELL] : []), ...whole].find((path) => path && existsSync(path));
}

/**
 * The path of a Chromium, after installing Playwright's own, or else the system's package.
 * @throws when neither can be installed, with manual instructions.
 */
export async function ensureBrowser(build: BrowserBuild = "whole"): Promise<string> {
  const present = findBrowser(build);
  if (present) return present;
  console.log("No Chromium found: installing one ...");
  const own = await run(binary("playwright"), ["install", "chromium"], { stdio: "ignore" }).catch(() => 1);
  if (own !== 0 && process.platform === "linux" && process.getuid?.() === 0) {
    await run("apt-get", ["update", "-qq"]).catch(() => 1);
    for (const name of build === "shell" ? ["chromium-headless-shell", "chromium"] : ["chromium"]) {
      if (findBrowser(build)) break;
      await run("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], {
        stdio: "ignore",
      }).catch(() => 1);
    }
  }
  const found = findBrowser(build);
  if (!found) {
    throw new Error(
      "No Chromium could be installed. Install one (for example: npx playwright install chromium, or your " +
        "system's chromium package), or set CHROMIUM_PATH.",
    );
  }
  return found;
}
