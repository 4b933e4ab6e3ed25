/** Owns an explanation as data, the shape of `verdicts.ts`: each part once, and no row of the project but its key. */

import { idOf, type Part } from "./database/policy-parts.ts";
import { keyFromText } from "./database/written-rows.ts";
import { type Explanation, judgedRows, type TableExplanation } from "./explanation.ts";
import type { Group } from "./judge.ts";
import { groupText, textsOf } from "./key-verdicts.ts";
import type { Reason, Tree } from "./reason-tree.ts";
import {
  type Because,
  type ExplainedTable,
  type ExplanationData,
  type JudgedRows,
  type Sentence,
  VERSION,
} from "./verdicts.ts";
import type { Explained } from "./why.ts";

export function dataOf({ asked, sentences, changed, tables, call }: Explanation): ExplanationData {
  const today: Sentence[] = changed === undefined ? [] : [{ text: changed, kind: "changed" }];
  const inside = call?.inside ?? [];
  return {
    version: VERSION,
    asked,
    sentences: [...sentences, ...today],
    tables: tables.map(tableData),
    parts: textsOf(tables.flatMap((one) => judgedRows(one).flatMap(({ explained }) => partsOf(explained)))),
    ...(inside.length > 0 ? { inside } : {}),
  };
}

/** The parts of the rows' policies, and of those that hide what they look for. */
function partsOf({ judgement, groups }: Explained): Part[] {
  const own = judgement.groups.flatMap(({ parts }) => parts.map(({ part }) => part));
  const hiding = ({ hidden = [], inside, within }: Reason): Tree[] => [
    ...hidden,
    ...[
      ...(inside?.reasons ?? []),
      ...(within?.reasons ?? []),
      ...hidden.flatMap((one) => one.reasons),
    ].flatMap(hiding),
  ];
  const others = groups.flat().flatMap(hiding);
  return [
    ...own,
    ...others.flatMap((one) => one.judgement.groups.flatMap(({ parts }) => parts.map(({ part }) => part))),
  ];
}

function tableData(one: TableExplanation): ExplainedTable {
  const { table, embed, about, access, write, explained, row } = one;
  const { schema, granted } = write?.access ?? access;
  return {
    table,
    ...(embed === "" ? {} : { embed }),
    ...(about === undefined ? {} : { about }),
    command: write?.command ?? explained?.judgement.command ?? "select",
    granted: schema && granted,
    rowSecurity: access.rowSecurity,
    ...(row ? { row } : {}),
    judged: judgedRows(one).map(({ rows, table, explained }) => ({
      ...(rows === undefined ? {} : { rows }),
      ...(table ? { table } : {}),
      ...judgedData(explained),
    })),
  };
}

function judgedData({ judgement, groups }: Explained): JudgedRows {
  const { role, command, candidates, cut, policies, key } = judgement;
  return {
    role,
    command,
    candidates,
    ...(cut === undefined ? {} : { cut }),
    policies: policies.map(({ name }) => name),
    groups: judgement.groups.map((group, at) => {
      const because = becauseOf(group, groups[at] ?? []);
      return {
        ...groupText(group),
        count: group.count,
        keys: group.keys.map((text) => rowKey(key, text)),
        ...(because.length > 0 ? { because } : {}),
      };
    }),
  };
}

function rowKey(columns: readonly string[], text: string): Record<string, string> {
  const values = keyFromText(text, columns.length);
  return Object.fromEntries(columns.map((column, at) => [column, values[at] ?? ""]));
}

/** The reasons in the order of the group's; each stands beside the part that it is about. */
function becauseOf({ reason }: Group, reasons: readonly Reason[]): Because[] {
  return reasons.map((one, at) => {
    const leaf = reason[at]?.leaf;
    return { ...(leaf ? { part: idOf(leaf) } : { text: one.text }), ...becauseData(one) };
  });
}

function becauseData({ verdict, error, values, looked, inside, ran, within, hidden, note }: Reason): Because {
  const inner = (reasons: readonly Reason[]) =>
    reasons.map((one): Because => ({ text: one.text, ...becauseData(one) }));
  return {
    verdict,
    ...(error === undefined ? {} : { error }),
    ...(values.length > 0 ? { values: values.map(({ text, value }) => ({ text, value })) } : {}),
    ...(looked ? { looked: lookedData(looked) } : {}),
    ...(inside
      ? { inside: { call: inside.call, runsAs: inside.runsAs, because: inner(inside.reasons) } }
      : {}),
    ...(ran ? { ran } : {}),
    ...(within
      ? {
          within: {
            ...(within.branch === undefined ? {} : { branch: within.branch }),
            because: inner(within.reasons),
          },
        }
      : {}),
    ...(hidden
      ? {
          hidden: hidden.map(({ judgement, reasons }) => ({
            table: judgement.table,
            because: judgement.groups[0] ? becauseOf(judgement.groups[0], reasons) : inner(reasons),
          })),
        }
      : {}),
    ...(note === undefined ? {} : { note }),
  };
}

function lookedData({
  tables,
  link,
  linked,
  conditions,
  found,
  seen,
}: NonNullable<Reason["looked"]>): NonNullable<Because["looked"]> {
  return {
    tables,
    link: link.map(({ text, value }) => ({ text, ...(value === undefined ? {} : { value }) })),
    linked,
    conditions: conditions.map(({ text, count }) => ({ text, count })),
    found,
    ...(seen === undefined ? {} : { seen }),
  };
}
