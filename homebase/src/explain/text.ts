/** Owns an explanation as text: the sentences, then the tree of every table, policy and part. */
import {
  type CallExplanation,
  type Delivery,
  type Explanation,
  judgedRows,
  sentenceTexts,
  type TableExplanation,
} from "./explanation.ts";
import type { Group } from "./judge.ts";
import type { Reason, Tree } from "./reason-tree.ts";
import type { Explained } from "./why.ts";
import { pretty, rows, shown } from "./words.ts";

/** How an explanation is written. */
interface Shown {
  /** The asker's id. */
  you: string | undefined;
  /** Whether policies that pass are shown by their parts, too. */
  tree: boolean;
}

/** @param explanation as `explain` returns it. @param tree whether policies that pass are shown by their parts, too. */
export function explanationText(explanation: Explanation, tree = false): string {
  const { asked, delivery, call, tables } = explanation;
  const who = asked.user === undefined ? asked.role : `${asked.role} ${asked.user}`;
  const lines = [`${asked.method} ${asked.path} as ${who}`, "", ...sentenceTexts(explanation)];
  if (delivery) lines.push("", ...deliveryLines(delivery));
  if (call && call.inside.length > 0) lines.push("", ...callLines(call));
  for (const table of tables) lines.push("", ...tableLines(table, { you: asked.user, tree }));
  return `${lines.join("\n")}\n`;
}

function callLines({ function: { schema, name }, definer, owner, inside }: CallExplanation): string[] {
  const told = inside.map(({ text, rows: own, withoutRowSecurity: all }) => {
    const count = own === undefined ? "not run" : own === all ? rows(own) : `${rows(own)} of ${all}`;
    return `  ${count}: ${text}`;
  });
  return [`inside ${schema}.${name}, which runs as ${definer ? owner : "the caller"}`, ...told];
}

function deliveryLines({
  published,
  actions,
  rowFilter,
  columns,
  replicaIdentity,
  identity,
}: Delivery): string[] {
  return [
    `published: ${published ? actions.join(", ") : "no"}${rowFilter === null ? "" : ` where ${rowFilter}`}${columns.length === 0 ? "" : ` (${columns.join(", ")})`}`,
    `replica identity ${replicaIdentity}: the old record has ${replicaIdentity === "full" ? "all columns" : identity.join(", ") || "nothing"}`,
  ];
}

function tableLines(one: TableExplanation, as: Shown): string[] {
  const { table, embed, about, command, access, row } = one;
  const which = about ?? (embed === undefined ? "" : `embedded as ${embed}`);
  const title = `${table.schema}.${table.name}${which === "" ? "" : `, ${which}`}`;
  const grants = access.granted ? "granted" : "not granted";
  const lines = [`${title}: ${command.toUpperCase()} ${grants}, row security ${access.rowSecurity}`];
  for (const { text, met } of row?.filters ?? []) lines.push(`  filter ${text}: ${verdictWord(met)}`);
  for (const { rows: which, table: read, explained: own } of judgedRows(one)) {
    const title = read ? `reads ${read.schema}.${read.name} as ${own.judgement.role}` : which;
    const told = judgementLines(own, as);
    lines.push(...(title === undefined ? told : [`  ${title}`, ...indent(told)]));
  }
  return lines;
}

function judgementLines({ judgement, groups }: Explained, as: Shown): string[] {
  return judgement.groups.flatMap((group, at) => {
    const keys =
      group.keys.length === 0
        ? ""
        : `: ${group.keys.join("; ")}${group.count > group.keys.length ? "; …" : ""}`;
    const head = `  ${rows(group.count)} ${group.visible ? "visible" : "hidden"}${keys}`;
    return [head, ...indent(groupLines(group, groups[at] ?? [], judgement, as))];
  });
}

