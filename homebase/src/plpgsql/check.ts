/**
 * Owns checking one function in PL/pgSQL without running it: each statement and expression of its body is described by
 * Postgres with the variables as typed parameters; types, RETURN on every path, code that nothing reaches and variables
 * that nobody uses are looked at here.
 */
import type pg from "pg";
import {
  assignmentOperator,
  type Body,
  declaredTypes,
  type Expression,
  type Header,
  readBody,
  type Statement,
  type StatementBody,
} from "./body-tree.ts";
import { type Parameter, REFCURSOR, Scope } from "./body-variables.ts";
import { type Analysis, analyse, type Problem } from "./column-or-variable.ts";
import { executed } from "./execute-text.ts";
import { Findings, type Issue, placeOf } from "./findings.ts";
import { endingOf } from "./flow.ts";
import { formatProblem } from "./format-call.ts";
import { Missing } from "./missing.ts";
import { type Catalog, RECORD } from "./type-lookup.ts";
import { Values } from "./values.ts";

/** A function as the catalog has it. */
export interface CheckedFunction {
  name: string;
  source: string;
  isProcedure: boolean;
  returnType: number;
  isSet: boolean;
  parameters: Parameter[];
}

/** A trigger that calls the function: the type of its table's rows, the table, and the names of its transition tables. */
export interface TriggerFacts {
  rows: number;
  table: string;
  transitions: string[];
}

const TRIGGER = 2279;
const EVENT_TRIGGER = 3838;
const VOID = 2278;

/** @throws whatever the parser says of a body that Postgres accepts */
export async function checkBody(
  client: pg.Client,
  catalog: Catalog,
  checked: CheckedFunction,
  trigger?: TriggerFacts,
): Promise<Issue[]> {
  const isRecord = async (type: number | undefined) =>
    type === RECORD || (type !== undefined && (await catalog.facts(type))?.columns !== undefined);
  const types = new Map<string, number | undefined>();
  const composite = new Set<string>();
  for (const text of declaredTypes(checked.source)) {
    const type = /^record$/i.test(text) ? RECORD : await catalog.named(text);
    types.set(text, type);
    if (await isRecord(type)) composite.add(text);
  }
  const parameters: Header["parameters"] = [];
  // One after another: the session takes no question while it answers one.
  for (const { name, mode, type } of checked.parameters) {
    const kind = type === REFCURSOR ? "refcursor" : (await isRecord(type)) ? "record" : "text";
    parameters.push({ name, mode, type: kind });
  }
  const plain = (await isRecord(checked.returnType)) ? "record" : "text";
  const returns = checked.isProcedure ? undefined : (RETURNS[checked.returnType] ?? plain);
  const body = await readBody(checked.source, { parameters, isSet: checked.isSet, returns }, (type) =>
    composite.has(type),
  );
  const scope = new Scope(body, checked.parameters, catalog);
  await scope.prepare(checked.name, types, trigger?.rows);
  return new Check(client, catalog, checked, scope, trigger).run(body);
}

const RETURNS: Record<number, string> = {
  [TRIGGER]: "trigger",
  [EVENT_TRIGGER]: "event_trigger",
  [VOID]: "void",
};

class Check {
  readonly #client: pg.Client;
  readonly #function: CheckedFunction;
  readonly #scope: Scope;
  readonly #findings = new Findings();
  readonly #values: Values;
  readonly #missing: Missing;
  readonly #prefersColumns: boolean;
  readonly #transitions: Map<string, string>;
  /** Conditions that the blocks around a statement handle. */
  #caught: string[] = [];

  constructor(
    client: pg.Client,
    catalog: Catalog,
    checked: CheckedFunction,
    scope: Scope,
    trigger: TriggerFacts | undefined,
  ) {
    this.#client = client;
    this.#function = checked;
    this.#scope = scope;
    this.#values = new Values(catalog, scope, this.#findings, (text) => this.#analyse(text, "SELECT "));
    this.#missing = new Missing(checked.source);
    this.#prefersColumns = /#variable_conflict\s+use_column/i.test(checked.source);
    this.#transitions = new Map(trigger?.transitions.map((name) => [name, trigger.table]));
  }

  async run({ action }: Body): Promise<Issue[]> {
    await this.#block(action);
    this.#findings.at = undefined;
    this.#scope.reportUnused(this.#findings);
    this.#reportEnd(action);
    return this.#findings.issues;
  }

  // Statements

