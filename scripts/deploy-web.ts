/**
 * `npm run deploy:web`: builds the app for a static host and one backend, with the headers that it needs
 * there.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeEdgeWorker } from "./edge-worker.ts";
import { binary, endWithParent, exitWithHelp, node, root, run } from "./process.ts";
import { writeHostFiles } from "./static-host.ts";

const HELP = `Usage: npm run deploy:web -- --url URL --key KEY [options]

Builds the app for a static host into web/dist: the files, and beside them
  _headers       security and cache headers, as Netlify and Cloudflare Pages read them
  _redirects     every path without a file gets index.html
  headers.json   the same headers, to copy into the configuration of another host
  _worker.js     adds previews to the pages of invite links, for chats (Cloudflare Pages)
  _routes.json   the paths that _worker.js serves

Options:
  --url URL    the project's address, https://REF.supabase.co (or VITE_SUPABASE_URL)
  --key KEY    its publishable key (or VITE_SUPABASE_PUBLISHABLE_KEY)
  --out DIR    another folder than web/dist
  --help       this text`;

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    key: { type: "string" },
    out: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) exitWithHelp(HELP);
const url = values.url ?? process.env.VITE_SUPABASE_URL ?? "";
const key = values.key ?? process.env.VITE_SUPABASE_PUBLISHABLE_KEY ?? "";
if (!/^https:\/\/[^/]+\/?$/.test(url)) stop("--url takes the project's address, https://...");
if (key === "") stop("--key is missing.");
// Everything in the build is public.
if (/^sb_secret_/.test(key) || roleOf(key) === "service_role")
  stop("This is a secret key: the app must never hold it. Use the publishable key.");

endWithParent();
const folder = values.out ?? join(root, "web", "dist");
const code = await run(node, [binary("vite"), "build", "web", "--outDir", folder, "--emptyOutDir"], {
  env: { ...process.env, VITE_SUPABASE_URL: url, VITE_SUPABASE_PUBLISHABLE_KEY: key },
});
if (code !== 0) process.exit(code);
if (!existsSync(join(folder, "index.html"))) stop(`The build has no index.html in ${folder}.`);
const map = process.env.VITE_MAP_STYLE_URL;
const headers = writeHostFiles(folder, url, map ? [map] : []);
await writeEdgeWorker(folder, { url, publishableKey: key }, headers);
console.log(
  `Built for ${url} into ${folder}, with _headers, _redirects, headers.json, _worker.js and _routes.json.`,
);

/** The role of a legacy key. */
function roleOf(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text.split(".")[1] ?? "", "base64url").toString("utf8")).role;
  } catch {
    return undefined;
  }
}

function stop(message: string): never {
  console.error(`${message}\n\n${HELP}`);
  process.exit(2);
}
