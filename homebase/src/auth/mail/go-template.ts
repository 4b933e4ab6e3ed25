/**
 * Owns the templates of mails and messages: the subset of Go's html/template that such texts use
 * (https://pkg.go.dev/text/template): fields, if/else, range, with, comments, trim markers, and the functions
 * eq, ne, and, or, not, len. Values are escaped according to their context.
 */
import { escapeHtml } from "../../core/html.ts";

/** A template error; the message gives the position. */
export class TemplateError extends Error {}

/** A parsed template; renders the text for given variables. */
export type Template = (variables: Record<string, unknown>) => string;

type Node =
  | { kind: "text"; text: string }
  | { kind: "value"; expression: string }
  | { kind: "if" | "range" | "with"; expression: string; body: Node[]; otherwise: Node[] };

/**
 * Parses a template.
 * @param escaping "html" escapes values for HTML, in URL attributes also characters that could end the
 * attribute; "none" is for subjects and messages.
 * @throws TemplateError
 */
export function parseTemplate(source: string, escaping: "html" | "none"): Template {
  const tokens = tokenize(source);
  const position = { at: 0 };
  const nodes = parseNodes(tokens, position, false);
  if (position.at < tokens.length) throw new TemplateError("unexpected {{ end }} or {{ else }}");
  return (variables) => {
    const written = { text: "" };
    write(nodes, variables, variables, escaping, written);
    return written.text;
  };
}

type Token = { text: string } | { action: string };

function tokenize(source: string): Token[] {
  const tokens: Token[] = [];
  const pattern =
    /\{\{(- )?\s*((?:"(?:[^"\\]|\\.)*"|`[^`]*`|\/\*[\s\S]*?\*\/|(?!\}\})[\s\S])*?)\s*( -)?\}\}/g;
  let from = 0;
  let trimNext = false;
  const push = (text: string, trimEnd: boolean) => {
    let piece = trimNext ? text.trimStart() : text;
    if (trimEnd) piece = piece.trimEnd();
    if (piece !== "") tokens.push({ text: piece });
  };
  for (const match of source.matchAll(pattern)) {
    push(source.slice(from, match.index), match[1] !== undefined);
    trimNext = match[3] !== undefined;
    const action = (match[2] ?? "").trim();
    if (!action.startsWith("/*")) tokens.push({ action });
    from = match.index + match[0].length;
  }
  push(source.slice(from), false);
  if (source.slice(from).includes("{{")) throw new TemplateError("unclosed action");
  return tokens;
}

function parseNodes(tokens: Token[], position: { at: number }, inside: boolean): Node[] {
  const nodes: Node[] = [];
  while (position.at < tokens.length) {
    const token = tokens[position.at];
    if (!token) break;
    if ("text" in token) {
      nodes.push({ kind: "text", text: token.text });
      position.at++;
      continue;
    }
    const word = /^\S*/.exec(token.action)?.[0] ?? "";
    if (word === "end" || word === "else") {
      if (!inside) throw new TemplateError(`unexpected {{ ${word} }}`);
      return nodes;
    }
    position.at++;
    if (word === "if" || word === "range" || word === "with") {
      nodes.push(parseBlock(tokens, position, word, token.action.slice(word.length).trim()));
    } else if (["define", "template", "block", "break", "continue"].includes(word)) {
      throw new TemplateError(`{{ ${word} }} is not supported`);
    } else {
      check(token.action);
      nodes.push({ kind: "value", expression: token.action });
    }
  }
  if (inside) throw new TemplateError("missing {{ end }}");
  return nodes;
}

function parseBlock(
  tokens: Token[],
  position: { at: number },
  kind: "if" | "range" | "with",
  expression: string,
): Node {
  check(expression);
  const body = parseNodes(tokens, position, true);
  const closing = tokens[position.at];
  const action = closing && "action" in closing ? closing.action : "";
  position.at++;
  if (!action.startsWith("else")) return { kind, expression, body, otherwise: [] };
  const chained = /^else\s+(if|with)\s+([\s\S]+)$/.exec(action);
  if (chained) {
    const next = parseBlock(tokens, position, chained[1] as "if" | "with", chained[2] ?? "");
    return { kind, expression, body, otherwise: [next] };
  }
  const otherwise = parseNodes(tokens, position, true);
  position.at++;
  return { kind, expression, body, otherwise };
}

function write(
  nodes: Node[],
  dot: unknown,
  root: Record<string, unknown>,
  escaping: "html" | "none",
  written: { text: string },
): void {
  for (const node of nodes) {
    if (node.kind === "text") written.text += node.text;
    else if (node.kind === "value") {
      const text = print(evaluate(node.expression, dot, root));
      written.text += escaping === "html" ? escapeFor(written.text, text) : text;
    } else {
      const value = evaluate(node.expression, dot, root);
      const chosen = truth(value) ? node.body : node.otherwise;
      if (node.kind === "range" && truth(value)) {
        const items = Array.isArray(value) ? value : Object.values(value as object);
        for (const item of items) write(node.body, item, root, escaping, written);
      } else write(chosen, node.kind === "with" && truth(value) ? value : dot, root, escaping, written);
    }
  }
}

const TERM = /"(?:[^"\\]|\\.)*"|`[^`]*`|\(|\)|\||[^\s()|]+/g;
const FUNCTIONS: Record<string, (...values: unknown[]) => unknown> = {
  eq: (first, ...others) => others.some((other) => other === first),
  ne: (left, right) => left !== right,
  not: (value) => !truth(value),
  and: (...values) => values.find((value) => !truth(value)) ?? values.at(-1),
  or: (...values) => values.find(truth) ?? values.at(-1),
  len: (value) => (typeof value === "string" || Array.isArray(value) ? value.length : 0),
  urlquery: (value) => encodeURIComponent(print(value)),
  print: (...values) => values.map(print).join(" "),
};

