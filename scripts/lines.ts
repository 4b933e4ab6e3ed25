/**
 * `npm run lines`: code lines (no comments, no blanks, nothing generated) by area.
 */
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { capture, exitWithHelp, root } from "./process.ts";
import { commentSign, sourceLines } from "./source-lines.ts";

const HELP = `Usage: npm run lines -- [--rooms] [--json]

Counts the code lines of each area: no comments, no blank lines, nothing generated. Wings one by one, tests apart from
their helpers.
  --rooms  each area by its folders
  --json   as JSON`;

const SOURCES = [".ts", ".tsx", ".mjs", ".js", ".sql", ".css"];

/** In this order: a file belongs to the first area that its path begins with. Those of tests are not product. */
const AREAS = [
  ["Homebase, core", "homebase/src/"],
  ["Homebase, wings", "homebase/wings/"],
  ["Homebase, package", "homebase/bin/", "homebase/build/"],
  ["Nosh, app", "web/"],
  ["Nosh, backend", "supabase/"],
  ["Project", "scripts/"],
  ["helpers of tests", "homebase/test/", "homebase/wings/testing.ts", "tests/"],
  ["tests"],
] as const;
/** How many folders deep the rooms of an area are. */
const ROOM_DEPTH = 3;

const GENERATED = [
  /database\.types\.ts$/,
  /^supabase\/migrations\/\d+_baseline\.sql$/,
  /^web\/public\//,
  /^supabase\/tests\//,
];
const TEST = /\.(?:test|spec)\.tsx?$/;
const WING_HELPER = /^homebase\/wings\/(?:testing\.ts|[^/]+\/test\/)/;

const { values } = parseArgs({
  options: { help: { type: "boolean" }, rooms: { type: "boolean" }, json: { type: "boolean" } },
});
if (values.help) exitWithHelp(HELP);

const counts = new Map<string, Map<string, number>>();
const { stdout } = await capture("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
for (const path of stdout.trim().split("\n")) {
  if (!SOURCES.includes(extname(path)) || GENERATED.some((pattern) => pattern.test(path))) continue;
  const area = TEST.test(path)
    ? "tests"
    : WING_HELPER.test(path)
      ? "helpers of tests"
      : AREAS.find(([, ...under]) => under.some((one) => path.startsWith(one)))?.[0];
  if (!area) continue;
  const rooms = counts.get(area) ?? new Map<string, number>();
  const room = path.split("/").slice(0, -1).slice(0, ROOM_DEPTH).join("/");
  const { code } = sourceLines(readFileSync(join(root, path), "utf8"), commentSign(extname(path)));
  rooms.set(room, (rooms.get(room) ?? 0) + code);
  counts.set(area, rooms);
}

const areas = AREAS.map(([area]) => {
  const rooms = [...(counts.get(area) ?? [])].sort(([, a], [, b]) => b - a);
  return { area, lines: rooms.reduce((sum, [, lines]) => sum + lines, 0), rooms: Object.fromEntries(rooms) };
});
const product = areas
  .filter(({ area }) => !area.endsWith("tests"))
  .reduce((sum, { lines }) => sum + lines, 0);
if (values.json) console.log(JSON.stringify({ product, areas }, null, 2));
else {
  for (const { area, lines, rooms } of areas) {
    console.log(`${String(lines).padStart(7)}  ${area}`);
    if (!values.rooms && area !== "Homebase, wings") continue;
    for (const [room, count] of Object.entries(rooms)) console.log(`${String(count).padStart(15)}  ${room}`);
  }
  console.log(`${String(product).padStart(7)}  without tests`);
}
