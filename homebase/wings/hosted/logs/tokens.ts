/** Owns reading the text of a query of logs: ClickHouse's tokens, and what stands in brackets. */

/** A query that this stand-in does not run, with the reason. */
export class LogQueryRefused extends Error {}

export type Node =
  | { kind: "word" | "number" | "string" | "symbol"; text: string; quoted?: boolean }
  | { kind: "group"; bracket: "(" | "["; nodes: Node[] };

const TOKEN =
  /(?<space>\s+|--[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>'(?:[^'\\]|\\[\s\S]|'')*')|(?<quoted>"(?:[^"\\]|"")+"|`[^`\\]+`)|(?<number>\d+(?:\.\d+)?)|(?<word>[A-Za-z_]\w*)|(?<symbol><=|>=|!=|<>|==|\|\||[()[\],.;+\-*/%=<>])/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
const MAX_DEPTH = 50;

/** @throws LogQueryRefused */
export function parseNodes(sql: string): Node[] {
  const stack: { bracket: "(" | "["; nodes: Node[] }[] = [{ bracket: "(", nodes: [] }];
  const top = () => stack.at(-1) ?? { bracket: "(" as const, nodes: [] };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < sql.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(sql)?.groups;
    if (!found) throw new LogQueryRefused(`The query cannot be read from here on: ${sql.slice(at, at + 30)}`);
    const { string, quoted, number, word, symbol } = found;
    if (string) top().nodes.push({ kind: "string", text: stringValue(string) });
    else if (quoted)
      top().nodes.push({ kind: "word", text: quoted.slice(1, -1).replaceAll('""', '"'), quoted: true });
    else if (number) top().nodes.push({ kind: "number", text: number });
    else if (word) top().nodes.push({ kind: "word", text: word });
    else if (symbol === "(" || symbol === "[") {
      if (stack.length > MAX_DEPTH) throw new LogQueryRefused("The query is nested too deeply.");
      stack.push({ bracket: symbol, nodes: [] });
    } else if (symbol === ")" || symbol === "]") {
      const closed = stack.pop();
      if (!closed || stack.length === 0 || (symbol === ")") !== (closed.bracket === "("))
        throw new LogQueryRefused(`A "${symbol}" closes nothing.`);
      top().nodes.push({ kind: "group", ...closed });
    } else if (symbol) top().nodes.push({ kind: "symbol", text: symbol });
  }
  if (stack.length > 1) throw new LogQueryRefused(`A "${top().bracket}" is not closed.`);
  return top().nodes;
}

/** Whether a node is this keyword or symbol. */
export function is(node: Node | undefined, text: string): boolean {
  return (
    node !== undefined &&
    node.kind !== "group" &&
    node.kind !== "string" &&
    !isQuoted(node) &&
    node.text.toLowerCase() === text
  );
}

/** The parts between separators. */
export function split(nodes: readonly Node[], separator: string): Node[][] {
  const parts: Node[][] = [[]];
  for (const node of nodes) {
    if (is(node, separator)) parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts;
}

function isQuoted(node: Node): boolean {
  return node.kind === "word" && node.quoted === true;
}

function stringValue(token: string): string {
  const value = token.slice(1, -1).replace(/''|\\([\s\S])/g, (_, escaped: string | undefined) =>
    // A backslash that escapes nothing stays: patterns of LIKE and regular expressions have their own.
    escaped === undefined ? "'" : (ESCAPES[escaped] ?? (/['"\\]/.test(escaped) ? escaped : `\\${escaped}`)),
  );
  if (value.includes("\0")) throw new LogQueryRefused("A text has a zero byte.");
  return value;
}
