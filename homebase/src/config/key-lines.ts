/** Owns the lines on which a configuration has its keys, in TOML and in JSON: the parsers tell values alone. */

const NAME = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const KEY = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
/** A table's head, or a key with its equals sign. */
const STATEMENT = new RegExp(String.raw`[ \t]*(?:\[{1,2}[ \t]*(${KEY})[ \t]*\]|(${KEY})[ \t]*=)`, "y");
/** What a value is made of; brackets decide where it ends. */
const TOKEN =
  /"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+|["']/y;

/** A string with the colon that makes it a key, a comment, or a bracket. */
const JSON_TOKEN =
  /("(?:\\.|[^"\\])*")(\s*(?:(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/)\s*)*:)?|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[[\]{}]/g;

/** The line of each key by its path, e.g. `auth.email.smtp.host`. @param text valid TOML, or JSON with comments */
export function keyLines(file: string, text: string): ReadonlyMap<string, number> {
  return file.endsWith(".toml") ? tomlLines(text) : jsonLines(text);
}

function jsonLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  /** The path before the keys of each open bracket; undefined within a list. */
  const open: (string | undefined)[] = [];
  let key = "";
  let line = 1;
  let counted = 0;
  for (const { 0: token, 1: quoted, 2: colon, index } of text.matchAll(JSON_TOKEN)) {
    line += text.slice(counted, index).split("\n").length - 1;
    counted = index;
    const before = open.at(-1);
    if (quoted !== undefined && colon !== undefined && before !== undefined) {
      key = before + JSON.parse(quoted);
      lines.set(key, line);
    } else if (token === "{")
      open.push(open.length === 0 ? "" : before === undefined ? undefined : `${key}.`);
    else if (token === "[") open.push(undefined);
    else if (token === "}" || token === "]") open.pop();
  }
  return lines;
}

function tomlLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let table = "";
  let line = 1;
  for (let at = 0; at < text.length; ) {
    STATEMENT.lastIndex = at;
    const [all = "", head, key] = STATEMENT.exec(text) ?? [];
    if (head !== undefined) table = `${pathOf(head)}.`;
    if (key !== undefined) lines.set(table + pathOf(key), line);
    at += all.length;
    let depth = 0;
    for (let token = ""; at < text.length && !(token === "\n" && depth === 0); at += token.length) {
      TOKEN.lastIndex = at;
      token = TOKEN.exec(text)?.[0] ?? text.charAt(at);
      if (/^[[{]$/.test(token)) depth += 1;
      if (/^[\]}]$/.test(token)) depth = Math.max(0, depth - 1);
      line += token.split("\n").length - 1;
    }
  }
  return lines;
}

function pathOf(key: string): string {
  return [...key.matchAll(new RegExp(NAME, "g"))]
    .map(([name]) => (name.startsWith('"') ? String(JSON.parse(name)) : name.replace(/^'(.*)'$/, "$1")))
    .join(".");
}
