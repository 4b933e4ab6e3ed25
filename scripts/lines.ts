/**
 * `npm run lines`: code lines (no comments, no blanks, nothing generated) by area. The sources are formatted, so a
 * comment of several lines begins a line and nothing follows its end.
 */
import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { capture, root } from "./process.ts";

const HELP = `Usage: npm run lines -- [--rooms] [--json]

Counts the code lines of each area: no comments, no blank lines, nothing generated.
  --rooms  each area by its folders
  --json   as JSON`;

/** How a language begins a comment that ends with its line. */
const LINE_COMMENT: Record<string, string | undefined> = {
  ".ts": "//",
  ".tsx": "//",
  ".mjs": "//",
  ".js": "//",
  ".sql": "--",
  ".css": undefined,
};

/** In this order: a file belongs to the first area that its path begins with. Those named `tests` are not product. */
const AREAS = [
  ["Homebase", "homebase/src/"],
  ["Homebase, package", "homebase/bin/", "homebase/build/"],
  ["Nosh, app", "web/"],
  ["Nosh, backend", "supabase/"],
  ["Project", "scripts/"],
  ["tests", "homebase/test/", "tests/"],
] as const;
/** How many folders deep the rooms of an area are. */
const ROOM_DEPTH = 3;

const GENERATED = [
  /database\.types\.ts$/,
  /^supabase\/migrations\/\d+_baseline\.sql$/,
  /^web\/public\//,
  /^supabase\/tests\//,
];
const TEST = /\.test\.tsx?$/;

const { values } = parseArgs({
  options: { help: { type: "boolean" }, rooms: { type: "boolean" }, json: { type: "boolean" } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const counts = new Map<string, Map<string, number>>();
const { stdout } = await capture("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
for (const path of stdout.trim().split("\n")) {
  if (!(extname(path) in LINE_COMMENT) || GENERATED.some((pattern) => pattern.test(path))) continue;
  const area = TEST.test(path)
    ? "tests"
    : AREAS.find(([, ...under]) => under.some((one) => path.startsWith(one)))?.[0];
  if (!area) continue;
  const rooms = counts.get(area) ?? new Map<string, number>();
  const room = path.split("/").slice(0, -1).slice(0, ROOM_DEPTH).join("/");
  rooms.set(
    room,
    (rooms.get(room) ?? 0) + codeLines(readFileSync(join(root, path), "utf8"), LINE_COMMENT[extname(path)]),
  );
  counts.set(area, rooms);
}

const areas = AREAS.map(([area]) => {
  const rooms = [...(counts.get(area) ?? [])].sort(([, a], [, b]) => b - a);
  return { area, lines: rooms.reduce((sum, [, lines]) => sum + lines, 0), rooms: Object.fromEntries(rooms) };
});
const product = areas.filter(({ area }) => area !== "tests").reduce((sum, { lines }) => sum + lines, 0);
if (values.json) console.log(JSON.stringify({ product, areas }, null, 2));
else {
  for (const { area, lines, rooms } of areas) {
    console.log(`${String(lines).padStart(7)}  ${area}`);
    if (!values.rooms) continue;
    for (const [room, count] of Object.entries(rooms)) console.log(`${String(count).padStart(15)}  ${room}`);
  }
  console.log(`${String(product).padStart(7)}  without tests`);
}

function codeLines(text: string, comment: string | undefined): number {
  let inside = false;
  let count = 0;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (inside) inside = !trimmed.includes("*/");
    else if (/^(\/\*|\{\/\*)/.test(trimmed)) inside = !trimmed.includes("*/");
    else if (trimmed !== "" && !(comment && trimmed.startsWith(comment))) count += 1;
  }
  return count;
}
