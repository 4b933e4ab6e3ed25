/** Owns an explanation as data, the shape of `verdicts.ts`: each part once, and no row of the project but its key. */

import { idOf, type Part } from "./database/policy-parts.ts";
import { keyFromText } from "./database/written-rows.ts";
import { type Explanation, judgedRows, type TableExplanation } from "./explanation.ts";
import type { Group } from "./judge.ts";
import { groupText, textsOf } from "./key-verdicts.ts";
import { type Reason, reasonsWithin } from "./reason-tree.ts";
import {
  type Because,
  type ExplainedTable,
  type ExplanationData,
  type JudgedRows,
  type Sentence,
  VERSION,
} from "./verdicts.ts";
import type { Explained } from "./why.ts";

/** What is undefined is not in the JSON. */
export function dataOf({ asked, sentences, changed, tables, call }: Explanation): ExplanationData {
  const today: Sentence[] = changed === undefined ? [] : [{ text: changed, kind: "changed" }];
  return {
    version: VERSION,
    asked,
    sentences: [...sentences, ...today],
    tables: tables.map(tableData),
    parts: textsOf(tables.flatMap((one) => judgedRows(one).flatMap(({ explained }) => partsOf(explained)))),
    inside: orNone(call?.inside),
  };
}

/** An empty list says nothing. */
function orNone<T>(list: T[] = []): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

/** The parts of the rows' policies, and of those that hide what they look for. */
function partsOf({ judgement, groups }: Explained): Part[] {
  const hiding = groups
    .flat()
    .flatMap(reasonsWithin)
    .flatMap(({ hidden = [] }) => hidden);
  return [judgement, ...hiding.map((one) => one.judgement)]
    .flatMap((one) => one.groups)
    .flatMap(({ parts }) => parts.map(({ part }) => part));
}

function tableData(one: TableExplanation): ExplainedTable {
  const { table, embed, about, command, access, row } = one;
  return {
    table,
    embed,
    about,
    command,
    granted: access.granted,
    rowSecurity: access.rowSecurity,
    row,
    judged: judgedRows(one).map(({ rows, table, explained }) => ({ rows, table, ...judgedData(explained) })),
  };
}

function judgedData({ judgement, groups }: Explained): JudgedRows {
  const { role, command, candidates, cut, policies, key } = judgement;
  return {
    role,
    command,
    candidates,
    cut,
    policies: policies.map(({ name }) => name),
    groups: judgement.groups.map((group, at) => ({
      ...groupText(group),
      count: group.count,
      keys: group.keys.map((text) => rowKey(key, text)),
      because: orNone(becauseOf(group, groups[at] ?? [])),
    })),
  };
}

function rowKey(columns: readonly string[], text: string): Record<string, string> {
  const values = keyFromText(text, columns.length);
  return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ""]));
}

/** The reasons in the order of the group's; each stands beside the part that it is about. */
function becauseOf({ reason }: Pick<Group, "reason">, reasons: readonly Reason[]): Because[] {
  return reasons.map((one, at) => {
    const leaf = reason[at]?.leaf;
    return { ...(leaf ? { part: idOf(leaf) } : { text: one.text }), ...becauseData(one) };
  });
}

function becauseData({ verdict, error, values, looked, inside, ran, within, hidden, note }: Reason): Because {
  const inner = (reasons: readonly Reason[]) => becauseOf({ reason: [] }, reasons);
  return {
    verdict,
    error,
    values: orNone(values.map(({ text, value }) => ({ text, value }))),
    looked: looked && lookedData(looked),
    inside: inside && { call: inside.call, runsAs: inside.runsAs, because: inner(inside.reasons) },
    ran,
    within: within && { branch: within.branch, because: inner(within.reasons) },
    hidden: hidden?.map(({ judgement, reasons }) => ({
      table: judgement.table,
      because: becauseOf(judgement.groups[0] ?? { reason: [] }, reasons),
    })),
    note,
  };
}

function lookedData(looked: NonNullable<Reason["looked"]>): NonNullable<Because["looked"]> {
  const { tables, link, linked, conditions, found, seen } = looked;
  return {
    tables,
    link: link.map(({ text, value }) => ({ text, value })),
    linked,
    conditions: conditions.map(({ text, count }) => ({ text, count })),
    found,
    seen,
  };
}