  /** @returns whether what comes after them is reached. */
  #statements = async (statements: readonly Statement[] | undefined): Promise<boolean> => {
    for (const statement of statements ?? []) {
      const [key = "", body = {}] = Object.entries(statement)[0] ?? [];
      const kind = key.replace("PLpgSQL_stmt_", "");
      const before = this.#findings.at;
      this.#findings.at = placeOf(kind, body);
      await this.#statement(kind, body);
      this.#findings.at = before;
    }
    return endingOf(statements, () => {}) !== "always";
  };

  async #statement(kind: string, body: StatementBody): Promise<void> {
    switch (kind) {
      case "block":
        return this.#block(body);
      case "assign":
        return this.#assign(body);
      case "if":
        await this.#expressions([
          body.cond,
          ...(body.elsif_list ?? []).map((one) => one.PLpgSQL_if_elsif.cond),
        ]);
        return this.#branches([
          body.then_body,
          ...(body.elsif_list ?? []).map((one) => one.PLpgSQL_if_elsif.stmts),
          body.else_body,
        ]);
      case "case":
        return this.#case(body);
      case "while":
        await this.#expression(body.cond);
        return this.#loop(body);
      case "loop":
        return this.#loop(body);
      case "fori":
        await this.#expressions([body.lower, body.upper, body.step]);
        return this.#loop(body, this.#scope.numberOf(body));
      case "fors":
        await this.#values.into(body.var, await this.#query(body.query));
        return this.#loop(body);
      case "forc": {
        const varno = body.var?.PLpgSQL_rec?.dno ?? 0;
        this.#scope.give(varno, await this.#cursorRows(body));
        return this.#loop(body, varno);
      }
      case "dynfors":
        await this.#values.into(body.var, await this.#dynamic(body.query, body));
        return this.#loop(body);
      case "foreach_a":
        await this.#values.eachOf(await this.#expression(body.expr));
        this.#scope.write(body.varno ?? 0);
        this.#scope.forget(body.varno ?? 0);
        return this.#loop(body);
      case "return":
      case "return_next":
        return this.#return(body);
      case "return_query": {
        const rows = (await this.#dynamic(body.dynquery, body)) ?? (await this.#query(body.query));
        const { parameters, returnType } = this.#function;
        if (rows) await this.#values.returnedRows(rows, parameters, returnType);
        return;
      }
      case "raise":
        return this.#expressions([
          ...(body.params ?? []),
          ...(body.options ?? []).map((one) => one.PLpgSQL_raise_option.expr),
        ]);
      case "assert":
        return this.#expressions([body.cond, typeof body.message === "object" ? body.message : undefined]);
      case "execsql": {
        const rows = await this.#query(body.sqlstmt);
        return body.into ? this.#values.into(body.target, rows) : undefined;
      }
      case "dynexecute": {
        const rows = await this.#dynamic(body.query, body);
        return body.into ? this.#values.into(body.target, rows) : undefined;
      }
      case "getdiag":
        for (const { PLpgSQL_diag_item: one } of body.diag_items ?? []) this.#scope.write(one.target ?? 0);
        return;
      case "open":
        this.#scope.read(body.curvar ?? 0);
        await this.#query(body.query);
        await this.#dynamic(body.dynquery, body);
        return this.#expressions([body.argquery]);
      case "fetch": {
        await this.#expression(body.expr);
        const rows = await this.#cursorRows(body);
        return body.is_move ? undefined : this.#values.into(body.target, rows);
      }
      case "close":
        return this.#scope.read(body.curvar ?? 0);
      default:
        // The condition of EXIT, the query of PERFORM and CALL.
        await this.#expression(body.cond);
        await this.#query(body.expr);
    }
  }

  async #block(body: StatementBody): Promise<void> {
    const names = this.#scope.enter(body.label);
    for (const { varno, name, line, initial } of this.#scope.declaredIn(body)) {
      this.#reportShadowed(name, line);
      if (initial !== undefined) await this.#initial(varno, initial, line);
      names.set(name, varno);
    }
    const handlers = (body.exceptions?.PLpgSQL_exception_block.exc_list ?? []).map(
      (one) => one.PLpgSQL_exception,
    );
    const outside = this.#caught;
    const caught = handlers.flatMap(({ conditions }) =>
      conditions.map((one) => one.PLpgSQL_condition.condname),
    );
    this.#caught = [...outside, ...caught];
    await this.#statements(body.body);
    this.#caught = outside;
    await this.#branches(
      handlers.map(({ action }) => action),
      true,
    );
    this.#scope.leave();
  }

  async #initial(varno: number, query: string, line: number): Promise<void> {
    const before = this.#findings.at;
    this.#findings.at = { line, text: "statement block" };
    await this.#values.assigned(varno, await this.#analyse(query, "SELECT "), query);
    this.#findings.at = before;
    this.#scope.write(varno);
  }

  async #assign(body: StatementBody): Promise<void> {
    const { query } = body.expr?.PLpgSQL_expr ?? { query: "" };
    const operator = assignmentOperator(query);
    const value = query.slice(operator.to);
    const analysis = await this.#analyse(value, "SELECT ");
    const varno = body.varno ?? 0;
    this.#scope.write(varno);
    await this.#values.assignedTo(query.slice(0, operator.from), varno, analysis, value);
  }

  async #case(body: StatementBody): Promise<void> {
    const whens = (body.case_when_list ?? []).map((one) => one.PLpgSQL_case_when);
    const type = (await this.#expression(body.t_expr))?.columns?.[0]?.type;
    if (body.t_varno !== undefined && type !== undefined)
      this.#scope.setShape(body.t_varno, await this.#scope.shapeOf(type));
    await this.#expressions(whens.map(({ expr }) => expr));
    await this.#branches([...whens.map(({ stmts }) => stmts), body.else_stmts]);
  }

  #branches(branches: readonly (Statement[] | undefined)[], mayRunNone = false): Promise<void> {
    return this.#scope.branches(
      branches.map((branch) => () => this.#statements(branch)),
      mayRunNone,
    );
  }

  /** @param own the variable that the loop declares */
  async #loop(body: StatementBody, own?: number): Promise<void> {
    const names = this.#scope.enter(body.label);
    const name = own === undefined ? undefined : this.#scope.body.datums[own]?.refname;
    if (own !== undefined && name !== undefined) names.set(name, own);
    this.#scope.forgetWritten(body.body);
    await this.#statements(body.body);
    this.#scope.leave();
  }

  async #cursorRows(body: StatementBody): Promise<Analysis | undefined> {
    const varno = body.curvar ?? 0;
    this.#scope.read(varno);
    await this.#expression(body.argquery);
    const { datums } = this.#scope.body;
    const { cursorQuery, cursorArguments = -1 } = datums[varno] ?? {};
    if (!cursorQuery) return undefined;
    const fields = datums[cursorArguments]?.fields ?? [];
    this.#scope.enter(undefined, new Map(fields.map((field) => [field.name, field.varno])));
    const rows = await this.#query(cursorQuery);
    this.#scope.leave();
    return rows;
  }

  async #return(body: StatementBody): Promise<void> {
    if (body.retvarno !== undefined) this.#scope.read(body.retvarno);
    const analysis = await this.#expression(body.expr);
    if (this.#hasOutputs()) return;
    await this.#values.returned(body, analysis, this.#function.returnType);
  }

  #hasOutputs(): boolean {
    return this.#function.parameters.some(({ mode }) => mode !== "i" && mode !== "v");
  }

  // Expressions

  async #expression(expression: Expression | undefined): Promise<Analysis | undefined> {
    return expression && this.#analyse(expression.PLpgSQL_expr.query, "SELECT ");
  }

  async #expressions(expressions: readonly (Expression | undefined)[]): Promise<void> {
    for (const one of expressions) await this.#expression(one);
  }

  async #query(query: Expression | undefined): Promise<Analysis | undefined> {
    return query && this.#analyse(query.PLpgSQL_expr.query, "");
  }

  /**
   * EXECUTE. @returns what its text gives, where the function shows it; else it is known only when the function runs, and
   * the expression that makes it is looked at.
   */
  async #dynamic(text: Expression | undefined, body: StatementBody): Promise<Analysis | undefined> {
    const expression = await this.#expression(text);
    const types: (number | undefined)[] = [];
    for (const one of body.params ?? []) types.push((await this.#expression(one))?.columns?.[0]?.type);
    const found = await executed(this.#client, expression?.tree, types);
    if (found?.analysis.problem) this.#problem(found.text, found.analysis.problem, true);
    return found?.analysis;
  }

  async #analyse(text: string, prefix: string): Promise<Analysis> {
    const analysis = await analyse(this.#client, {
      text,
      prefix,
      prefersColumns: this.#prefersColumns,
      transitions: this.#transitions,
      lookup: this.#scope.lookup,
      numbered: this.#scope.numbered,
    });
    for (const varno of analysis.read) this.#scope.read(varno);
    if (analysis.problem) this.#problem(text, analysis.problem);
    const format = formatProblem(analysis.tree);
    if (format) this.#findings.add("error", { message: format, sqlState: "22023" });
    return analysis;
  }

  #problem(text: string, { position, ...said }: Problem, isDynamic = false): void {
    if (this.#missing.isExpected(said, this.#caught, isDynamic)) return;
    this.#findings.add("error", { ...said, query: position === undefined ? undefined : { text, position } });
  }

  // Reports

  #reportShadowed(name: string, line: number): void {
    const at = { line, text: "DECLARE" };
    if (this.#function.parameters.some((one) => one.name === name))
      this.#findings.add(
        "warning",
        { message: `parameter "${name}" is shadowed`, detail: "Local variable shadows function parameter." },
        at,
      );
    if (this.#scope.isShadowed(name))
      this.#findings.add(
        "warning extra",
        { message: `variable "${name}" shadows a previously defined variable` },
        at,
      );
  }

  #reportEnd(action: StatementBody): void {
    const { returnType, isSet, isProcedure } = this.#function;
    const ending = endingOf([{ PLpgSQL_stmt_block: action }], (statement) => {
      const [key = "", body = {}] = Object.entries(statement)[0] ?? [];
      const at = placeOf(key.replace("PLpgSQL_stmt_", ""), body);
      this.#findings.add("warning extra", { message: "unreachable code" }, at);
    });
    const returns =
      !isProcedure && !isSet && returnType !== VOID && returnType !== EVENT_TRIGGER && !this.#hasOutputs();
    if (!returns || ending === "always" || ending === "jumps") return;
    this.#findings.add(ending === "never" ? "error" : "warning extra", {
      message: `control reached end of ${returnType === TRIGGER ? "trigger procedure" : "function"} without RETURN`,
      sqlState: "2F005",
    });
  }
}
