/**
 * Owns telling comments from code in a source file. The sources are formatted, so a comment of several lines begins a line
 * and nothing follows its end.
 */

/** The lines of a source without blank ones. */
export interface SourceLines {
  code: number;
  /** Without their signs. */
  comments: string[];
}

/** @param sign begins a comment that ends with its line; none in CSS. */
export function sourceLines(text: string, sign: "//" | "--" | undefined): SourceLines {
  const comments: string[] = [];
  let code = 0;
  let inside = false;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (inside || /^\{?\/\*/.test(trimmed)) {
      inside = !trimmed.includes("*/");
      comments.push(trimmed.replace(/^(?:\{?\/\*+|\*(?!\/))\s?|\s*\*\/\}?$/g, ""));
    } else if (sign && trimmed.startsWith(sign)) comments.push(trimmed.slice(sign.length).trim());
    else if (trimmed !== "") code += 1;
  }
  return { code, comments: comments.filter((comment) => comment.trim() !== "") };
}

/** The sign of a file's comments, by its ending. */
export function commentSign(extension: string): "//" | "--" | undefined {
  if (extension === ".css") return undefined;
  return extension === ".sql" ? "--" : "//";
}
