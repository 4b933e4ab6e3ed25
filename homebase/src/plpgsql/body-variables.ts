/** Owns the variables of a body: what each is, which a name means at a statement, and which are read and written. */

import { type Body, type Datum, declarationKey, type Statement, type StatementBody } from "./body-tree.ts";
import type { Analysis, Found, Shape } from "./column-or-variable.ts";
import type { Findings } from "./findings.ts";
import { childrenOf } from "./flow.ts";
import { type Catalog, TEXT } from "./type-lookup.ts";

/** A parameter of a function, as pg_proc has it. */
export interface Parameter {
  name: string;
  mode: "i" | "o" | "b" | "v" | "t";
  type: number;
}

const UNKNOWN: Shape = { kind: "unknown" };
export const REFCURSOR = 1790;

/** Types of the variables that PL/pgSQL adds, by their names. */
const BUILT_IN: Record<string, number> = {
  boolean: 16,
  name: 19,
  integer: 23,
  text: TEXT,
  oid: 26,
  "text[]": 1009,
  refcursor: REFCURSOR,
};

export class Scope {
  readonly body: Body;
  readonly #parameters: readonly Parameter[];
  readonly #catalog: Catalog;
  readonly #shapes = new Map<number, Shape>();
  readonly #read = new Set<number>();
  readonly #written = new Set<number>();
  /** The block that declares each variable. */
  readonly #blocks = new Map<number, StatementBody>();
  /** The variables around a statement, from outside to inside. */
  readonly #levels: { label: string | undefined; names: Map<string, number> }[] = [];

  constructor(body: Body, parameters: readonly Parameter[], catalog: Catalog) {
    this.body = body;
    this.#parameters = parameters;
    this.#catalog = catalog;
    const blocks = blocksIn(body.action);
    for (const [varno, { kind, refname, lineno, cursorQuery }] of body.datums.entries()) {
      if (kind !== "var" && kind !== "rec") continue;
      if (!cursorQuery && !body.declared.has(declarationKey(refname, lineno))) continue;
      // It is the next one that begins.
      const [block] = blocks
        .filter(({ lineno: begins = 0 }) => begins >= lineno)
        .sort((one, other) => (one.lineno ?? 0) - (other.lineno ?? 0));
      if (block) this.#blocks.set(varno, block);
    }
  }

  /**
   * Finds the types of all variables, and opens the outermost level.
   * @param types of the declarations, by their text
   * @param rows the type of NEW and OLD
   */
  async prepare(name: string, types: ReadonlyMap<string, number | undefined>, rows?: number): Promise<void> {
    const outer = new Map<string, number>();
    for (const [varno, datum] of this.body.datums.entries()) {
      if (datum.kind !== "var" && datum.kind !== "rec") continue;
      const written = this.#declaration(datum)?.type;
      const type =
        varno < this.#parameters.length
          ? this.#parameters[varno]?.type
          : written !== undefined
            ? (types.get(written) ?? this.#copied(written))
            : builtIn(datum, rows);
      this.#shapes.set(varno, type === undefined ? UNKNOWN : await this.shapeOf(type));
      const isOwn = datum.lineno <= 0 || datum.isConstant || datum.refname.startsWith("__Case__");
      if (isOwn && written === undefined) outer.set(datum.refname, varno);
    }
    for (const alias of this.body.aliases) outer.set(alias.name, alias.varno);
    this.#levels.push({ label: name, names: outer });
  }

  #declaration({ refname, lineno }: Datum) {
    return this.body.declared.get(declarationKey(refname, lineno));
  }

