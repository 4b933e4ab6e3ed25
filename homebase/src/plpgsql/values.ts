/** Owns the types of what is assigned and returned: whether Postgres can make the target's type of a value. */

import { partOfVariable } from "./assignment-target.ts";
import type { StatementBody, Target } from "./body-tree.ts";
import type { Parameter, Scope } from "./body-variables.ts";
import type { Analysis } from "./column-or-variable.ts";
import type { Findings } from "./findings.ts";
import type { Catalog, Column } from "./type-lookup.ts";

/** One text, or an array of texts. */
const CONSTANT = /^\s*(?:'(?:[^']|'')*'|array\s*\[\s*'(?:[^']|'')*'(?:\s*,\s*'(?:[^']|'')*')*\s*\])\s*$/i;

export class Values {
  readonly #catalog: Catalog;
  readonly #scope: Scope;
  readonly #findings: Findings;
  readonly #analyse: (expression: string) => Promise<Analysis>;

  constructor(
    catalog: Catalog,
    scope: Scope,
    findings: Findings,
    analyse: (expression: string) => Promise<Analysis>,
  ) {
    this.#catalog = catalog;
    this.#scope = scope;
    this.#findings = findings;
    this.#analyse = analyse;
  }

  /** As `assigned`, for a target that may be a part of the variable: an element, or a field of a field. */
  async assignedTo(target: string, varno: number, analysis: Analysis, expression: string): Promise<void> {
    const part = partOfVariable(target, this.#scope.namesOf(varno));
    if (part === undefined)
      return target.includes("[") ? undefined : this.assigned(varno, analysis, expression);
    const given = await this.#analyse(part);
    const type = given.known ? given.columns?.[0]?.type : undefined;
    if (type !== undefined) await this.#assignedType(type, analysis, expression);
  }

  /** A variable or field gets the value of an expression. */
  async assigned(varno: number, analysis: Analysis, expression: string): Promise<void> {
    const [column] = analysis.columns ?? [];
    if (this.#scope.isOpenRecord(varno)) {
      const shape = column && (await this.#scope.shapeOf(column.type));
      this.#scope.setShape(varno, shape?.kind === "record" ? shape : { kind: "unknown" });
      return;
    }
    const type = this.#scope.typeOf(varno, this.#findings);
    if (type !== undefined) await this.#assignedType(type, analysis, expression);
  }

  /** Something of this type gets the value of an expression. */
  async #assignedType(type: number, analysis: Analysis, expression: string): Promise<void> {
    const [column] = analysis.columns ?? [];
    if (!analysis.known || !column) return;
    if (!(await this.#isConstant(expression, type))) await this.#reportCast(column.type, type);
  }

  /** A record, or a list of variables, gets the columns of a query. */
  async into(target: Target | undefined, rows: Analysis | undefined): Promise<void> {
    if (target?.PLpgSQL_rec) return this.#scope.give(target.PLpgSQL_rec.dno ?? 0, rows);
    const fields = target?.PLpgSQL_row?.fields ?? [];
    for (const { varno = 0 } of fields) this.#scope.write(varno);
    if (!rows?.known || !rows.columns) return;
    const missing = fields.length - rows.columns.length;
    if (missing !== 0)
      this.#findings.add("warning", {
        message: `too ${missing > 0 ? "few" : "many"} attributes for target variables`,
        detail: `There are ${missing > 0 ? "more" : "less"} target variables than output columns in query.`,
        hint: "Check target variables in SELECT INTO statement.",
        sqlState: "42804",
      });
    for (const [index, { varno = 0 }] of fields.entries()) {
      const type = rows.columns[index] && this.#scope.typeOf(varno, this.#findings);
      if (type !== undefined) await this.#reportCast(rows.columns[index]?.type ?? type, type);
    }
  }

  async eachOf(analysis: Analysis | undefined): Promise<void> {
    const type = analysis?.known ? analysis.columns?.[0]?.type : undefined;
    const facts = type === undefined ? undefined : await this.#catalog.facts(type);
    if (facts?.kind === "b" && facts.category !== "A")
      this.#findings.add("error", {
        message: `FOREACH expression must yield an array, not type ${facts.name}`,
        sqlState: "42804",
      });
  }

  /** RETURN and RETURN NEXT of a value: `analysis` is of its expression, if it is no variable. */
  async returned(body: StatementBody, analysis: Analysis | undefined, type: number): Promise<void> {
    if ((await this.#scope.shapeOf(type)).kind !== "value") return;
    const given = analysis
      ? analysis.columns?.[0]?.type
      : body.retvarno === undefined
        ? undefined
        : this.#scope.typeOf(body.retvarno, this.#findings);
    if (given === undefined || (await this.#isConstant(body.expr?.PLpgSQL_expr.query ?? "", type))) return;
    await this.#reportCast(given, type);
  }

  /** The columns of RETURN QUERY have the very types of the result. */
  async returnedRows(rows: Analysis, parameters: readonly Parameter[], type: number): Promise<void> {
    const expected = rows.known ? await this.#resultColumns(parameters, type) : undefined;
    const columns = rows.columns ?? [];
    if (!expected) return;
    const message = "structure of query does not match function result type";
    if (columns.length !== expected.length)
      return this.#findings.add("error", {
        message,
        sqlState: "42804",
        detail: `Number of returned columns (${columns.length}) does not match expected column count (${expected.length}).`,
      });
    for (const [index, wanted] of expected.entries()) {
      const given = columns[index]?.type ?? wanted.type;
      const [one, other] = [await this.#catalog.facts(given), await this.#catalog.facts(wanted.type)];
      if (given === wanted.type || other?.kind === "p") continue;
      return this.#findings.add("error", {
        message,
        sqlState: "42804",
        detail: `Returned type ${one?.name} does not match expected type ${other?.name} in column ${index + 1}.`,
      });
    }
  }

  async #resultColumns(parameters: readonly Parameter[], type: number): Promise<Column[] | undefined> {
    const outputs = parameters.filter(({ mode }) => mode !== "i" && mode !== "v");
    if (outputs.length > 0) return outputs;
    const shape = await this.#scope.shapeOf(type);
    if (shape.kind === "record") return shape.columns;
    return shape.kind === "value" ? [{ name: "", type: shape.type }] : undefined;
  }

  /** A constant is converted to its target's type now, by Postgres. @returns whether it is one */
  async #isConstant(expression: string, type: number): Promise<boolean> {
    if (/^\s*null\s*$/i.test(expression)) return true;
    if (!CONSTANT.test(expression)) return false;
    const facts = await this.#catalog.facts(type);
    if (facts && facts.kind !== "p") await this.#analyse(`(${expression.trim()})::${facts.name}`);
    return true;
  }

  async #reportCast(from: number, to: number): Promise<void> {
    const cast = await this.#catalog.cast(from, to);
    if (cast === "assignment") return;
    const [source, target] = [await this.#catalog.facts(from), await this.#catalog.facts(to)];
    this.#findings.add("warning", {
      message: "target type is different type than source type",
      detail: `cast "${source?.name}" value to "${target?.name}" type`,
      hint:
        cast === "none"
          ? "There are no possible explicit coercion between those types, possibly bug!"
          : "The input expression type does not have an assignment cast to the target type.",
      sqlState: "42804",
    });
  }
}
