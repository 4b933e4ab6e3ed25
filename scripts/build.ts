/** `npm run build`: the web app as static files in web/dist, for any static host; or Homebase as a package. */
import { join } from "node:path";
import { binary, endWithParent, node, nodeFlags, root, run } from "./process.ts";

const HELP = `Usage: npm run build [-- homebase]

Builds the web app into web/dist for a static host (every path without a file must return index.html).
The backend it talks to is baked in from VITE_SUPABASE_URL and VITE_SUPABASE_PUBLISHABLE_KEY, of the
environment or .env; without them it is the local stack.

homebase: builds the npm package homebase-stack into homebase/dist instead; also npm run build:homebase.`;

const [what, ...more] = process.argv.slice(2);
if (what === "--help") {
  console.log(HELP);
  process.exit(0);
}
if (more.length > 0 || (what !== undefined && what !== "homebase")) {
  console.error(HELP);
  process.exit(2);
}
endWithParent();
process.exit(
  what === "homebase"
    ? await run(node, [...nodeFlags, join(root, "homebase", "build", "main.ts")])
    : await run(node, [binary("vite"), "build", "web"], { cwd: root }),
);
