/** Owns the clauses of sentences: what a part of a policy wants, and what there is instead. */
import { withoutParentheses } from "./expression/expression.ts";
import { operandsOf } from "./expression/references.ts";
import { asEquality, plain, TIME } from "./plain.ts";
import type { Looked, Reason, Value } from "./reason-tree.ts";
import { listed, rows, shown } from "./words.ts";

/** How a clause is written. */
export interface Voice {
  /** The asker's id. */
  you: string | undefined;
  /** 0 says all; 1 leaves out counts that say no more than the others; 2 counts conditions where there are several. */
  brief: 0 | 1 | 2;
  /** Whether another table's policies, which hide what is looked for, are told apart. */
  apart?: boolean;
}

/** The characters of a condition, by how brief the clause is. */
const LONGEST = [110, 90, 60] as const;

function quoted(text: string, { brief }: Voice, aliases?: readonly string[]): string {
  return plain(text, aliases, LONGEST[brief]);
}

/** A condition in which each of the values stands beside its operand, and the asker's id is "you". */
function withValues(
  text: string,
  values: readonly Value[],
  voice: Voice,
  aliases?: readonly string[],
): string {
  const whole = (told: readonly Value[]) => {
    let result = plain(text, aliases, Number.POSITIVE_INFINITY);
    for (const value of told) {
      const operand = plain(value.text, aliases, Number.POSITIVE_INFINITY);
      // Everybody knows what time it is.
      if (operand === "" || !result.includes(operand) || TIME.test(operand)) continue;
      const known = shown(value, voice.you);
      result = result.replace(operand, () => (known === "you" ? "you" : `${operand} (${known})`));
    }
    return result.replace(/(?<![\w$"])\(you\)/g, "you");
  };
  const all = whole(values);
  // Half of a value says nothing.
  return quoted(
    all.length > LONGEST[voice.brief] ? whole(values.filter((one) => isYou(one, voice))) : all,
    voice,
  );
}

function isYou(one: Value, { you }: Voice): boolean {
  return shown(one, you) === "you";
}

/** What a part wants, and what there is instead: a clause that follows "policy … ". */
export function clauseOf(reason: Reason, voice: Voice): string {
  const { error, inside, within, looked, values, ran = [], note } = reason;
  const { text, wanted } = asEquality(withoutParentheses(reason.text), reason.wanted);
  if (error !== undefined)
    return `asks for ${quoted(text, voice)}, which raises an error: ${error}${adviceOn(error)}`;
  if (inside && inside.reasons.length > 0) {
    const clauses = inside.reasons.map((one) => clauseOf(one, voice));
    return `asks ${inside.call}(), which ${clauses.join(inside.any ? "; or it " : "; and it ")}`;
  }
  if (within && within.reasons.length > 0) {
    const clauses = within.reasons.map((one) => clauseOf(one, voice)).join("; and it ");
    if (within.branch === undefined) return clauses;
    const when = within.branch.replace(/^WHEN /, "");
    const taken = when === within.branch ? "no WHEN applies" : quoted(when, voice);
    return `has a CASE: as ${taken}, it ${clauses}`;
  }
  if (looked) return lookedClause(looked, reason, voice);
  // A part's own value says no more than the sentence, unless it is null.
  const others = values.filter(
    (one) => (one.text !== reason.text || one.value === null) && !isYou(one, voice),
  );
  // Where there is no value, the other side does not matter.
  const lacking = others.filter(({ because, sought }) => because !== undefined || sought !== undefined);
  const known = lacking.length > 0 ? lacking : others;
  const condition = withValues(
    text,
    values.filter((one) => isYou(one, voice)),
    voice,
  );
  const is = known.slice(0, ran.length > 0 ? 0 : undefined).map((one) => knownClause(one, voice));
  if (ran.length > 0) is.push(ranClause(ran, voice));
  const because = note === undefined ? "" : ` (${note})`;
  const ownOnly = known.every((one) => one.text === reason.text && one.because === undefined);
  if (!wanted && ran.length === 0 && ownOnly && operandsOf(text).length === 1)
    return `wants ${condition} to be false, and it is ${reason.verdict === null ? "null" : "true"}${because}`;
  return `${wanted ? "wants" : "does not want"} ${condition}${is.length > 0 ? `, and ${listed(is)}` : ""}${because}`;
}

/** What people do not know about the errors that policies raise most often. */
function adviceOn(error: string): string {
  if (error.startsWith("permission denied")) return " (a policy reads with the caller's rights)";
  return error.startsWith("infinite recursion detected in policy")
    ? " (its policy comes back to this table: let a security definer function read it)"
    : "";
}

/** The conditions of a statement, which may be a query in parentheses; empty for none. */
const conditionsOf = (text: string) => /\swhere (.+?)\)*$/is.exec(text)?.[1] ?? "";

/** The statements that a function ran, with the rows that they found. */
function ranClause(ran: NonNullable<Reason["ran"]>, voice: Voice): string {
  const { brief } = voice;
  const counts = (found: (typeof ran)[number]["found"]) =>
    found.map(({ table, rows: own, withoutRowSecurity: all }) => {
      const hidden = all === own ? "" : ` (${rows(all)} without row security)`;
      return `${rows(own)} of ${table.name}${hidden}`;
    });
  if (brief > 0) {
    const told = ran.flatMap(({ text, found }) => {
      const [one, ...more] = found;
      const where = brief === 1 && one?.rows === 0 && more.length === 0 ? conditionsOf(text) : "";
      return counts(found).map((count) => (where === "" ? count : `${count} where ${quoted(where, voice)}`));
    });
    return `inside it finds ${listed([...new Set(told)])}`;
  }
  return listed(ran.map(({ text, found }) => `it ran "${text}", which found ${listed(counts(found))}`));
}

function knownClause({ text, value, set, because, sought }: Value, voice: Voice): string {
  if (sought?.looked)
    return `${quoted(text, voice)} is null, as that ${lookedClause(sought.looked, { ...sought, wanted: true }, voice)}`;
  // What the request lacks says more than that there is no value.
  if (because !== undefined && voice.brief > 0) return because;
  const why = because === undefined ? "" : `, because ${because}`;
  const is = set
    ? `returns ${value === null ? "nothing" : shown({ value }, voice.you)}`
    : `is ${shown({ value }, voice.you)}`;
  return `${quoted(text, voice)} ${is}${why}`;
}

function lookedClause(
  looked: Looked,
  { wanted, hidden, verdict }: Pick<Reason, "wanted" | "hidden"> & Partial<Pick<Reason, "verdict">>,
  voice: Voice,
): string {
  const names = listed([...new Set(looked.tables.map(({ name }) => name))]);
  const own = quoted(looked.from, voice);
  const from = names === "" ? own : looked.named ? `${own} (a query of ${names})` : names;
  const aliases = aliasesOf(looked);
  const unmetOwn = (looked.own ?? []).filter(({ verdict }) => verdict !== true);
  if (wanted && unmetOwn.length > 0) {
    const clauses = unmetOwn.map(({ text, values }) => {
      const [mine, others] = [
        values.filter((one) => isYou(one, voice)),
        values.filter((one) => !isYou(one, voice)),
      ];
      const known = others.map((one) => knownClause(one, voice));
      return `${withValues(text, mine, voice)}${known.length > 0 ? `, and ${listed(known)}` : ""}`;
    });
    return `looks in ${from} only with ${clauses.join("; and ")}`;
  }
  const link = looked.link.map((one) => linkText(one, aliases, voice));
  const conditions = looked.conditions.map(({ text, values }) => {
    const written = withValues(text, values, voice, aliases);
    return / (or|and) /.test(written) ? `(${written})` : written;
  });
  const many = voice.brief > 1 && conditions.length > 1;
  const all = listed([...link, ...(many ? [`${conditions.length} conditions`] : conditions)]);
  const wants = `${wanted ? "wants a row" : "wants no row"} of ${from}${all === "" ? "" : ` with ${all}`}`;
  if (hidden) {
    const which =
      looked.found === 1
        ? "is 1 row, but you cannot see it"
        : `are ${rows(looked.found)}, but you cannot see them`;
    const why = (voice.apart ? [] : hidden)
      .map((tree) => treeClause(tree, voice))
      .filter((one) => one !== "");
    return `${wants}: there ${which}${why.length > 0 ? `, because ${listed(why)}` : ""}`;
  }
  // NOT IN is null where nothing in the list is equal and a null stands on either side.
  if (!wanted && looked.found === 0 && verdict === null) {
    const isOwn = looked.link.some(({ value }) => value === null);
    return `${wants}: there is none, but ${isOwn ? "this row's value" : "one of the values"} is null, and with a null NOT IN is never true`;
  }
  if (!wanted) return `${wants}: there ${looked.found === 1 ? "is" : "are"} ${rows(looked.found)}`;
  const which = linkedRows(looked, aliases, voice);
  if (looked.alone && looked.alone.linked > 0) {
    const { name, linked, found } = looked.alone;
    const there = `${wants}: there ${linked === 1 ? "is" : "are"} ${rows(linked)} of ${name}${which}`;
    const others = listed(looked.tables.map((one) => one.name).filter((one) => one !== name));
    if (found > 0) return `${there}, but none of ${others} that belongs to ${linked === 1 ? "it" : "them"}`;
    const lacking = listed(
      looked.alone.unmet.map((at) => conditions[at] ?? ""),
      "or",
    );
    return `${there}, but ${lacking === "" ? "none meets all of that" : `${linked === 1 ? "not" : "none"} with ${lacking}`}`;
  }
  if (looked.linked === 0) return `${wants}: there is no row${which}`;
  const there = `${wants}: there ${looked.linked === 1 ? "is" : "are"} ${rows(looked.linked)}${which}`;
  const because = looked.conditions.flatMap(({ values }) => values.flatMap((one) => one.because ?? []));
  const why = because.length > 0 ? `, because ${listed([...new Set(because)])}` : "";
  const unmet = looked.conditions.flatMap(({ count }, at) => (count === 0 ? [conditions[at] ?? ""] : []));
  const lacks = conditions.filter((_, at) => looked.closest?.[at] === false);
  if (unmet.length === 0 && lacks.length > 0 && (voice.brief < 2 || lacks.length < 3))
    return `${there}, and what comes closest lacks ${listed(lacks)}${why}`;
  if (unmet.length === 0) return `${there}, but none meets all of that${why}`;
  if (conditions.length === 1 && link.length === 0) return `${there}, and none like that${why}`;
  // Where no condition is met, the list has been told.
  if (unmet.length > 1 && unmet.length === conditions.length && voice.brief > 0)
    return `${there}, but none meets any other condition${why}`;
  return `${there}, but ${looked.linked === 1 ? "not" : "none"} with ${listed(unmet, "or")}${why}`;
}

/** `plan_id = id` and `plan_id = plans.id` as "plan_id = this row's id"; an argument of a function by its value. */
function linkText(
  { text, value, argument }: Looked["link"][number],
  aliases: readonly string[],
  voice: Voice,
): string {
  const written = quoted(text, voice, aliases);
  const known = voice.brief > 1 ? /^([\w$."]+) = '[^']*'$/.exec(written)?.[1] : undefined;
  if (known !== undefined) return `this ${known}`;
  const sides = /^([\w$."]+) = ([\w$."]+)$/.exec(written);
  if (!sides) return written;
  if (argument) return `${sides[1]} = ${value === undefined ? sides[2] : shown({ value }, undefined)}`;
  return `${sides[1]} = this row's ${sides[2]?.split(".").at(-1)}`;
}

function linkedRows({ link }: Looked, aliases: readonly string[], voice: Voice): string {
  const [first] = link;
  if (!first) return "";
  const column = /^([\w$."]+) = /.exec(quoted(first.text, voice, aliases))?.[1];
  const value =
    first.value === undefined || voice.brief > 0 ? "" : ` (${shown({ value: first.value }, undefined)})`;
  return link.length === 1 && column !== undefined ? ` with this ${column}${value}` : " for this row";
}

/** `public.plan_members m` names its rows m; a join's names stay, because they tell the tables apart. */
function aliasesOf({ from, named, tables }: Looked): string[] {
  return named || tables.length === 1
    ? [from.trim().split(/\s+/).at(-1) ?? "", ...tables.map(({ name }) => name)]
    : [];
}

/** Why another table's row is hidden: a clause after "because". */
export function treeClause(
  { judgement, reasons }: NonNullable<Reason["hidden"]>[number],
  voice: Voice,
): string {
  const { name } = judgement.table;
  const none = nothingAllows(judgement);
  if (none !== undefined) return none;
  const clauses = reasons.map(
    (one) => `policy "${one.policy}" of ${name} ${voice.brief > 1 ? "hides it" : clauseOf(one, voice)}`,
  );
  return listed([...new Set(clauses)]);
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
