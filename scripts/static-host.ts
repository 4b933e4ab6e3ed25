/**
 * Owns a static host's configuration besides the app's files: security headers, cache headers, and the app's
 * page for unknown paths. Written as files that Netlify and Cloudflare Pages read, and as JSON for others.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Headers by path pattern, in the static hosts' format: `/*` is every path. */
export type HostHeaders = Record<string, Record<string, string>>;

/**
 * The styles that react-aria 3 puts into the page itself, when something is pressed and when the page behind a dialog
 * is held still. They are allowed by their digests, so they must be exactly these texts (tests/e2e/deployed.spec.ts).
 */
const LIBRARY_STYLES = [
  `@layer {
  [data-react-aria-pressable] {
    touch-action: pan-x pan-y pinch-zoom;
  }
}`,
  `@layer {
  * {
    overscroll-behavior: contain;
  }
}`,
];

const TWO_YEARS_S = 63_072_000;

/**
 * The headers of the built app.
 * @param page index.html: its inline scripts and styles are allowed by their digests, and no others.
 * @param backend the project's URL, which the app uses over HTTP and WebSockets.
 * @param others more URLs that it fetches from, e.g. of a map's tiles.
 */
export function hostHeaders(page: string, backend: string, others: readonly string[] = []): HostHeaders {
  const { origin, host, protocol } = new URL(backend);
  const socket = `${protocol === "https:" ? "wss:" : "ws:"}//${host}`;
  const more = [...new Set(others.map((address) => new URL(address).origin))];
  const policy: Record<string, string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", ...inlineTexts(page, "script").map(digest)],
    "style-src": ["'self'", ...[...inlineTexts(page, "style"), ...LIBRARY_STYLES].map(digest)],
    // blob: and data: are pictures being selected or drawn on the device.
    "img-src": ["'self'", "data:", "blob:", origin, ...more],
    "font-src": ["'self'"],
    // blob: is a picture that is resized before upload.
    "connect-src": ["'self'", "blob:", origin, socket, ...more],
    "worker-src": ["'self'"],
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "object-src": ["'none'"],
  };
  return {
    "/*": {
      "content-security-policy": Object.entries(policy)
        .map(([name, sources]) => `${name} ${sources.join(" ")}`)
        .join("; "),
      "strict-transport-security": `max-age=${TWO_YEARS_S}; includeSubDomains`,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "strict-origin-when-cross-origin",
      // The app's own permissions: location, keeping the screen on, copying and sharing a link.
      "permissions-policy":
        "geolocation=(self), screen-wake-lock=(self), clipboard-write=(self), web-share=(self), publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), payment=(), usb=(), interest-cohort=()",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-cache",
    },
    "/assets/*": { "cache-control": "public, max-age=31536000, immutable" },
  };
}

/** The headers of one path: specific patterns take precedence over general ones. */
export function headersOf(headers: HostHeaders, path: string): Record<string, string> {
  return Object.entries(headers)
    .filter(([pattern]) => path.startsWith(pattern.replace(/\*$/, "")))
    .sort(([left], [right]) => left.length - right.length)
    .reduce((all, [, own]) => Object.assign(all, own), {});
}

/** Writes `_headers`, `_redirects` and `headers.json` into a build's folder. */
export function writeHostFiles(folder: string, backend: string, others: readonly string[] = []): HostHeaders {
  const headers = hostHeaders(readFileSync(join(folder, "index.html"), "utf8"), backend, others);
  const lines = Object.entries(headers).flatMap(([pattern, own]) => [
    pattern,
    // A host joins the values of two patterns, so the specific one first removes the general one's.
    ...(pattern === "/*" ? [] : Object.keys(own).map((name) => `  ! ${name}`)),
    ...Object.entries(own).map(([name, value]) => `  ${name}: ${value}`),
  ]);
  writeFileSync(join(folder, "_headers"), `${lines.join("\n")}\n`);
  writeFileSync(join(folder, "_redirects"), "/* /index.html 200\n");
  writeFileSync(join(folder, "headers.json"), `${JSON.stringify(headers, null, 2)}\n`);
  return headers;
}

/** The texts of a page's inline scripts or styles. */
function inlineTexts(page: string, element: "script" | "style"): string[] {
  const pattern = new RegExp(`<${element}(?![^>]*\\bsrc=)[^>]*>([\\s\\S]*?)</${element}>`, "g");
  return [...page.matchAll(pattern)].map(([, text = ""]) => text);
}

/** CSP level 2, "hash-source". */
function digest(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
