/** Owns the lines on which a TOML text has its keys: the parser tells values alone. */

const NAME = String.raw`(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')`;
const KEY = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
/** A table's head, or a key with its equals sign. */
const STATEMENT = new RegExp(String.raw`[ \t]*(?:\[{1,2}[ \t]*(${KEY})[ \t]*\]|(${KEY})[ \t]*=)`, "y");
/** What a value is made of; brackets decide where it ends. */
const TOKEN =
  /"""[\s\S]*?(?<!\\)"{3,5}|'''[\s\S]*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]|\n|[^"'#[\]{}\n]+|["']/y;

/** The line of each key by its path, e.g. `auth.email.smtp.host`. @param text valid TOML */
export function keyLines(text: string): ReadonlyMap<string, number> {
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
