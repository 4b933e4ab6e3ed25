/**
 * Owns the explanation of a function's call: who may call it, and, by running it again, the statements inside and the
 * rows that row security hid from each of them.
 */
import type pg from "pg";
import { connected } from "../postgres/connected.ts";
import { quote } from "../postgres/quoting.ts";
import type { CallPlan } from "../rest/plan/plan.ts";
import { ANSWER } from "../rest/sql/statement.ts";
import { explainFailure, explainInside, hides, requireTrace, runAgain } from "./again.ts";
import { statementOf } from "./asked-tables.ts";
import { ExplainError, type Ran, Session, type WithTrace } from "./database/explanation-transaction.ts";
import type { CallExplanation } from "./explanation.ts";
import type { Rules } from "./rules.ts";
import { rows as counted } from "./words.ts";

/**
 * Explains a call; nothing that the function does stays, but for sequences and what leaves the database.
 * @param replay whether a function that may write is run again.
 */
export async function explainCall(rules: Rules, plan: CallPlan, replay: boolean): Promise<CallExplanation> {
  const { caller, session } = rules;
  const { routine } = plan;
  const facts = await factsOf(session, caller.role, routine.oid);
  const { name, definer, owner, bypasses } = facts;
  const call: CallExplanation = {
    function: { schema: routine.schema, name: routine.name },
    definer,
    owner,
    inside: [],
  };
  if (!facts.usage || !facts.execute) {
    const grant = facts.usage ? `execute on function ${name}` : `usage on schema ${quote(routine.schema)}`;
    const sql = `grant ${grant} to ${caller.role};`;
    rules.say(
      "refused",
      `Refused: ${caller.role} may not ${facts.usage ? `execute ${routine.name}` : `use schema ${routine.schema}`}: the answer is ${caller.role === "anon" ? 401 : 403} with code 42501. To allow it: ${sql}`,
      { sql },
    );
    return call;
  }
  const reads = caller.method === "GET" || caller.method === "HEAD" || routine.volatility !== "volatile";
  if (!reads && !replay) {
    rules.say("unknown", `${routine.name} is VOLATILE, so it may write, and it was not run.`, {
      further: {
        option: "--replay",
        does: "it is: what it does in the database is undone, but triggers fire, and sequences and requests that it sends are not undone.",
      },
    });
    return call;
  }
  const statement = { ...statementOf(plan, true, {}), writes: !reads };
  await requireTrace(session);
  const again = await runAgain(rules, statement);
  await explainFailure(rules, routine.name, again);
  if (definer && bypasses) {
    rules.say(
      "note",
      `${routine.name} runs with the rights of its owner ${owner}, who has BYPASSRLS: no policy hides anything inside, whoever calls.`,
    );
  }
  const [before, after] = [returned(again.own), returned(again.bare)];
  if (before !== undefined && after !== undefined && before !== after) {
    rules.say(
      "hidden",
      `The function returns ${counted(before)}, and would return ${after} without row security.`,
    );
  }
  call.inside = await explainInside(rules, again, statement.text, `the body of ${routine.name}`);
  if (
    (again.own.error ?? again.own.cut ?? again.bare.cut) === undefined &&
    rules.tables.every(({ explained }) => !hides(explained)) &&
    !(definer && bypasses)
  ) {
    rules.say("allowed", "Row security hides nothing from the statements inside.");
  }
  return call;
}

/** The number of rows in REST's answer. */
function returned({ rows }: Ran): number | undefined {
  const [row] = rows;
  return row ? Number(row[ANSWER.rows]) : undefined;
}

interface Facts {
  /** With its arguments' types, as GRANT takes it. */
  name: string;
  definer: boolean;
  owner: string;
  bypasses: boolean;
  usage: boolean;
  execute: boolean;
}

async function factsOf(session: Session, role: string, oid: string): Promise<Facts> {
  const [facts] = await session.known<Facts & Record<string, unknown>>(
    `select p.oid::pg_catalog.regprocedure::text as name, p.prosecdef as definer, o.rolname::text as owner,
       o.rolsuper or o.rolbypassrls as bypasses, pg_catalog.has_schema_privilege(r.oid, p.pronamespace, 'USAGE') as usage,
       pg_catalog.has_function_privilege(r.oid, p.oid, 'EXECUTE') as execute
     from pg_catalog.pg_proc p join pg_catalog.pg_roles o on o.oid = p.proowner, pg_catalog.pg_roles r
     where p.oid = $1 and r.rolname = $2`,
    [oid, role],
  );
  if (!facts) throw new ExplainError(`There is no role ${role}.`);
  return facts;
}

/** With a connection of its own. @param login of a role that has auto_explain loaded. */
export function tracing(login: () => pg.ClientConfig | Promise<pg.ClientConfig>): WithTrace {
  return async (work, options = {}) =>
    connected(await login(), async (client) => {
      await client.query("set role postgres");
      return Session.run(client, options, work);
    });
}
