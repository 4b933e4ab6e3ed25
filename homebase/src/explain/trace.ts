/** Owns reading the statements that a call ran, as auto_explain reports them: their rows, and the tables that they read. */
import { quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { conjuncts, oneLine, splitExpression, writeExpression } from "./expression/expression.ts";

/** A statement inside a call. */
export interface Inside {
  /** As its author wrote it, on one line; "" for a body that has no text. */
  text: string;
  rows: number;
  scans: Scan[];
  writes: Write[];
}

/** A table that a statement writes. */
export interface Write {
  table: QualifiedName;
  /** `any`: a MERGE or an upsert, which may do either. */
  command: "insert" | "update" | "delete" | "any";
}

/** A table that a statement reads. */
export interface Scan {
  table: QualifiedName;
  alias: string;
  command: "select" | "update" | "delete";
  /** The conditions at the table itself, each as SQL. */
  conditions: string[];
  /** The rows that it took, where it ran. */
  rows: number;
}

interface Node {
  "Node Type": string;
  Operation?: string;
  "Relation Name"?: string;
  Schema?: string;
  Alias?: string;
  "Actual Rows"?: number;
  "Actual Loops"?: number;
  Plans?: Node[];
  "Target Tables"?: { Alias?: string }[];
  [condition: string]: unknown;
}

const CONDITIONS = ["Filter", "Index Cond", "Recheck Cond", "TID Cond"];

/** The statements of foreign keys, which run as the tables' owner. */
const REFERENTIAL = /^(SELECT 1|DELETE|UPDATE) (FROM )?ONLY .* OPERATOR\(pg_catalog\./s;

/** The statements that notices of auto_explain report, those inside of others first; without those of foreign keys. */
export function insideOf(notices: readonly string[]): Inside[] {
  return notices.flatMap((notice) => {
    const [, json] = /^duration: [\d.]+ ms {2}plan:\n(.*)$/s.exec(notice) ?? [];
    if (json === undefined) return [];
    const { "Query Text": text, Plan: plan } = JSON.parse(json) as { "Query Text": string; Plan: Node };
    if (REFERENTIAL.test(text)) return [];
    // A write without RETURNING has no rows itself.
    const rows = rowsOf(plan["Node Type"] === "ModifyTable" ? (plan.Plans?.[0] ?? plan) : plan);
    return [{ text: oneLine(text.trim()), rows, ...readPlan(plan) }];
  });
}

/** What a plan reads and writes. @param plan as EXPLAIN gives it in JSON, verbose. */
export function readPlan(root: object): Pick<Inside, "scans" | "writes"> {
  const scans: Scan[] = [];
  const writes: Write[] = [];
  const visit = (
    node: Node,
    written: { aliases: readonly (string | undefined)[]; command: Scan["command"] } | undefined,
  ) => {
    const { "Relation Name": name, Schema: schema, Alias: alias = name, Operation: operation } = node;
    const changes = operation === "Update" || operation === "Delete";
    if (operation !== undefined && name !== undefined && schema !== undefined) {
      const upserts = operation === "Merge" || node["Conflict Resolution"] === "UPDATE";
      const command = upserts ? "any" : (operation.toLowerCase() as Write["command"]);
      writes.push({ table: { schema, name }, command });
    }
    if (name !== undefined && schema !== undefined && alias !== undefined && operation === undefined) {
      const command = written?.aliases.includes(alias) ? written.command : "select";
      const conditions = conditionsOf(node);
      scans.push({ table: { schema, name }, alias, command, conditions, rows: rowsOf(node) });
    }
    const below = changes
      ? ({
          // With partitions, each has an alias.
          aliases: [alias, ...(node["Target Tables"] ?? []).map((one) => one.Alias)],
          command: operation === "Update" ? "update" : "delete",
        } as const)
      : written;
    for (const one of node.Plans ?? []) visit(one, below);
  };
  visit(root as Node, undefined);
  return { scans, writes };
}

function rowsOf({ "Actual Rows": rows = 0, "Actual Loops": loops = 1 }: Node): number {
  return Math.round(rows * loops);
}

function conditionsOf(node: Node): string[] {
  const texts = CONDITIONS.flatMap((key) => (typeof node[key] === "string" ? [node[key]] : []));
  const terms = texts.flatMap((text) => conjuncts(splitExpression(text)).map((one) => writeExpression(one)));
  return [...new Set(terms)];
}

/** Whether row security of `as`, the caller's own run, left out rows of a scan in the run without row security. */
export function differs(scan: Scan, as: readonly Scan[] | undefined): boolean {
  const same = as?.find(
    ({ table, alias }) => alias === scan.alias && quoteName(table) === quoteName(scan.table),
  );
  if (!same) return true;
  return same.conditions.some((one) => !scan.conditions.includes(one));
}