  /** The type of `variable%type`. */
  #copied(written: string): number | undefined {
    const [, name] = /^"?([^".]+)"?\s*%\s*type$/i.exec(written) ?? [];
    const varno = this.body.datums.findIndex(({ refname }) => refname === name?.toLowerCase());
    const shape = this.#shapes.get(varno) ?? UNKNOWN;
    return shape.kind === "unknown" ? undefined : shape.type;
  }

  async shapeOf(type: number): Promise<Shape> {
    const facts = await this.#catalog.facts(type);
    if (!facts || facts.kind === "p") return UNKNOWN;
    return facts.columns ? { kind: "record", type, columns: facts.columns } : { kind: "value", type };
  }

  // Names

  /** What an assignment names: a variable, or a record and its field. */
  namesOf(varno: number): string[] {
    const datum = this.body.datums[varno];
    if (datum?.kind !== "recfield") return [datum?.refname ?? ""];
    return [this.body.datums[datum.parent]?.refname ?? "", datum.fieldName];
  }

  enter(label: string | undefined, names = new Map<string, number>()): Map<string, number> {
    this.#levels.push({ label, names });
    return names;
  }

  leave(): void {
    this.#levels.pop();
  }

  /** The variables that a block declares, in their order, with the expressions of their first values. */
  declaredIn(
    block: StatementBody,
  ): { varno: number; name: string; line: number; initial: string | undefined }[] {
    return [...this.body.datums.entries()]
      .filter(([varno]) => this.#blocks.get(varno) === block)
      .map(([varno, datum]) => ({
        varno,
        name: datum.refname,
        line: datum.lineno,
        initial: this.#declaration(datum)?.initial,
      }));
  }

  /** Whether a block around the innermost one declares this name. */
  isShadowed(name: string): boolean {
    return this.#levels.slice(1, -1).some(({ names }) => names.has(name));
  }

  lookup = ([first = "", second, ...others]: readonly string[]): Found | undefined => {
    const rest = second === undefined ? [] : [second, ...others];
    for (const { names } of this.#levels.toReversed()) {
      const varno = names.get(first);
      if (varno !== undefined) return this.#found(varno, rest, first);
    }
    for (const { label, names } of this.#levels.toReversed()) {
      const varno = label === first && second !== undefined ? names.get(second) : undefined;
      if (varno !== undefined) return this.#found(varno, others, second ?? "");
    }
    return undefined;
  };

  #found(varno: number, rest: string[], name: string): Found | undefined {
    const shape = this.shape(varno);
    return rest.length > 0 && shape.kind === "value" ? undefined : { varno, rest, shape, name };
  }

  /** The parameters `$1`, `$2`, …. */
  numbered = (number: number): Found | undefined => {
    const inputs = this.#parameters.flatMap(({ mode }, varno) =>
      mode === "o" || mode === "t" ? [] : [varno],
    );
    const varno = inputs[number - 1];
    return varno === undefined ? undefined : this.#found(varno, [], `$${number}`);
  };

  // Values

  shape(varno: number): Shape {
    return this.#shapes.get(varno) ?? UNKNOWN;
  }

  setShape(varno: number, shape: Shape): void {
    this.#shapes.set(varno, shape);
  }

  /** The type of a variable or field that is no record. */
  typeOf(varno: number, findings: Findings): number | undefined {
    const datum = this.body.datums[varno];
    if (datum?.kind !== "recfield") {
      const shape = this.shape(varno);
      return shape.kind === "value" ? shape.type : undefined;
    }
    const shape = this.shape(datum.parent);
    if (shape.kind !== "record") return undefined;
    const column = shape.columns.find(({ name }) => name === datum.fieldName);
    if (!column)
      findings.add("error", {
        message: `record "${this.body.datums[datum.parent]?.refname}" has no field "${datum.fieldName}"`,
        sqlState: "42703",
      });
    return column?.type;
  }

  /** A variable of type `record` has the columns of what it was last given. */
  isOpenRecord(varno: number): boolean {
    const datum = this.body.datums[varno];
    if (datum?.kind !== "rec" || datum.lineno === 0) return false;
    return /^record$/i.test(this.#declaration(datum)?.type ?? "record");
  }

  /** The variable that a FOR over numbers declares. */
  numberOf({ var: target, lineno }: StatementBody): number | undefined {
    const varno = this.body.datums.findIndex(
      (one) => one.kind === "var" && one.refname === target?.PLpgSQL_var?.refname && one.lineno === lineno,
    );
    return varno < 0 ? undefined : varno;
  }

  give(varno: number, rows: Analysis | undefined): void {
    this.write(varno);
    if (this.isOpenRecord(varno))
      this.#shapes.set(
        varno,
        rows?.known && rows.columns ? { kind: "record", type: undefined, columns: rows.columns } : UNKNOWN,
      );
  }

  /** At a loop's second turn a record is what the first one left. */
  forgetWritten(statements: readonly Statement[] | undefined): void {
    for (const statement of statements ?? []) {
      const [body = {}] = Object.values(statement);
      for (const target of [body.target?.PLpgSQL_rec, body.var?.PLpgSQL_rec])
        if (target) this.forget(target.dno ?? 0);
      if (body.varno !== undefined) this.forget(body.varno);
      for (const inner of childrenOf(body)) this.forgetWritten(inner);
    }
  }

  forget(varno: number): void {
    if (this.isOpenRecord(varno)) this.#shapes.set(varno, UNKNOWN);
  }

  /** Each branch begins with the shapes before it; afterwards a shape is known on which all branches agree that end. */
  async branches(branches: readonly (() => Promise<boolean>)[], mayRunNone: boolean): Promise<void> {
    const before = new Map(this.#shapes);
    const after: Map<number, Shape>[] = mayRunNone ? [before] : [];
    for (const branch of branches) {
      for (const [varno, shape] of before) this.#shapes.set(varno, shape);
      if (await branch()) after.push(new Map(this.#shapes));
    }
    for (const [varno, shape] of before) {
      const ways = new Set(after.map((shapes) => JSON.stringify(shapes.get(varno))));
      this.#shapes.set(varno, ways.size > 1 ? UNKNOWN : (after[0]?.get(varno) ?? shape));
    }
  }

  // Use

  read(varno: number): void {
    this.#read.add(varno);
  }

  write(varno: number): void {
    const datum = this.body.datums[varno];
    if (datum?.kind === "row") for (const field of datum.fields) this.write(field.varno);
    this.#written.add(datum?.kind === "recfield" ? datum.parent : varno);
  }

  reportUnused(findings: Findings): void {
    for (const [varno, { refname, lineno }] of this.body.datums.entries()) {
      if (!this.#blocks.has(varno) || this.#read.has(varno)) continue;
      const at = { line: lineno, text: "DECLARE" };
      if (this.#written.has(varno))
        findings.add("warning extra", { message: `never read variable "${refname}"` }, at);
      else findings.add("warning", { message: `unused variable "${refname}"` }, at);
    }
    for (const [varno, { name, mode }] of this.#parameters.entries()) {
      if (name === "" || mode === "o" || mode === "t" || this.#read.has(varno)) continue;
      if (!this.#written.has(varno)) findings.add("warning extra", { message: `unused parameter "${name}"` });
      else if (mode !== "b") findings.add("warning extra", { message: `parameter "${name}" is never read` });
    }
  }
}

function builtIn(datum: Datum, rows: number | undefined): number | undefined {
  if (datum.kind === "rec") return datum.lineno === 0 ? rows : undefined;
  return datum.cursorQuery ? REFCURSOR : BUILT_IN[datum.typeName ?? ""];
}

function blocksIn(block: StatementBody): StatementBody[] {
  const within = (statements: readonly Statement[]): StatementBody[] =>
    statements.flatMap((statement) => {
      const [kind = "", body = {}] = Object.entries(statement)[0] ?? [];
      const inner = childrenOf(body).flatMap(within);
      return kind === "PLpgSQL_stmt_block" ? [body, ...inner] : inner;
    });
  return [...(block.lineno === undefined ? [] : [block]), ...childrenOf(block).flatMap(within)];
}
