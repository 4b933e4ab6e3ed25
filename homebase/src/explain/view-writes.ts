/** Owns the explanation of a write to a view: whose rules its table's rows have to meet, or which trigger does it. */
import { quoteName } from "../postgres/quoting.ts";
import { relationUpdatable } from "../postgres/updatable.ts";
import type { WritePlan } from "../rest/plan/plan.ts";
import { writeReturningRows } from "../rest/sql/statement.ts";
import { explainFailure, explainInside, runAgain, whereOf } from "./again.ts";
import { plainValues } from "./asked-tables.ts";
import { readAccess, readTable, type Table } from "./database/before-policies.ts";
import { ExplainError } from "./database/explanation-transaction.ts";
import type { TableExplanation } from "./explanation.ts";
import type { Rules } from "./rules.ts";
import { refusal } from "./sentences.ts";
import { readPlan } from "./trace.ts";
import type { Label } from "./verdicts.ts";
import { viewFacts } from "./views.ts";
import { rows as counted } from "./words.ts";

/** @param replay whether it is run, and undone. @returns the rights on the view. @throws ExplainError with what the user can change. */
export async function explainViewWrite(
  rules: Rules,
  view: Table,
  plan: WritePlan,
  replay: boolean,
): Promise<Pick<TableExplanation, "command" | "access">> {
  const { session, caller } = rules;
  const command = plan.action === "put" ? "insert" : plan.action;
  const columns = plan.action === "delete" ? [] : plan.body.columns.map(({ name }) => name);
  const access = await readAccess(session, caller.role, view, command, columns);
  const refused = refusal({ table: view.name, access }, caller.role, command);
  if (refused) {
    rules.sentences.push(refused);
    return { command, access };
  }
  const { triggers, updatable } = await writability(rules, view, command);
  if (triggers.length === 0 && !updatable) {
    rules.say(
      "refused",
      `${view.name.name} takes no ${command.toUpperCase()}: Postgres writes through a view of one table without grouping only, and it has no INSTEAD OF trigger.`,
    );
    return { command, access };
  }
  if (triggers.length > 0) {
    const names = triggers.map(
      ({ name, routine, owner }) => `${name} (${routine}, which runs as ${owner ?? "the caller"})`,
    );
    rules.say(
      "note",
      `${view.name.name} is written by its INSTEAD OF trigger ${names.join(", ")}: the policies of what that writes decide.`,
    );
  } else await explainTarget(rules, view, command, plan);
  if (replay) await replayed(rules, view, plan, triggers.length > 0);
  else
    rules.say(
      "unknown",
      triggers.length > 0 || command !== "delete"
        ? "The write was not run, so the row is not judged as it would be."
        : "It was not run.",
      { further: { option: "--replay", does: "it is run and undone." } },
    );
  return { command, access };
}

