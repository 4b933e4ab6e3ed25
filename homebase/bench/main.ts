/**
 * Owns `npm run bench`: what the project promises to be fast at, measured on this machine, as a table on
 * the terminal and as JSON in bench-results/.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeProject, removeProject } from "./boot.ts";
import { type Figure, losses, type Shares, sharesOf, table } from "./figures.ts";
import { groups } from "./groups.ts";

const HELP = `Usage: npm run bench -- [group ...] [--json] [--whole] [--release]

Measures, on this machine and in one run: ${Object.keys(groups).join(", ")}
(default: all). rivals compares REST with @supabase/lite where HOMEBASE_BENCH_RIVALS names a folder that has it installed.
Exits with 1 when a figure that is compared with the plain way lost a tenth of the last release's share;
--release keeps this run's shares as those of a release.
--whole measures growth at its large sizes too (half an hour), and writes docs/growth.md.
Prints medians with their spread, what was aimed at, and the plain way beside it. Machines differ and are
noisy: compare ratios, and only figures of one run.`;

const root = join(import.meta.dirname, "..", "..");
/** Shares of the plain ways in the last release. */
const RELEASE = join(import.meta.dirname, "release.json");
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean" },
    whole: { type: "boolean" },
    release: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const wanted = positionals.length > 0 ? positionals : Object.keys(groups);
for (const name of wanted) {
  if (groups[name]) continue;
  console.error(`There is no group ${name}.\n${HELP}`);
  process.exit(2);
}

const folder = makeProject();
const figures: Figure[] = [];
try {
  for (const name of wanted) {
    if (process.stderr.isTTY) process.stderr.write(`Measuring ${name} ...\n`);
    figures.push(...((await groups[name]?.(folder, values.whole === true)) ?? []));
  }
} finally {
  removeProject(folder);
}
mkdirSync(join(root, "bench-results"), { recursive: true });
writeFileSync(
  join(root, "bench-results", `${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}.json`),
  `${JSON.stringify(figures, null, 2)}\n`,
);
console.log(values.json ? JSON.stringify(figures, null, 2) : table(figures));
const release = JSON.parse(readFileSync(RELEASE, "utf8")) as Shares;
const lost = losses(figures, release);
for (const one of lost) console.error(one);
if (values.release)
  writeFileSync(RELEASE, `${JSON.stringify({ ...release, ...sharesOf(figures) }, null, 2)}\n`);
process.exit(lost.length > 0 && !values.release ? 1 : 0);
