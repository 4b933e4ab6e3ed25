/** Owns the text of EXECUTE, where the function shows it: what it gives, with the types of its USING. */
import type pg from "pg";
import { type Analysis, analyse } from "./column-or-variable.ts";
import { knownText } from "./known-text.ts";

interface Select {
  targetList?: { ResTarget: { val?: unknown } }[];
}

/** SQLSTATEs of a name that is missing: of column, table, function, type. With a value in it, a text shows nothing else. */
const MISSING = new Set(["42703", "42P01", "42883", "42704"]);

/**
 * @param tree of `SELECT` and the expression that gives the text.
 * @param types of USING's values; undefined for those that are not known.
 * @returns undefined for a text that is known only when the function runs, for one of several statements, and for one that
 * the parser refuses
 */
export async function executed(
  client: pg.Client,
  tree: unknown,
  types: readonly (number | undefined)[],
): Promise<{ text: string; analysis: Analysis } | undefined> {
  const { stmts } = (tree ?? {}) as { stmts?: { stmt: { SelectStmt?: Select } }[] };
  const known = knownText(stmts?.[0]?.stmt.SelectStmt?.targetList?.[0]?.ResTarget.val);
  if (known === undefined) return undefined;
  const { text, hasValues } = known;
  const analysis = await analyse(client, {
    text,
    prefix: "",
    prefersColumns: true,
    transitions: new Map(),
    lookup: () => undefined,
    numbered: (number) => {
      const type = types[number - 1];
      return type === undefined
        ? undefined
        : { varno: 0, shape: { kind: "value", type }, rest: [], name: `$${number}` };
    },
  }).catch(() => undefined);
  const { stmts: statements = [] } = (analysis?.tree ?? {}) as { stmts?: unknown[] };
  const isUncertain = hasValues && analysis?.problem !== undefined && !MISSING.has(analysis.problem.sqlState);
  return analysis && statements.length === 1 && !isUncertain ? { text, analysis } : undefined;
}