/** Rejects at parse time what `evaluate` does not support. */
function check(expression: string): void {
  if (expression === "") throw new TemplateError("empty action");
  for (const [term] of expression.matchAll(TERM)) {
    if (/^["`().|$\d-]/.test(term) || term in FUNCTIONS || /^(true|false|nil)$/.test(term)) continue;
    throw new TemplateError(`function "${term}" is not defined`);
  }
}

function evaluate(expression: string, dot: unknown, root: Record<string, unknown>): unknown {
  const terms = [...expression.matchAll(TERM)].map(([term]) => term);
  let at = 0;
  const pipeline = (): unknown => {
    let value = command([]);
    while (terms[at] === "|") {
      at++;
      value = command([value]);
    }
    return value;
  };
  const command = (piped: unknown[]): unknown => {
    const name = terms[at] ?? "";
    const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (called) at++;
    const values: unknown[] = [];
    while (at < terms.length && terms[at] !== "|" && terms[at] !== ")") values.push(operand());
    return called ? called(...values, ...piped) : values[0];
  };
  const operand = (): unknown => {
    const term = terms[at++] ?? "";
    if (term === "(") {
      const value = pipeline();
      at++;
      return value;
    }
    if (term.startsWith('"')) return JSON.parse(term);
    if (term.startsWith("`")) return term.slice(1, -1);
    if (term === "true" || term === "false") return term === "true";
    if (/^-?\d/.test(term)) return Number(term);
    if (term.startsWith("$")) return fieldOf(root, term.slice(1));
    return term.startsWith(".") ? fieldOf(dot, term) : undefined;
  };
  return pipeline();
}

function fieldOf(value: unknown, path: string): unknown {
  return path
    .split(".")
    .filter(Boolean)
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === "object" && inner !== null && Object.hasOwn(inner, name)
          ? (inner as Record<string, unknown>)[name]
          : undefined,
      value,
    );
}

function truth(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function print(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Escapes for the context at the end of the text so far: a URL in href or src must not be a script. */
function escapeFor(before: string, text: string): string {
  if (/\b(?:href|src|action)\s*=\s*["']$/i.test(before) && !isSafeAddress(text)) return "#ZgotmplZ";
  return escapeHtml(text);
}

function isSafeAddress(text: string): boolean {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(text)?.[1];
  // Links in mail may use an app's own URL scheme; only schemes that a browser would execute are rejected.
  return scheme === undefined || !/^(?:javascript|data|vbscript)$/i.test(scheme);
}
