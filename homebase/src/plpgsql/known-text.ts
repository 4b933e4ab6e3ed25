/** Owns the text that an expression gives, as far as the expression itself shows it: constants joined by `||` and format(). */
import { quote, quoteLiteral } from "../postgres/quoting.ts";

/** A text that a function puts together. A value that is not written in the function is NULL in it, which fits any type. */
export interface KnownText {
  text: string;
  /** Whether a NULL stands in place of a value. */
  hasValues: boolean;
}

interface Named {
  String?: { sval?: string };
}
interface Node {
  A_Const?: { sval?: { sval?: string }; ival?: { ival?: number }; fval?: { fval?: string } };
  A_Expr?: { kind?: string; name?: Named[]; lexpr?: Node; rexpr?: Node };
  FuncCall?: { funcname?: Named[]; args?: Node[]; func_variadic?: boolean };
  TypeCast?: { arg?: Node; typeName?: { names?: Named[] } };
}

const namesOf = (list: readonly Named[] = []) => list.map(({ String: one }) => one?.sval ?? "");

/**
 * @param node of an expression
 * @returns undefined where a name or a piece of the statement is known only when the function runs
 */
export function knownText(node: unknown): KnownText | undefined {
  const { A_Const: constant, A_Expr: operation, FuncCall: call, TypeCast: cast } = (node ?? {}) as Node;
  if (constant) return known(constantText(node));
  if (cast) return TEXTS.test(namesOf(cast.typeName?.names).at(-1) ?? "") ? knownText(cast.arg) : undefined;
  if (operation) {
    const isJoin = operation.kind === "AEXPR_OP" && namesOf(operation.name).join(".") === "||";
    return isJoin ? joined([operation.lexpr, operation.rexpr].map(knownText)) : undefined;
  }
  const [name = "", schema = "pg_catalog"] = namesOf(call?.funcname).toReversed();
  const { args = [], func_variadic: isVariadic = false } = call ?? {};
  if (isVariadic || schema !== "pg_catalog") return undefined;
  if (name === "format") return formatted(args);
  if (name === "concat") return joined(args.map(knownText));
  const kind = args.length === 1 ? QUOTES.get(name) : undefined;
  return kind && quotedBy(kind, args[0]);
}

const TEXTS = /^(text|varchar)$/;
const QUOTES: ReadonlyMap<string, "I" | "L"> = new Map([
  ["quote_ident", "I"],
  ["quote_literal", "L"],
  ["quote_nullable", "L"],
]);

const known = (text: string | undefined) => (text === undefined ? undefined : { text, hasValues: false });

/** A constant as text; undefined for null. */
function constantText(node: unknown): string | undefined {
  const { sval, ival, fval } = (node as Node | undefined)?.A_Const ?? {};
  if (sval) return sval.sval ?? "";
  return ival ? String(ival.ival ?? 0) : fval?.fval;
}

function joined(pieces: readonly (KnownText | undefined)[]): KnownText | undefined {
  const all = pieces.filter((one) => one !== undefined);
  if (all.length !== pieces.length) return undefined;
  return { text: all.map(({ text }) => text).join(""), hasValues: all.some(({ hasValues }) => hasValues) };
}

/** A value in a text: a name has to be known, a literal does not. */
function quotedBy(kind: string, node: unknown): KnownText | undefined {
  const value = knownText(node);
  if (kind === "s") return value;
  const text = value?.hasValues === false ? value.text : undefined;
  if (kind === "I") return known(text && quote(text));
  return text === undefined ? { text: "NULL", hasValues: true } : known(quoteLiteral(text));
}

/** The outcome of format(), where it has arguments enough and sets no widths. */
function formatted([first, ...args]: readonly unknown[]): KnownText | undefined {
  const template = constantText(first);
  if (template === undefined) return undefined;
  const pieces: (KnownText | undefined)[] = [];
  let next = 0;
  let from = 0;
  for (const found of template.matchAll(/%(?:(\d+)\$)?([sIL%])?/g)) {
    const [all, position, kind] = found;
    pieces.push(known(template.slice(from, found.index)));
    from = found.index + all.length;
    if (kind !== "%") next = position === undefined ? next + 1 : Number(position);
    if (kind === "%") pieces.push(known("%"));
    else pieces.push(kind === undefined || next > args.length ? undefined : quotedBy(kind, args[next - 1]));
  }
  return joined([...pieces, known(template.slice(from))]);
}
