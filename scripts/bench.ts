/** `npm run bench`: Homebase's own bench, and `web` and `database` for Nosh's norms. */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Figure, table } from "../homebase/bench/figures.ts";
import { endWithParent, node, nodeFlags, root, run } from "./process.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    whole: { type: "boolean" },
    release: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
const noshs = ["web", "database"];
const stack = positionals.filter((group) => !noshs.includes(group));
const asked = (group: string) => positionals.length === 0 || positionals.includes(group);

if (values.help) {
  console.log(
    "Groups: web (Nosh: weight, loading on a slow phone, Lighthouse), database (Nosh: suggestions among 100,000\nplaces, home among 50,000 plans) and those of Homebase below. All without one.\n",
  );
}
endWithParent();
let code = 0;
if (values.help || stack.length > 0 || positionals.length === 0) {
  const flags = (["json", "whole", "release", "help"] as const)
    .filter((flag) => values[flag])
    .map((flag) => `--${flag}`);
  code = await run(node, [...nodeFlags, join(root, "homebase", "bench", "main.ts"), ...stack, ...flags]);
}
if (code === 0 && !values.help) {
  const figures: Figure[] = [];
  if (asked("database"))
    figures.push(...(await (await import("../tests/norms/database.ts")).benchDatabase(root)));
  if (asked("web")) figures.push(...(await (await import("../tests/norms/bench.ts")).benchWeb(root)));
  if (figures.length > 0) console.log(values.json ? JSON.stringify(figures, null, 2) : table(figures));
}
process.exit(code);
