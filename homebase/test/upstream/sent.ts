/**
 * Owns what a client sends, read from its package: the requests, members of bodies, query parameters, headers and words of
 * its modules' syntax trees, and the names of its types that are written as they are sent.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

/** A client's package, and the kinds of its modules and types. */
export interface Client {
  name: string;
  modules: string;
  types: string;
  /** Types all of whose members are sent, or name what may be. */
  whole?: RegExp;
}

/** `METHOD /path` with `{}` for what varies, and names; each sorted and once. */
export interface Sent {
  requests: string[];
  members: string[];
  parameters: string[];
  headers: string[];
  /** Operators, preferences and events: what a value or a topic may be. */
  words: string[];
}

export const CLIENTS: readonly Client[] = [
  {
    name: "@supabase/auth-js",
    modules: "dist/module/**/*.js",
    types: "dist/module/lib/types.d.ts",
    whole: /Attributes$/,
  },
  { name: "@supabase/storage-js", modules: "dist/index.mjs", types: "dist/index.d.mts" },
  {
    name: "@supabase/postgrest-js",
    modules: "dist/index.mjs",
    types: "dist/index.d.mts",
    whole: /^FilterOperator$/,
  },
  { name: "@supabase/functions-js", modules: "dist/module/*.js", types: "dist/module/types.d.ts" },
  {
    name: "@supabase/realtime-js",
    modules: "dist/module/**/*.js",
    types: "dist/module/**/*.d.ts",
    whole: /^RealtimeChannelOptions$/,
  },
];

/** A node of the syntax tree (ESTree, with TypeScript's): only what is looked at. */
interface Node {
  type: string;
  [key: string]: unknown;
}

/** @param folder where the package stands */
export function sentBy({ modules, types, whole }: Client, folder: string): Sent {
  const found = {
    requests: new Set<string>(),
    members: new Set<string>(),
    parameters: new Set<string>(),
    headers: new Set<string>(),
    words: new Set<string>(),
  };
  for (const path of globSync(modules, { cwd: folder })) readModule(treeOf(join(folder, path)), found);
  for (const path of globSync(types, { cwd: folder }))
    for (const node of nodesOf(treeOf(join(folder, path)))) {
      // What is written with an underscore is written as it is sent.
      const name = node.type === "TSPropertySignature" ? keyOf(node) : undefined;
      if (name !== undefined && /^[a-z]+(_[a-z0-9]+)+$/.test(name)) found.members.add(name);
      const declared = textOf(node.id);
      if (/^TS(TypeAlias|Interface)Declaration$/.test(node.type) && whole?.test(declared))
        for (const part of nodesOf(node)) {
          if (part.type === "TSPropertySignature") found.members.add(keyOf(part) ?? "");
          if (part.type === "TSLiteralType") addText(found.words, part.literal);
        }
    }
  const sorted = (names: Set<string>) => [...names].sort();
  return {
    requests: sorted(found.requests),
    members: sorted(found.members),
    parameters: sorted(found.parameters),
    headers: sorted(found.headers),
    words: sorted(found.words),
  };
}

type Found = Record<keyof Sent, Set<string>>;

const METHODS: Record<string, string> = {
  get: "GET",
  post: "POST",
  put: "PUT",
  remove: "DELETE",
  head: "HEAD",
};

