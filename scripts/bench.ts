/** `npm run bench`: Homebase's own bench, and `web` for Nosh's norms. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, table } from "../homebase/bench/figures.ts";
import { endWithParent, node, nodeFlags, root, run } from "./process.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean" }, help: { type: "boolean", short: "h" } },
});
const stack = positionals.filter((group) => group !== "web");
const webToo = positionals.length === 0 || positionals.includes("web");

if (values.help) {
  console.log(
    "Groups: web (Nosh: weight, loading on a slow phone, Lighthouse) and those of Homebase below. All without one.\n",
  );
}
endWithParent();
let code = 0;
if (values.help || stack.length > 0 || positionals.length === 0) {
  const flags = [...(values.json ? ["--json"] : []), ...(values.help ? ["--help"] : [])];
  code = await run(node, [...nodeFlags, join(root, "homebase", "bench", "main.ts"), ...stack, ...flags]);
}
if (code === 0 && webToo && !values.help) {
  const { benchWeb } = await import("../tests/norms/bench.ts");
  const figures: Figure[] = await benchWeb(root);
  console.log(values.json ? JSON.stringify(figures, null, 2) : table(figures));
}
process.exit(code);
