/** docs/snapshots.md: its commands, in their order, on a running stack. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { change, SNAPSHOTS_PROJECT, stateOf } from "./state.ts";

const page = readFileSync(join(import.meta.dirname, "../../../../docs/snapshots.md"), "utf8");
const lines = (page.split("```sh\n")[1]?.split("```")[0] ?? "").trim().split("\n");
const project = new Project(SNAPSHOTS_PROJECT);

beforeAll(() => project.start(), 120_000);
afterAll(() => project.remove(), 60_000);

test("the commands of the page do what it says", async () => {
  expect(lines).toHaveLength(5);
  const outputs: string[] = [];
  const states = [await stateOf(project)];
  for (const line of lines) {
    const [npx, homebase, ...words] = line.split(" ");
    expect([npx, homebase]).toEqual(["npx", "homebase"]);
    const { code, stdout, stderr } = await project.run(...words);
    expect([line, code, stderr]).toEqual([line, 0, ""]);
    outputs.push(stdout);
    if (words[1] === "save") await change(project, "n7");
    states.push(await stateOf(project));
  }
  const [before, changed, , restored, back] = states;
  expect([restored, back]).toEqual([before, changed]);
  expect(outputs).toEqual([
    expect.stringMatching(/^Saved before-import \(\d+ MB\) in [\d.]+ s\. Requests waited [\d.]+ s\.\n/),
    expect.stringContaining("before-import"),
    expect.stringMatching(/^Restored before-import in [\d.]+ s\./),
    expect.stringMatching(/^Restored before-restore in [\d.]+ s\./),
    "Deleted before-import.\n",
  ]);
}, 120_000);
