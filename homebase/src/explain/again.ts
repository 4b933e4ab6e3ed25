/**
 * Owns running a statement again, as the caller and without row security, both undone: its statements inside, the rows
 * that row security hid from them, and the row that it refused.
 */
import { quote, quoteName } from "../postgres/quoting.ts";
import { ExplainError, type Ran, type Session, type Statement } from "./database/explanation-transaction.ts";
import { hasName, namedScans } from "./database/partitions.ts";
import type { InsideStatement } from "./explanation.ts";
import { oneLine } from "./expression/expression.ts";
import type { Where } from "./judge.ts";
import type { Rules } from "./rules.ts";
import { differs, type Inside, insideOf, type Scan } from "./trace.ts";
import type { Explained } from "./why.ts";
import {
  explainRefusedRows,
  refusedTable,
  transactionId,
  type Written,
  writesTo,
  writtenRows,
} from "./written.ts";

/** Both runs. */
export interface Again {
  own: Ran & { inside: Inside[] };
  bare: Ran & { inside: Inside[] };
  /** The rows of the table that refused one. */
  refused: Written[];
}

/** The longest text of a statement that stands in a line. */
const LONGEST = 100;

/** Under the trace, where there is one. */
export async function runAgain({ caller, session }: Rules, statement: Statement): Promise<Again> {
  const { options, trace = (work) => work(session) } = session;
  const own = await trace((session) => session.ran(statement, caller), options);
  const table = own.error && refusedTable(own.error.message);
  const refused: Written[] = [];
  const bare = await trace(async (session) => {
    if (table === undefined) return session.ran(statement, { ...caller, bypass: true });
    const since = await transactionId(session);
    return session.ran(statement, { ...caller, bypass: true }, async (notices) => {
      const all = insideOf(notices).flatMap((one) => one.writes);
      for (const write of writesTo(all, table)) refused.push(await writtenRows(session, write, since));
    });
  }, options);
  return {
    own: { ...own, inside: insideOf(own.notices) },
    bare: { ...bare, inside: insideOf(bare.notices) },
    refused,
  };
}

/** Says what ended the caller's own run, and which part of which policy refused a row. */
export async function explainFailure(
  rules: Rules,
  name: string,
  { own, bare, refused }: Again,
): Promise<void> {
  const { error } = own;
  const cut = own.cut ?? bare.cut;
  if (cut !== undefined) rules.say("unknown", `What ${name} does was not seen to its end: ${cut}.`);
  if (!error) return;
  const { role } = rules.caller;
  const { code, message, where } = error;
  const [place] = (where ?? "")
    .split("\n")
    .sort((one, other) => Number(isPlace(other)) - Number(isPlace(one)));
  const at = place ? ` (${place})` : "";
  if (code !== "42501") return rules.say("answer", `${name} raises an error, code ${code}: ${message}${at}.`);
  rules.say("refused", `Refused inside with ${role === "anon" ? 401 : 403}, code 42501: ${message}${at}.`);
  if (refusedTable(message) === undefined) return;
  let found = false;
  for (const one of refused) if (await explainRefusedRows(rules, one, message)) found = true;
  if (found) return;
  rules.say(
    "unknown",
    bare.error
      ? `The row is not known, because without row security it raises code ${bare.error.code}: ${bare.error.message}.`
      : "The row is not among those that are there at the end of a run without row security: a statement proposes it only, or changes it again.",
  );
}

/**
 * The statements inside, and why rows are hidden from them. @param outer the statement's own text. @param body the words
 * for a statement without a text.
 */
export async function explainInside(
  rules: Rules,
  { own, bare }: Again,
  outer: string,
  body: string,
): Promise<InsideStatement[]> {
  const told: InsideStatement[] = [];
  const called = new Map<string, number>();
  for (const one of bare.inside) {
    const nth = called.get(one.text) ?? 0;
    called.set(one.text, nth + 1);
    if (one.text === oneLine(outer) && one.scans.length === 0) continue;
    const twin = own.inside.filter(({ text }) => text === one.text)[nth];
    const text = one.text === oneLine(outer) || one.text === "" ? body : one.text;
    told.push({ text, rows: twin?.rows, withoutRowSecurity: one.rows });
    // The statement that was refused, and those after it, have no rows of their own to compare with.
    if (own.error && !twin) continue;
    const scans = ({ scans }: Inside) =>
      namedScans(rules.session, scans, (table) => hasName(one.text, table));
    const twins = twin && (await scans(twin));
    for (const scan of await scans(one)) if (differs(scan, twins)) await explainScan(rules, scan, text);
  }
  return told;
}

/** The rows that a statement reads from a table, judged as the caller. */
async function explainScan(rules: Rules, scan: Scan, text: string): Promise<void> {
  const { table, command } = scan;
  const where = await whereOf(rules, scan);
  const inside = `in "${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}"`;
  const rule = { table, about: inside, selection: { where } } as const;
  await rules.apply({ ...rule, command: "select", label: { kind: "hidden", text: `Hidden ${inside}` } });
  if (command !== "select")
    await rules.apply({
      ...rule,
      command,
      label: { kind: "hidden", text: `Not reached by ${command.toUpperCase()} ${inside}` },
    });
}

/** The conditions that can be asked of the table alone: others name subplans or tables beside it. */
export async function whereOf(
  { session, caller }: Pick<Rules, "session" | "caller">,
  { table, alias, conditions }: Scan,
): Promise<Where> {
  const alone: string[] = [];
  for (const one of conditions) {
    const text = `select from ${quoteName(table)} as ${quote(alias)} where ${one} limit 0`;
    const parsed = await session.read(text, [], caller, table).then(
      () => true,
      () => false,
    );
    if (parsed) alone.push(one);
  }
  return { alias, text: alone.join(" and "), values: [] };
}

export function hides(explained: Explained | undefined): boolean {
  return explained?.judgement.groups.some(({ visible }) => !visible) ?? false;
}

/** Whether a line of an error's context says where, and not which text. */
function isPlace(line: string): boolean {
  return /^(PL\/pgSQL|SQL) function /.test(line);
}

/** @throws ExplainError without a trace, unless the login has auto_explain already, as hosted's has. */
export async function requireTrace(session: Session): Promise<void> {
  if (session.trace) return;
  const [found] = await session.known(
    "select from pg_catalog.pg_settings where name = 'auto_explain.log_min_duration'",
  );
  if (found) return;
  throw new ExplainError(
    "The statements inside a function are read by auto_explain, which this database's server has not loaded for the login (session_preload_libraries).",
  );
}
