/** `npm run build`: the web app as static files in web/dist, for any static host. */
import { binary, endWithParent, node, root, run } from "./process.ts";

if (process.argv.includes("--help")) {
  console.log(`Usage: npm run build

Builds the web app into web/dist for a static host (every path that is no file must answer index.html).
The backend it talks to is baked in from VITE_SUPABASE_URL and VITE_SUPABASE_PUBLISHABLE_KEY, of the
environment or .env; without them it is the local stack.`);
  process.exit(0);
}
endWithParent();
process.exit(await run(node, [binary("vite"), "build", "web"], { cwd: root }));