function readModule(tree: Node, found: Found): void {
  const nodes = [...nodesOf(tree)];
  const assigned = new Map<string, Node[]>();
  const assign = (target: unknown, value: unknown) => {
    const name = (target as Node | null)?.type === "Identifier" ? String((target as Node).name) : undefined;
    if (name !== undefined && value) assigned.set(name, [...(assigned.get(name) ?? []), value as Node]);
  };
  for (const node of nodes) {
    if (node.type === "VariableDeclarator") assign(node.id, node.init);
    if (node.type === "AssignmentExpression") assign(node.left, node.right);
  }
  for (const node of nodes) {
    if (node.type === "CallExpression") readCall(node, assigned, found);
    if (node.type === "Property") {
      const key = keyOf(node);
      if (key === "body") for (const name of membersOf(node.value as Node, assigned)) found.members.add(name);
      if (key === "headers")
        for (const name of membersOf(node.value as Node, assigned)) found.headers.add(name);
    }
    if (node.type === "AssignmentExpression") {
      const left = node.left as Node;
      if (left.type === "MemberExpression" && left.computed === true) {
        if (textOf(left.object).endsWith("headers")) addText(found.headers, left.property);
        // An enumeration as TypeScript writes it.
        if (/^[A-Z_]+$/.test(textOf(left.object))) addText(found.words, node.right);
      }
    }
    if (node.type === "NewExpression" && textOf(node.callee) === "URLSearchParams")
      for (const value of node.arguments as Node[])
        for (const name of membersOf(value, assigned)) found.parameters.add(name);
    for (const text of textsOf(node)) {
      for (const [, name = ""] of text.matchAll(/(?:^|[?&])([a-zA-Z_]+)=(?=$|[\w{])/g))
        found.parameters.add(name);
      if (/^[a-z]{2,}(\([a-z]+\))?\.$/.test(text.replace(/\{\}$/, "")) && text.endsWith("{}"))
        found.words.add(text.slice(0, -3));
    }
  }
}

/** Requests, and names that are set by a call. */
function readCall(node: Node, assigned: Map<string, Node[]>, found: Found): void {
  const callee = node.callee as Node;
  const args = node.arguments as Node[];
  const name = callee.type === "MemberExpression" ? textOf(callee.property) : textOf(callee);
  const owner = callee.type === "MemberExpression" ? textOf(callee.object) : "";
  const [first, second, third] = args;
  if (name === "_request" && second && third) request(literalOf(second), pathsOf(third, assigned), found);
  else if (METHODS[name] && second && textOf(first).endsWith("fetch")) {
    request(METHODS[name], pathsOf(second, assigned), found);
    for (const member of third ? membersOf(third, assigned) : []) found.members.add(member);
  }
  if (["set", "append", "delete", "has", "get"].includes(name) && first) {
    if (/headers/i.test(owner)) addText(found.headers, first);
    if (/(?:params|query)$/i.test(owner) && name !== "get") addText(found.parameters, first);
    if (/headers/i.test(owner) && literalOf(first) === "Prefer" && second)
      for (const text of textsOf(second))
        for (const one of text.split(",")) found.words.add(one.replace(/\{\}$/, ""));
  }
}

function request(method: string | undefined, paths: string[], found: Found): void {
  for (const path of paths) if (method && path.startsWith("/")) found.requests.add(`${method} ${path}`);
}

/** The texts that an address can be: behind the service's own, without the query. */
function pathsOf(node: Node, assigned: Map<string, Node[]>): string[] {
  const values = node.type === "Identifier" ? (assigned.get(String(node.name)) ?? []) : [node];
  return values.flatMap((value) =>
    textsOf(value)
      .slice(0, 1)
      .map((text) =>
        text
          .replace(/^\{\}/, "")
          .replace(/\?.*$/, "")
          .replace(/(?<=[^/])\{\}$/, ""),
      ),
  );
}

/** The keys of object literals in a value, through calls, conditions and names. */
function membersOf(node: Node, assigned: Map<string, Node[]>, seen = new Set<string>()): string[] {
  switch (node.type) {
    case "ObjectExpression":
      return (node.properties as Node[]).flatMap((property) =>
        property.type === "SpreadElement"
          ? membersOf(property.argument as Node, assigned, seen)
          : [keyOf(property) ?? "", ...membersOf(property.value as Node, assigned, seen)].filter(Boolean),
      );
    case "CallExpression":
      return (node.arguments as Node[]).flatMap((one) => membersOf(one, assigned, seen));
    case "ConditionalExpression":
      return [node.consequent, node.alternate].flatMap((one) => membersOf(one as Node, assigned, seen));
    case "LogicalExpression":
      return [node.left, node.right].flatMap((one) => membersOf(one as Node, assigned, seen));
    case "Identifier": {
      const name = String(node.name);
      if (seen.has(name)) return [];
      seen.add(name);
      return (assigned.get(name) ?? []).flatMap((value) => membersOf(value, assigned, seen));
    }
    default:
      return [];
  }
}

function treeOf(path: string): Node {
  const { program, errors } = parseSync(path, readFileSync(path, "utf8"));
  if (errors.length > 0) throw new Error(`${path} cannot be read: ${errors[0]?.message}`);
  return program as unknown as Node;
}

function* nodesOf(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node))
    for (const one of Array.isArray(value) ? value : [value])
      if (typeof one === "object" && one !== null && typeof (one as Node).type === "string")
        yield* nodesOf(one as Node);
}

function keyOf({ key, computed }: Node): string | undefined {
  if (computed === true) return undefined;
  const { type, name, value } = key as Node;
  return type === "Identifier" ? String(name) : String(value);
}

function literalOf(node: Node): string | undefined {
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined;
}

function addText(names: Set<string>, node: unknown): void {
  const text = literalOf(node as Node);
  if (text !== undefined) names.add(text);
}

/** `this.url` of a name or a member. */
function textOf(node: unknown): string {
  const { type, name, object, property } = (node ?? {}) as Node;
  if (type === "MemberExpression") return `${textOf(object)}.${textOf(property)}`;
  return type === "Identifier" ? String(name) : type === "ThisExpression" ? "this" : "";
}

/** The texts that a literal, a template or a choice of them can be, with `{}` for what varies. */
function textsOf(node: Node): string[] {
  if (node.type === "ConditionalExpression")
    return [node.consequent, node.alternate].flatMap((one) => textsOf(one as Node));
  if (node.type !== "TemplateLiteral") {
    const text = literalOf(node);
    return text === undefined ? [] : [text];
  }
  const fixed = (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked);
  return (node.expressions as Node[]).reduce(
    (texts, expression, index) => {
      const choices = textsOf(expression);
      return (choices.length === 0 ? ["{}"] : choices).flatMap((choice) =>
        texts.map((text) => text + choice + fixed[index + 1]),
      );
    },
    [fixed[0] ?? ""],
  );
}

/** Every name of a module, and every word and text in its literals. */
export function namesIn(path: string): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(treeOf(path))) {
    if (node.type === "Identifier") names.add(String(node.name));
    const texts =
      node.type === "TemplateElement" ? [(node.value as { cooked: string }).cooked] : textsOf(node);
    for (const text of texts) for (const word of [text, ...text.split(/[^\w-]+/)]) names.add(word);
  }
  return names;
}
