/** Owns reading docs/explain.md: its files, and its commands with the output that the page shows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const PAGE = join(import.meta.dirname, "../../../docs/explain.md");

export interface Page {
  /** Paths below `supabase/` and their texts. */
  files: Record<string, string>;
  /** Commands after `npx homebase`, as words, and the text block that follows, where there is one. */
  commands: { words: string[][]; output: string | undefined }[];
}

export function readPage(): Page {
  const page: Page = { files: {}, commands: [] };
  for (const [, kind, path = "", text = ""] of readFileSync(PAGE, "utf8").matchAll(BLOCK)) {
    const last = page.commands.at(-1);
    if (kind === "sql") page.files[path.replace(/^supabase\//, "")] = text;
    else if (kind === "sh")
      page.commands.push({ words: text.trim().split("\n").map(words), output: undefined });
    else if (last) last.output = text;
  }
  return page;
}

const BLOCK = /^```(sql|sh|text) ?(\S*)\n([\s\S]*?)^```$/gm;

/** The words of a command line, whose quoted words have no escapes. */
function words(line: string): string[] {
  const [npx, homebase, ...rest] = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  if (npx !== "npx" || homebase !== "homebase") throw new Error(`The page has another command: ${line}`);
  return rest;
}
