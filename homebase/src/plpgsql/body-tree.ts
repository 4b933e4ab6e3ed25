/**
 * Owns the tree of a PL/pgSQL body, as npm's libpg-query reads it: Postgres's own grammar, without a catalog. So that it
 * takes each declared variable for what it is, its type is replaced by `record` or `text` before it reads.
 */
import { type Token, tokenize } from "../postgres/statements/lexer.ts";

/** An expression or statement in SQL. In modes 3 to 5 the text is an assignment with its target. */
export interface Expression {
  PLpgSQL_expr: { query: string; parseMode: number };
}

/** What a statement writes to: a record, or a list of variables. Numbers that are 0 are left out. */
export interface Target {
  PLpgSQL_rec?: { refname: string; dno?: number };
  PLpgSQL_row?: { fields?: { name: string; varno?: number }[] };
  PLpgSQL_var?: { refname: string };
}

/** A statement: its kind, e.g. `PLpgSQL_stmt_if`, and its members. */
export type Statement = Record<string, StatementBody>;

export interface StatementBody {
  lineno?: number;
  label?: string;
  varno?: number;
  retvarno?: number;
  curvar?: number;
  t_varno?: number;
  expr?: Expression;
  cond?: Expression;
  query?: Expression;
  dynquery?: Expression;
  argquery?: Expression;
  sqlstmt?: Expression;
  t_expr?: Expression;
  lower?: Expression;
  upper?: Expression;
  step?: Expression;
  params?: Expression[];
  options?: { PLpgSQL_raise_option: { expr: Expression } }[];
  into?: boolean;
  target?: Target;
  var?: Target;
  body?: Statement[];
  then_body?: Statement[];
  else_body?: Statement[];
  else_stmts?: Statement[];
  have_else?: boolean;
  is_exit?: boolean;
  is_move?: boolean;
  elog_level?: number;
  /** RAISE: its text; ASSERT: an expression. */
  message?: string | Expression;
  elsif_list?: { PLpgSQL_if_elsif: { cond: Expression; stmts?: Statement[] } }[];
  case_when_list?: { PLpgSQL_case_when: { expr: Expression; stmts?: Statement[] } }[];
  diag_items?: { PLpgSQL_diag_item: { target?: number } }[];
  exceptions?: {
    PLpgSQL_exception_block: {
      exc_list: {
        PLpgSQL_exception: {
          conditions: { PLpgSQL_condition: { condname: string } }[];
          action?: Statement[];
        };
      }[];
    };
  };
}

/** A variable, record, row or field of a record, by its number. */
export interface Datum {
  kind: "var" | "rec" | "row" | "recfield";
  refname: string;
  lineno: number;
  typeName: string | undefined;
  isConstant: boolean;
  cursorQuery: Expression | undefined;
  cursorArguments: number;
  fieldName: string;
  parent: number;
  fields: { name: string; varno: number }[];
}

export interface Declaration {
  /** As written. */
  type: string;
  /** Of its first value; the parser leaves it out of a record. */
  initial: string | undefined;
}

export interface Body {
  datums: Datum[];
  aliases: { name: string; varno: number }[];
  action: StatementBody;
  /** Declarations by the variable's name and line. */
  declared: Map<string, Declaration>;
}

/** A parameter of the function: `record` stands for every composite type, and OPEN takes no other than a cursor. */
export interface Header {
  parameters: { name: string; mode: "i" | "o" | "b" | "v" | "t"; type: "record" | "refcursor" | "text" }[];
  /** `trigger`, `event_trigger`, `void`, `record` or `text`; undefined for a procedure. */
  returns: string | undefined;
  isSet: boolean;
}

/** @throws whatever the parser says of what Postgres 17 accepts */
export async function readBody(
  source: string,
  header: Header,
  isComposite: (type: string) => boolean,
): Promise<Body> {
  const { loadModule, parsePlPgSQLSync } = await import("libpg-query");
  await loadModule();
  const { text, declared } = withPlainTypes(source, isComposite);
  const tree = parsePlPgSQLSync(definition(text, header)) as unknown as RawTree;
  const parsed = tree.plpgsql_funcs[0]?.PLpgSQL_function;
  if (!parsed) throw new Error("The parser found no function.");
  return {
    datums: parsed.datums.map(toDatum),
    aliases: (parsed.aliases ?? []).map(({ PLpgSQL_alias: { name, varno = 0 } }) => ({ name, varno })),
    action: parsed.action.PLpgSQL_stmt_block,
    declared,
  };
}

/** The types that a body declares, as written. */
export function declaredTypes(source: string): string[] {
  const types: string[] = [];
  withPlainTypes(source, (type) => {
    types.push(type);
    return false;
  });
  return types;
}

export const declarationKey = (name: string, lineno: number) => `${lineno} ${name}`;

const ENDS_OF_TYPE = new Set(["not", "default", "collate"]);
const NOT_DECLARED = new Set(["alias", "cursor", "scroll", "no"]);

