/** Owns the text of EXECUTE, where it is one constant: what it gives, with the types of its USING. */
import type pg from "pg";
import { type Analysis, analyse } from "./column-or-variable.ts";

interface Select {
  targetList?: { ResTarget: { val?: { A_Const?: { sval?: { sval?: string } } } } }[];
}

/**
 * @param tree of `SELECT` and the expression that gives the text.
 * @param types of USING's values; undefined for those that are not known.
 * @returns undefined for a text that is put together, for one of several statements, and for one that the parser refuses
 */
export async function executed(
  client: pg.Client,
  tree: unknown,
  types: readonly (number | undefined)[],
): Promise<{ text: string; analysis: Analysis } | undefined> {
  const { stmts } = (tree ?? {}) as { stmts?: { stmt: { SelectStmt?: Select } }[] };
  const text = stmts?.[0]?.stmt.SelectStmt?.targetList?.[0]?.ResTarget.val?.A_Const?.sval?.sval;
  if (text === undefined) return undefined;
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
  return analysis && statements.length === 1 ? { text, analysis } : undefined;
}
