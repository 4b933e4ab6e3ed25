/** Owns how conditions and values are written for people: short, with the asker called "you". */

import { tokenize } from "../postgres/statements/lexer.ts";
import { withoutParentheses } from "./expression/expression.ts";
import { readQuery } from "./expression/subquery.ts";
import type { Looked, Reason, Value } from "./tree.ts";
import { MOST_COUNTED } from "./tree.ts";

const LONGEST_VALUE = 60;
/** The longest text of a statement that stands in a sentence. */
const LONGEST_STATEMENT = 120;

/** A canonical condition without what it means anyway: its parentheses, scalar subqueries, casts of literals. */
export function pretty(text: string, aliases: readonly string[] = []): string {
  let result = withoutScalars(withoutParentheses(text));
  result = result.replace(/ARRAY(?=\( ?SELECT [\w$.]+\()/g, "");
  result = result.replace(/IN \( ?SELECT ((?:[\w$]+\.)?[\w$]+\([^()]*\)) AS [\w$]+ ?\)/g, "IN ($1)");
  result = result.replace(/^SELECT (.+) AS [\w$]+$/, "$1");
  result = result.replace(/('(?:[^']|'')*')::(?:text|name|"char"|uuid|character varying)\b/g, "$1");
  result = result.replace(/ = ANY \(ARRAY\[((?:[^[\]()])*)\]\)/g, " IN ($1)");
  for (const alias of aliases) {
    result = result.replace(new RegExp(`(?<![\\w$."'])${escaped(alias)}\\.(?=[\\w"])`, "g"), "");
  }
  return result;
}

/** Without the subqueries that have no tables: `( SELECT auth.uid() AS uid)`. */
function withoutScalars(text: string): string {
  const whole = readQuery(text);
  if (whole && whole.from === undefined && whole.where === undefined)
    return withoutScalars(withoutParentheses(whole.output));
  let result = text;
  for (const { from, to } of tokenize(text).toReversed()) {
    if (text.slice(from, to) !== "(" || !/^\(\s*SELECT\b/i.test(result.slice(from))) continue;
    const end = tokenize(result.slice(from)).find((_, at, all) => closesFirst(all, at))?.to;
    if (end === undefined) continue;
    const query = readQuery(result.slice(from, from + end));
    // IN and ARRAY take a set.
    if (!query || query.from !== undefined || query.where !== undefined) continue;
    if (/\b(IN|ARRAY|EXISTS|ANY|ALL)\s*\(*$/.test(result.slice(0, from))) continue;
    const inner = withoutParentheses(query.output);
    const plain = /^[\w$."]+(\([^()]*\))?$/.test(inner);
    result = `${result.slice(0, from)}${plain ? inner : `(${inner})`}${result.slice(from + end)}`;
  }
  return withoutParentheses(result);
}

/** Whether the token at this place closes the parenthesis that the first one opens. */
function closesFirst(tokens: readonly { kind: string; value: string }[], at: number): boolean {
  let depth = 0;
  for (const { kind, value } of tokens.slice(0, at + 1)) {
    if (kind !== "symbol") continue;
    if (value === "(") depth += 1;
    if (value === ")") depth -= 1;
  }
  return depth === 0;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** A value as a person reads it. @param you the asker's user id. */
export function shown({ value }: Pick<Value, "value">, you: string | undefined): string {
  if (value === null) return "null";
  if (value === you) return "you";
  return value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value;
}

/** A condition in which each known operand has its value beside it. */
export function withValues(
  text: string,
  values: readonly Value[],
  you: string | undefined,
  aliases: readonly string[] = [],
): string {
  let result = pretty(text, aliases);
  for (const value of values) {
    const operand = pretty(value.text, aliases);
    if (operand === "" || !result.includes(operand)) continue;
    const known = shown(value, you);
    result = result.replace(operand, () => (known === "you" ? "you" : `${operand} (${known})`));
  }
  return result.replace(/(?<![\w$"])\(you\)/g, "you");
}

/** A condition in which the operand that is the asker's id is "you". */
function withYou(text: string, values: readonly Value[], you: string | undefined): string {
  return withValues(
    text,
    values.filter((one) => shown(one, you) === "you"),
    you,
  );
}

export function rows(count: number): string {
  if (count >= MOST_COUNTED) return `${MOST_COUNTED.toLocaleString("en")} or more rows`;
  return count === 1 ? "1 row" : `${count === 0 ? "no" : count} rows`;
}

/** A list in a sentence. */
export function listed(items: readonly string[], word = "and"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

/** What a part wants, and what there is instead: a clause that follows "policy … ". */
export function clauseOf(reason: Reason, you: string | undefined): string {
  if (reason.error !== undefined)
    return `asks for ${pretty(reason.text)}, which raises an error: ${reason.error}`;
  if (reason.inside && reason.inside.reasons.length > 0) {
    const { call, reasons, any } = reason.inside;
    const clauses = reasons.map((one) => clauseOf(one, you));
    return `asks ${call}(), which ${clauses.join(any ? "; or it " : "; and it ")}`;
  }
  if (reason.within && reason.within.reasons.length > 0) {
    const { branch, reasons } = reason.within;
    const clauses = reasons.map((one) => clauseOf(one, you)).join("; and it ");
    return branch === undefined
      ? clauses
      : `takes the branch ${pretty(branch)} of its CASE, which ${clauses}`;
  }
  if (reason.looked) return lookedClause(reason.looked, reason, you);
  // A part's own value says no more than the sentence, unless it is null.
  const known = reason.values.filter(
    (one) => (one.text !== reason.text || one.value === null) && shown(one, you) !== "you",
  );
  const wants = `${reason.wanted ? "wants" : "does not want"} ${withYou(reason.text, reason.values, you)}`;
  const is = [...known.map((one) => knownClause(one, you)), ...(reason.ran ?? []).map(ranClause)];
  const note = reason.note === undefined ? "" : ` (${reason.note})`;
  return `${wants}${is.length > 0 ? `, and ${listed(is)}` : ""}${note}`;
}

/** A statement that a function ran, with the rows that it found. */
function ranClause({ text, found }: NonNullable<Reason["ran"]>[number]): string {
  const each = found.map(({ table, rows: own, withoutRowSecurity: all }) => {
    const hidden = all === own ? "" : ` (${rows(all)} without row security)`;
    return `${rows(own)} of ${table.name}${hidden}`;
  });
  return `it ran "${text.length > LONGEST_STATEMENT ? `${text.slice(0, LONGEST_STATEMENT)}…` : text}", which found ${listed(each)}`;
}

function knownClause(one: Value, you: string | undefined): string {
  const because = one.because === undefined ? "" : `, because ${one.because}`;
  if (one.set)
    return `${pretty(one.text)} returns ${one.value === null ? "nothing" : shown(one, you)}${because}`;
  return `${pretty(one.text)} is ${shown(one, you)}${because}`;
}

function lookedClause(looked: Looked, { wanted, hidden }: Reason, you: string | undefined): string {
  const names = listed([...new Set(looked.tables.map(({ name }) => name))]);
  const from = names === "" ? looked.from : names;
  const aliases = aliasesOf(looked);
  const unmetOwn = (looked.own ?? []).filter(({ verdict }) => verdict !== true);
  if (wanted && unmetOwn.length > 0) {
    const clauses = unmetOwn.map(({ text, values }) => {
      const known = values.filter((one) => shown(one, you) !== "you").map((one) => knownClause(one, you));
      return `${withYou(text, values, you)}${known.length > 0 ? `, and ${listed(known)}` : ""}`;
    });
    return `looks in ${from} only with ${clauses.join("; and ")}`;
  }
  const link = looked.link.map((one) => linkText(one, aliases));
  const conditions = looked.conditions.map(({ text, values }) => withValues(text, values, you, aliases));
  const all = listed([...link, ...conditions]);
  const wants = `${wanted ? "wants a row" : "wants no row"} of ${from}${all === "" ? "" : ` with ${all}`}`;
  if (hidden) {
    const which =
      looked.found === 1
        ? "is 1 row, but you cannot see it"
        : `are ${rows(looked.found)}, but you cannot see them`;
    const why = hidden.map((tree) => treeClause(tree, you)).filter((one) => one !== "");
    return `${wants}: there ${which}${why.length > 0 ? `, because ${listed(why)}` : ""}`;
  }
  if (!wanted) return `${wants}: there ${looked.found === 1 ? "is" : "are"} ${rows(looked.found)}`;
  const which = linkedRows(looked, aliases);
  if (looked.linked === 0) return `${wants}: there is no row${which}`;
  const there = `${wants}: there ${looked.linked === 1 ? "is" : "are"} ${rows(looked.linked)}${which}`;
  const unmet = looked.conditions.flatMap(({ count }, at) => (count === 0 ? [conditions[at] ?? ""] : []));
  const because = looked.conditions.flatMap(({ values }) => values.flatMap((one) => one.because ?? []));
  const why = because.length > 0 ? `, because ${listed([...new Set(because)])}` : "";
  if (unmet.length > 0) {
    return `${there}, but ${looked.linked === 1 ? "not" : "none"} with ${listed(unmet, "or")}${why}`;
  }
  const each = looked.conditions.map(
    ({ count }, at) => `${count} ${count === 1 ? "has" : "have"} ${conditions[at]}`,
  );
  return `${there}; ${listed(each)}, but none meets all of that${why}`;
}

/** `plan_id = id` and `plan_id = plans.id` as "plan_id = this row's id"; an argument of a function by its value. */
function linkText({ text, value, argument }: Looked["link"][number], aliases: readonly string[]): string {
  const written = pretty(text, aliases);
  const sides = /^([\w$."]+) = ([\w$."]+)$/.exec(written);
  if (!sides) return written;
  if (argument) return `${sides[1]} = ${value === undefined ? sides[2] : shown({ value }, undefined)}`;
  return `${sides[1]} = this row's ${sides[2]?.split(".").at(-1)}`;
}

function linkedRows({ link }: Looked, aliases: readonly string[]): string {
  const [first] = link;
  if (!first) return "";
  const column = /^([\w$."]+) = /.exec(pretty(first.text, aliases))?.[1];
  const value = first.value === undefined ? "" : ` (${shown({ value: first.value }, undefined)})`;
  return link.length === 1 && column !== undefined ? ` with this ${column}${value}` : " for this row";
}

/** `public.plan_members m` names its rows m; a join's names stay, because they tell the tables apart. */
function aliasesOf({ from, tables }: Looked): string[] {
  return tables.length === 1
    ? [from.trim().split(/\s+/).at(-1) ?? "", ...tables.map(({ name }) => name)]
    : [];
}

/** Why another table's row is hidden: a clause after "because". */
function treeClause(
  { judgement, reasons }: NonNullable<Reason["hidden"]>[number],
  you: string | undefined,
): string {
  const { name } = judgement.table;
  const none = nothingAllows(judgement);
  if (none !== undefined) return none;
  const clauses = reasons.map((one) => `policy "${one.policy}" of ${name} ${clauseOf(one, you)}`);
  return listed(clauses);
}

/** The clause for a table without a permissive policy for the role. */
export function nothingAllows({
  policies,
  ignored,
  table,
  role,
  command,
}: NonNullable<Reason["hidden"]>[number]["judgement"]): string | undefined {
  if (policies.some(({ permissive }) => permissive)) return undefined;
  const others = ignored.map(
    ({ policy, because, roles, command }) =>
      `"${policy}" is for ${because === "role" ? `role ${listed(roles)}` : command.toUpperCase()}`,
  );
  const rest = policies.length > 0 ? "; a restrictive one only takes away" : "";
  return `${table.name} has row security and no policy that lets ${role} ${command.toUpperCase()}${rest}${others.length > 0 ? ` (${others.join("; ")})` : ""}`;
}