function groupLines(
  group: Group,
  reasons: readonly Reason[],
  { policies }: Tree["judgement"],
  as: Shown,
): string[] {
  return policies.flatMap(({ name, permissive }) => {
    const own = group.parts.filter(({ part }) => part.policy === name);
    // A part that is denied fails where it is true.
    const decides = [group.reason, ...group.alternatives].flat().some(({ leaf }) => leaf.policy === name);
    const passes = group.visible || (!decides && own.every(({ verdict }) => verdict === true));
    if (passes && !as.tree) return [`  policy "${name}"${permissive ? "" : " (restrictive)"}`];
    const lines = own.flatMap(({ part, verdict, error }) => {
      const at = group.reason.findIndex(({ leaf }) => leaf === part);
      const reason = at < 0 ? undefined : reasons[at];
      const line = `    ${at < 0 ? " " : ">"} ${verdictWord(verdict)}: ${pretty(part.text)}${error === undefined ? "" : `  (raises: ${error})`}`;
      return [line, ...(reason ? indent(reasonLines(reason, as), 8) : [])];
    });
    return [`  policy "${name}"${permissive ? "" : " (restrictive)"}`, ...lines];
  });
}

function reasonLines(
  { values, looked, inside, within, hidden, ran = [], note }: Reason,
  as: Shown,
): string[] {
  const { you } = as;
  const lines = values.map(
    (one) =>
      `${pretty(one.text)} ${one.set ? "returns" : "="} ${one.set && one.value === null ? "nothing" : shown(one, you)}`,
  );
  if (within) {
    if (within.branch !== undefined) lines.push(`takes the branch ${pretty(within.branch)}`);
    for (const one of within.reasons) lines.push(...indent(innerLines(one, as)));
  }
  for (const one of looked?.own ?? []) lines.push(`${verdictWord(one.verdict)}: ${withKnown(one, you)}`);
  if (looked) {
    const link = looked.link.map(
      ({ text, value }) => `${pretty(text)}${value === undefined ? "" : ` (${shown({ value }, you)})`}`,
    );
    lines.push(`looks in ${looked.from}`);
    lines.push(
      `${count(looked.linked)}  ${link.length === 0 ? "without a link to this row" : link.join(" and ")}`,
    );
    for (const one of looked.conditions) lines.push(`${count(one.count)}  ${withKnown(one, you)}`);
    if (looked.conditions.length > 1) lines.push(`${count(looked.found)}  all together`);
    if (looked.seen !== undefined) lines.push(`${count(looked.seen)}  of these visible under row security`);
  }
  if (inside) {
    lines.push(`in ${inside.call}, which runs as ${inside.runsAs}`);
    for (const one of inside.reasons) lines.push(...indent(innerLines(one, as)));
  }
  for (const { judgement, reasons } of hidden ?? []) {
    lines.push(
      `hidden by row security of ${judgement.table.schema}.${judgement.table.name} for ${judgement.role}`,
    );
    const groups = judgement.groups.map(({ visible }) => (visible ? [] : reasons));
    lines.push(...judgementLines({ judgement, groups }, as));
  }
  for (const { text, found } of ran) {
    const counts = found.map(
      ({ table, rows: own, withoutRowSecurity: all }) =>
        `${count(own)}  of ${table.schema}.${table.name}${all === own ? "" : ` (${all} without row security)`}`,
    );
    lines.push(`ran ${text}`, ...counts);
  }
  if (note !== undefined) lines.push(`(${note})`);
  return lines;
}

/** A condition with the values of its operands. */
function withKnown({ text, values }: Pick<Reason, "text" | "values">, you: string | undefined): string {
  const known = values.map((value) => `${pretty(value.text)} = ${shown(value, you)}`);
  return `${pretty(text)}${known.length === 0 ? "" : `  (${known.join(", ")})`}`;
}

function innerLines(one: Reason, as: Shown): string[] {
  return [`${verdictWord(one.verdict)}: ${pretty(one.text)}`, ...indent(reasonLines(one, as))];
}

function count(number: number): string {
  return String(number).padStart(4);
}

function verdictWord(verdict: boolean | null): string {
  return verdict === null ? "unknown" : String(verdict);
}

function indent(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => `${" ".repeat(by)}${line}`);
}

/** A command of policies as words: "an insert", "a request" for all of them. */
export function withArticle(command: string): string {
  if (command === "all") return "a request";
  return `${/^[aeiou]/.test(command) ? "an" : "a"} ${command}`;
}
