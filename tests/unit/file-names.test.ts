/** A file's name says what is in it, so it stands once in Homebase's core and once in each wing. */
import { globSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "vitest";

/** What each room or view has one of. A command's file has the name that is typed. */
const OF_EACH_ROOM = ["index", "service", "routes", "compose", "errors", "wing", "calls"];
const wings = readdirSync("homebase/wings", { withFileTypes: true }).filter((one) => one.isDirectory());

test.each(["homebase/src", ...wings.map(({ name }) => `homebase/wings/${name}`)])("in %s", (folder) => {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, {
    exclude: (path) => /(?:^|\/)(?:node_modules|dist|test|commands)(?:\/|$)/.test(path),
  });
  const named = Map.groupBy(files, (path) => basename(path).replace(/\.tsx?$/, ""));
  const twice = [...named].filter(([name, paths]) => paths.length > 1 && !OF_EACH_ROOM.includes(name));
  expect(files.length).toBeGreaterThan(0);
  expect(twice).toEqual([]);
});
