/**
 * Owns counting what the parts of policies are decided as: in a test's template each part becomes a CASE that calls a
 * counter, and Postgres's statistics of functions count the calls. The facts are in docs/decisions/0039-explain.md.
 */
import type pg from "pg";
import { quote, quoteLiteral, quoteName } from "../../postgres/quoting.ts";
import { calledFunctions, withBody } from "../database/called.ts";
import { messageOf } from "../database/explanation-transaction.ts";
import {
  idOf,
  type Part,
  type Policy,
  type PolicyCommand,
  partOf,
  projectPolicies,
} from "../database/policy-parts.ts";
import { writeConditions } from "../expression/conditions.ts";
import { writeExpression } from "../expression/expression.ts";

/** The schema of the counters. */
export const COUNTERS = "homebase_coverage";
/** Changes when the counters do: another form is another template. */
export const FORM = "counted1";
/** The callers that a policy is not for by name. */
export const OTHERS = "others";

export type Verdict = "true" | "false" | "unknown";
export const VERDICTS: readonly Verdict[] = ["true", "false", "unknown"];

/** A part of a policy, or a condition of a function that a policy calls. */
export interface Counted {
  /** Readable and the same in each run, e.g. `public.notes/own notes/using/2.1` or `private.my_ids()/1`. */
  id: string;
  text: string;
  /** The callers' roles whose decisions are told apart; empty in functions. */
  roles: string[];
  /** Absent in functions. */
  part?: Part;
  command?: PolicyCommand;
  /** Absent in policies; with its arguments' types. */
  function?: string;
}

/** The parts and roles that are counted in a template. A counter's name has the positions of its part and of the role in these lists. */
export interface Manifest {
  counted: Counted[];
  /** Functions that policies call, whose conditions are not counted, with the reason. */
  uncounted: { function: string; reason: string }[];
}

/** Rewrites the policies of a database. @param client a connection of role postgres to it, without a transaction. */
export async function instrument(client: pg.ClientBase): Promise<void> {
  const manifest: Manifest = { counted: [], uncounted: [] };
  const policies = await projectPolicies(client);
  await client.query(
    `create schema ${COUNTERS}; grant usage on schema ${COUNTERS} to public;
     create table ${COUNTERS}.manifest (manifest jsonb not null)`,
  );
  const statements = policies
    .filter(({ using, check }) => using ?? check)
    .map((policy) => policyStatement(policy, manifest));
  await countersOf(client, manifest, 0);
  await client.query(["begin; set local search_path = ''", ...statements, "commit"].join(";\n"));
  await instrumentFunctions(client, manifest);
  await client.query(`insert into ${COUNTERS}.manifest values ($1)`, [JSON.stringify(manifest)]);
}

/** The statement that has a policy count its parts. An UPDATE's rows are checked by `using` where there is no check. */
function policyStatement(policy: Policy, manifest: Manifest): string {
  const { using, command } = policy;
  const check = policy.check ?? (command === "all" || command === "update" ? using : undefined);
  const roles = policy.roles.length === 1 ? policy.roles : [...namedRoles(policy), OTHERS];
  const clause = (kind: Part["kind"], condition: Policy["using"]) =>
    condition &&
    writeExpression(condition, ({ path, text }) => {
      const part = partOf(policy, kind, path, text);
      return counting(manifest, { id: idOf(part), text, roles, part, command }, text);
    });
  const [visible, allowed] = [clause("using", using), clause("check", check)];
  return `alter policy ${quote(policy.name)} on ${quoteName(policy.table)} ${visible ? `using ${visible}` : ""} ${
    allowed ? `with check ${allowed}` : ""
  }`;
}

function namedRoles({ roles }: Policy): string[] {
  return roles.length > 0 ? roles : ["anon", "authenticated"];
}

/** The part as it counts. It is evaluated once; a NULL stays one. */
function counting(manifest: Manifest, counted: Counted, written: string): string {
  const number = manifest.counted.push(counted) - 1;
  const { roles } = counted;
  const count = (verdict: Verdict) => {
    const call = (role: number) => `${COUNTERS}.${counterName(number, role, verdict)}()`;
    if (roles.length < 2) return call(0);
    const named = roles.slice(0, -1).map((role, at) => `when ${quoteLiteral(role)} then ${call(at)}`);
    return `case current_user ${named.join(" ")} else ${call(roles.length - 1)} end`;
  };
  return `case (${written}) when true then ${count("true")} when false then ${count("false")} else ${count("unknown")} end`;
}

function counterName(part: number, role: number, verdict: Verdict): string {
  return `c${part}_${role}_${verdict}`;
}

/** The part, the role and the verdict that a counter is for. */
export function readCounter(name: string): { part: number; role: number; verdict: Verdict } {
  const [part = "", role, verdict] = name.slice(1).split("_");
  return { part: Number(part), role: Number(role), verdict: verdict as Verdict };
}

/** Makes the counters of all parts from a position on. STABLE, because VOLATILE would keep a subquery from being hashed. */
async function countersOf(client: pg.ClientBase, { counted }: Manifest, from: number): Promise<void> {
  const statements = counted.slice(from).flatMap(({ roles }, at) =>
    Array.from({ length: Math.max(roles.length, 1) }, (_, role) =>
      VERDICTS.map((verdict) => {
        const value = verdict === "unknown" ? "null" : verdict;
        return `create function ${COUNTERS}.${counterName(from + at, role, verdict)}() returns boolean language plpgsql
          stable parallel safe cost 0.0001 as 'begin return ${value}; end'`;
      }),
    ).flat(),
  );
  if (statements.length === 0) return;
  await client.query(
    [...statements, `grant execute on all functions in schema ${COUNTERS} to public`].join(";\n"),
  );
}

/** Has the functions that policies call count their conditions, and those that these call. */
async function instrumentFunctions(client: pg.ClientBase, manifest: Manifest): Promise<void> {
  for await (const one of calledFunctions(client, COUNTERS)) {
    if ("reason" in one) {
      manifest.uncounted.push({ function: one.name, reason: one.reason });
      continue;
    }
    const from = manifest.counted.length;
    const written = writeConditions(one.text, ({ path, text }, inner) =>
      counting(manifest, { id: `${one.name}/${path}`, text, roles: [], function: one.name }, inner),
    );
    await countersOf(client, manifest, from);
    try {
      await client.query(`begin; set local search_path = ''; ${withBody(one, written)}; commit`);
    } catch (error) {
      await client.query("rollback");
      manifest.counted.length = from;
      manifest.uncounted.push({ function: one.name, reason: messageOf(error) });
    }
  }
}
