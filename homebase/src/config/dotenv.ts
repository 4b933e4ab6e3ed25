/**
 * Owns parsing `.env` files: comments, `export`, three kinds of quotes, escapes in double quotes, `${NAME}`
 * and `$NAME` expansion outside single quotes.
 */

const LINE =
  /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.-]*)\s*(?:=|:\s)\s*("(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|[^#\r\n]*)/gm;

/**
 * Parses a dotenv file's text. @param environment values for expansions of names that the file has not set
 * before.
 */
export function parseDotenv(
  text: string,
  environment: Record<string, string | undefined> = {},
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [, name, raw] of text.matchAll(LINE)) {
    if (name === undefined || raw === undefined) continue;
    const quote = raw[0];
    if (quote === "'" || quote === "`") {
      values[name] = raw.slice(1, -1);
      continue;
    }
    const plain = quote === '"' ? unescapeDouble(raw.slice(1, -1)) : raw.trim();
    values[name] = plain.replace(
      /(\\?)\$(?:\{([A-Za-z_]\w*)(?::-([^}]*))?\}|([A-Za-z_]\w*))/g,
      (whole, escaped: string, braced?: string, fallback?: string, bare?: string) => {
        if (escaped) return whole.slice(1);
        const key = braced ?? bare ?? "";
        return values[key] ?? environment[key] ?? fallback ?? "";
      },
    );
  }
  return values;
}

function unescapeDouble(text: string): string {
  return text.replace(/\\([nrt"\\])/g, (_, letter: string) =>
    letter === "n" ? "\n" : letter === "r" ? "\r" : letter === "t" ? "\t" : letter,
  );
}
