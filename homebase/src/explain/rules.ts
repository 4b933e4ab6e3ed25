/** Owns one rule of a request that is not REST's: the rows that have to meet it, and the sentences when they do not. */
import { type Command, readAccess, readTable } from "./database/before-policies.ts";
import type { Caller } from "./database/explained-caller.ts";
import type { Session } from "./database/explanation-transaction.ts";
import type { TableExplanation } from "./explanation.ts";
import { hiddenSentences } from "./hidden.ts";
import type { Selection } from "./judge.ts";
import type { Collect } from "./look.ts";
import { type Asker, refusal } from "./sentences.ts";
import type { Label, Sentence, SentenceKind } from "./verdicts.ts";
import { explainRows, type Judging } from "./why.ts";

/** Rows that have to meet a command's policies. */
export interface AskedRule {
  table: { schema: string; name: string };
  /** The rows in words, e.g. "the new object". */
  about: string;
  command: Command;
  kind?: "using" | "check";
  selection: Selection;
  /** The role whose policies they are; the caller's by default. */
  role?: string;
  /** The columns that need a grant; any by default. */
  columns?: readonly string[];
  /** What it means that a row does not meet them. */
  label: Label;
}

export interface RuleVerdict {
  table: TableExplanation;
  /** Empty when all rows meet the rule. */
  sentences: Sentence[];
  candidates: number;
  /** The number of rows that meet it. */
  passed: number;
}

/** The questions of one request, in order. */
export class Rules implements Judging {
  readonly session: Session;
  readonly caller: Caller;
  readonly asker: Asker;
  readonly tables: TableExplanation[] = [];
  readonly sentences: Sentence[] = [];
  readonly collect: Collect | undefined;

  constructor(session: Session, caller: Caller, asker: Asker, collect: Collect | undefined) {
    this.session = session;
    this.caller = caller;
    this.asker = asker;
    this.collect = collect;
  }

  say(kind: SentenceKind, text: string, more: Pick<Sentence, "sql" | "further"> = {}): void {
    this.sentences.push({ text, kind, ...more });
  }

  /** Judges the rows of a rule, adds them to the tables, and says why those that fail it do. */
  async apply(rule: AskedRule): Promise<RuleVerdict> {
    const verdict = await this.judge(rule);
    this.tables.push(verdict.table);
    const told = new Set(this.sentences.map(({ text }) => text));
    this.sentences.push(...verdict.sentences.filter(({ text }) => !told.has(text)));
    return verdict;
  }

  async judge({ table: name, role, about, command, kind, selection, columns = [], label }: AskedRule) {
    const { session, asker, collect } = this;
    const caller = role === undefined ? this.caller : { ...this.caller, role };
    const access = await readAccess(session, caller.role, await readTable(session, name), command, columns);
    const table: TableExplanation = { about, table: name, command, access };
    const refused = refusal({ table: name, access }, caller.role, command, "");
    if (refused) return { table, sentences: [refused], candidates: 0, passed: 0 };
    const explained = await explainRows({ session, caller, collect }, name, selection, {
      command,
      columns,
      kind,
    });
    const { judgement } = explained;
    const sentences = hiddenSentences(explained, label, asker.user, "where" in selection);
    if (judgement.cut !== undefined)
      sentences.push({ text: `Not all rows were judged: ${judgement.cut}.`, kind: "unknown", table: name });
    const { candidates, passed } = judgement;
    return { table: { ...table, explained }, sentences, candidates, passed: passed.length };
  }
}
