/** Owns reading docs/explain.md: its files, and its commands with the output that the page shows. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const PAGE = join(import.meta.dirname, "../../../docs/explain.md");

export interface Page {
  /** Paths below `supabase/` and their texts. */
  files: Record<string, string>;
  /** The commands of each block, and the text block that follows, where there is one. */
  commands: { lines: Line[]; output: string | undefined }[];
}

export interface Line {
  /** What stands before `npx homebase`. */
  environment: Record<string, string>;
  /** What stands after it. */
  words: string[];
}

export function readPage(): Page {
  const page: Page = { files: {}, commands: [] };
  for (const [, kind, path = "", text = ""] of readFileSync(PAGE, "utf8").matchAll(BLOCK)) {
    const last = page.commands.at(-1);
    if (kind === "sql") page.files[path.replace(/^supabase\//, "")] = text;
    else if (kind === "sh")
      page.commands.push({ lines: text.trim().split("\n").map(lineOf), output: undefined });
    else if (last) last.output = text;
  }
  return page;
}

/** Whether a command printed a block's text, where a line of `…` stands for any lines. */
export function prints(output: string): RegExp {
  const parts = output.split(/^…\n/m).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("(?:.*\\n)+")}$`);
}

const BLOCK = /^```(sql|sh|text) ?(\S*)\n([\s\S]*?)^```$/gm;

/** A command line, whose quoted words have no escapes. */
function lineOf(line: string): Line {
  const environment: Record<string, string> = {};
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  while (/^[A-Z_]+=/.test(words[0] ?? "")) {
    const [name = "", value = ""] = (words.shift() ?? "").split("=");
    environment[name] = value;
  }
  const [npx, homebase, ...rest] = words;
  if (npx !== "npx" || homebase !== "homebase") throw new Error(`The page has another command: ${line}`);
  return { environment, words: rest };
}