/** Who asks the policies of the table, and the rows that an UPDATE or DELETE reaches. */
async function explainTarget(
  rules: Rules,
  view: Table,
  command: "insert" | "update" | "delete",
  plan: WritePlan,
) {
  const { session, caller } = rules;
  const { invoker, owner, owners } = await viewFacts(session, caller, view);
  const role = invoker ? caller.role : owner;
  const { text, values } = writeReturningRows(plan);
  const plans = { text: `explain (verbose, format json) ${text}`, values: plainValues(values), writes: true };
  const ran = await session.ran(plans, { ...caller, bypass: true, owners });
  if (ran.error) throw new ExplainError(`Postgres refuses: ${ran.error.message}.`);
  const planned = ran.rows[0]?.[0] as unknown as [{ Plan: object }] | undefined;
  if (!planned) return;
  const { scans, writes } = readPlan(planned[0].Plan);
  const target = writes[0]?.table;
  if (!target) return;
  const table = await readTable(session, target);
  const access = await readAccess(session, role, table, command);
  const as = invoker
    ? `${view.name.name} is a view with security_invoker: ${caller.role} has to meet the policies of ${target.name}.`
    : `${view.name.name} is a view: its writes have to meet the policies of ${target.name} as its owner ${owner}, whoever asks.`;
  rules.say("note", as);
  const refused = refusal({ table: target, access }, role, command);
  if (refused) {
    rules.sentences.push(refused);
    return;
  }
  if (access.rowSecurity !== "on") {
    const why = { bypassed: "has BYPASSRLS", owner: `owns ${target.name}`, off: "" }[access.rowSecurity];
    rules.say(
      "allowed",
      why === ""
        ? `${target.name} has no row security.`
        : `${role} ${why}, so no policy decides: the view lets everybody through who may write it.`,
    );
    return;
  }
  if (command === "insert") return;
  const scan = scans.find((one) => quoteName(one.table) === quoteName(target) && one.command === command);
  const where = scan ? await whereOf(rules, scan) : { alias: target.name, text: "", values: [] };
  const label: Label = { kind: "hidden", text: `Not ${command}d, without an error` };
  const about = `by ${view.name.name}`;
  const rule = { table: target, role, about, selection: { where }, label };
  const seen = await rules.apply({ ...rule, command: "select" });
  const reached = await rules.apply({ ...rule, command });
  if (seen.candidates === 0)
    rules.say("absent", `No row of ${view.name.name} meets the request's filters, whoever asks.`);
  else if (Math.min(seen.passed, reached.passed) > 0)
    rules.say(
      "allowed",
      `Row security lets ${role} reach ${counted(Math.min(seen.passed, reached.passed))} of ${target.name}.`,
    );
}

/** Runs the write as the caller and without row security, and says what differs. */
async function replayed(rules: Rules, view: Table, plan: WritePlan, triggered: boolean): Promise<void> {
  if (rules.session.readOnly)
    throw new ExplainError("--replay runs the write, and with --db-url nothing is written.");
  const { text, values } = writeReturningRows(plan);
  const again = await runAgain(rules, { text, values: plainValues(values), writes: true });
  await explainFailure(rules, `the write of ${view.name.name}`, again);
  const before = rules.sentences.length;
  if (triggered) await explainInside(rules, again, text, `the write of ${view.name.name}`);
  if (again.own.error ?? again.own.cut ?? again.bare.cut) return;
  const [own, all] = [again.own.rows.length, again.bare.rows.length];
  if (own !== all)
    rules.say("refused", `It writes ${counted(own)}, and would write ${all} without row security.`);
  else if (before === rules.sentences.length)
    rules.say("allowed", `It writes ${counted(own)}: row security refuses nothing.`);
}

interface Writability {
  triggers: { name: string; routine: string; owner: string | null }[];
  updatable: boolean;
}

async function writability(
  { session }: Rules,
  { oid }: Table,
  command: "insert" | "update" | "delete",
): Promise<Writability> {
  // tgtype: insert 4, delete 8, update 16, instead of 64. pg_relation_is_updatable: update 4, insert 8, delete 16.
  const bits = { insert: [4, 8], update: [16, 4], delete: [8, 16] }[command];
  const [found] = await session.known<Writability & Record<string, unknown>>(
    `select (${relationUpdatable("$1::pg_catalog.oid", false)}) & $3 <> 0 as updatable,
       coalesce((select pg_catalog.json_agg(pg_catalog.json_build_object('name', t.tgname, 'routine', p.oid::pg_catalog.regprocedure::text,
           'owner', case when p.prosecdef then pg_catalog.pg_get_userbyid(p.proowner) end) order by t.tgname)
         from pg_catalog.pg_trigger t join pg_catalog.pg_proc p on p.oid = t.tgfoid
         where t.tgrelid = $1 and not t.tgisinternal and t.tgtype & 64 <> 0 and t.tgtype & $2 <> 0), '[]') as triggers`,
    [oid, ...bits],
  );
  return found ?? { triggers: [], updatable: false };
}
