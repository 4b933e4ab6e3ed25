/** The commands of docs/assistants.md, in a shell, with the output that the page shows. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Project } from "../../../test/cli/project.ts";
import { COMMAND } from "../../../test/command.ts";
import { readPage } from "../../../test/explain/page.ts";
import { dataOf } from "./stack.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const PAGE = join(import.meta.dirname, "../../../../docs/assistants.md");
const project = new Project(readPage().files);
const programs = mkdtempSync(join(tmpdir(), "homebase-npx-"));

beforeAll(async () => {
  // `npx homebase` of this repository, for this project.
  const own = `--workdir '${project.folder}' --port-offset ${project.offset}`;
  writeFileSync(
    join(programs, "npx"),
    `#!/bin/sh\nshift\nexec '${process.execPath}' '${COMMAND}' "$@" ${own}\n`,
  );
  chmodSync(join(programs, "npx"), 0o755);
  await project.start();
});
afterAll(async () => {
  await project.remove();
  rmSync(programs, { recursive: true });
});

async function shell(script: string): Promise<string> {
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
  return (await promisify(execFile)("bash", ["-euc", script], { env, cwd: project.folder })).stdout;
}

test("every command of the page prints what the page shows", async () => {
  const blocks = [...readFileSync(PAGE, "utf8").matchAll(/^```(sh|text|json)\n([\s\S]*?)^```$/gm)].map(
    ([, kind, text = ""]) => ({ kind, text }),
  );
  const scripts = blocks.filter(({ kind }) => kind === "sh");
  const printed = await Promise.all(scripts.map(({ text }) => shell(text)));
  expect(printed.length).toBe(3);
  // Each answer has marks of its own.
  expect(printed[0]?.replace(/(data-)[\da-f-]{36}/g, "$1…")).toBe(
    blocks.find(({ kind }) => kind === "text")?.text,
  );
  expect(printed[1]).toMatch(/^MCP_TOKEN="[\w-]{43}"\nMCP_URL="http:\/\/127\.0\.0\.1:\d+\/mcp"\n$/);
  const [message = "", ...lines] = printed[2]?.split("\n") ?? [];
  expect(dataOf(JSON.parse(message).result.content[0].text)).toBe(lines.join("\n"));
  for (const { text } of blocks.filter(({ kind }) => kind === "json"))
    expect(JSON.parse(text)).toHaveProperty("mcpServers");
});
