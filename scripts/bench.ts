/** `npm run bench`: hands over to Homebase's own bench. */
import { join } from "node:path";
import { node, nodeFlags, root, run } from "./process.ts";

process.exit(
  await run(node, [...nodeFlags, join(root, "homebase", "bench", "main.ts"), ...process.argv.slice(2)]),
);