/** The body with `text` or `record` for each declared type; lines stay. */
function withPlainTypes(source: string, isComposite: (type: string) => boolean) {
  const tokens = tokenize(source);
  const declared = new Map<string, Declaration>();
  let text = "";
  let shown = 0;
  let declaring = false;
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (!token) break;
    if (token.kind === "name" && token.value === "declare") declaring = true;
    else if (token.kind === "name" && token.value === "begin") declaring = false;
    else if (declaring && (token.kind === "name" || token.kind === "quoted")) {
      const first = tokens[index + 1]?.value === "constant" ? index + 2 : index + 1;
      let end = first;
      let depth = 0;
      for (; end < tokens.length; end += 1) {
        const { kind, value } = tokens[end] ?? { kind: "symbol", value: ";" };
        if (kind === "symbol" && /[([]/.test(value)) depth += 1;
        if (kind === "symbol" && /[)\]]/.test(value)) depth -= 1;
        if (depth === 0 && kind === "symbol" && /^[;:=]/.test(value)) break;
        if (depth === 0 && kind === "name" && ENDS_OF_TYPE.has(value)) break;
      }
      const [from, to] = [tokens[first], tokens[end - 1]];
      if (from && to && end > first && !NOT_DECLARED.has(from.value)) {
        const type = source.slice(from.from, to.to);
        declared.set(declarationKey(token.value, lineOf(source, token.from)), {
          type,
          initial: initialFrom(source, tokens, end),
        });
        const lines = type.replace(/[^\n]/g, "");
        if (!/^refcursor$/i.test(type)) {
          text += `${source.slice(shown, from.from)}${isComposite(type) ? "record" : "text"}${lines}`;
          shown = to.to;
        }
      }
      while (end < tokens.length && tokens[end]?.value !== ";") end += 1;
      index = end;
    }
  }
  return { text: text + source.slice(shown), declared };
}

/** The expression after `:=`, `=` or DEFAULT, until the declaration ends. */
function initialFrom(source: string, tokens: readonly Token[], from: number): string | undefined {
  const end = tokens.findIndex(
    ({ kind, value }, index) => index >= from && kind === "symbol" && value === ";",
  );
  const begin = tokens.findIndex(
    ({ kind, value }, index) =>
      index >= from &&
      index < end &&
      (value === "=" ? kind === "symbol" : kind === "name" && value === "default"),
  );
  const [first, last] = [tokens[begin + 1], tokens[end]];
  return begin < 0 || !first || !last ? undefined : source.slice(first.from, last.from);
}

function lineOf(source: string, at: number): number {
  return source.slice(0, at).split("\n").length;
}

const MODES = { i: "in", o: "out", b: "inout", v: "variadic", t: "out" };

/** CREATE FUNCTION with this body, of plain types. */
function definition(source: string, { parameters, returns, isSet }: Header): string {
  const list = parameters.map(({ name, mode, type }) => {
    const written = mode === "v" && type === "text" ? "text[]" : type;
    return `${MODES[mode]} ${name === "" ? "" : `"${name.replaceAll('"', '""')}"`} ${written}`;
  });
  const outputs = parameters.filter(({ mode }) => mode !== "i" && mode !== "v");
  const result = outputs.length > 1 ? "record" : (outputs[0]?.type ?? returns);
  let tag = "$body$";
  for (let turn = 0; source.includes(tag); turn += 1) tag = `$body${turn}$`;
  return returns === undefined
    ? `create procedure f(${list.join(", ")}) language plpgsql as ${tag}${source}${tag}`
    : `create function f(${list.join(", ")}) returns ${isSet ? "setof " : ""}${result} language plpgsql as ${tag}${source}${tag}`;
}

interface RawDatum {
  refname?: string;
  lineno?: number;
  isconst?: boolean;
  datatype?: { PLpgSQL_type: { typname: string } };
  cursor_explicit_expr?: Expression;
  cursor_explicit_argrow?: number;
  fieldname?: string;
  recparentno?: number;
  fields?: { name: string; varno?: number }[];
}

interface RawTree {
  plpgsql_funcs: {
    PLpgSQL_function: {
      datums: Record<string, RawDatum>[];
      aliases?: { PLpgSQL_alias: { name: string; varno?: number } }[];
      action: { PLpgSQL_stmt_block: StatementBody };
    };
  }[];
}

function toDatum(entry: Record<string, RawDatum>): Datum {
  const [key = "", raw = {}] = Object.entries(entry)[0] ?? [];
  return {
    kind: key.replace("PLpgSQL_", "") as Datum["kind"],
    refname: raw.refname ?? "",
    lineno: raw.lineno ?? 0,
    typeName: raw.datatype?.PLpgSQL_type.typname,
    isConstant: raw.isconst ?? false,
    cursorQuery: raw.cursor_explicit_expr,
    cursorArguments: raw.cursor_explicit_argrow ?? -1,
    fieldName: raw.fieldname ?? "",
    parent: raw.recparentno ?? 0,
    fields: (raw.fields ?? []).map(({ name, varno = 0 }) => ({ name, varno })),
  };
}

/** Where the operator of an assignment stands, outside of the target's brackets and quotes. */
export function assignmentOperator(text: string): { from: number; to: number } {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    if (quoted) continue;
    if (character === "[") depth += 1;
    if (character === "]") depth -= 1;
    if (depth > 0) continue;
    if (character === ":" && text[at + 1] === "=") return { from: at, to: at + 2 };
    if (character === "=") return { from: at, to: at + 1 };
  }
  return { from: 0, to: 0 };
}
