/** Owns the changes that a test of row security must notice: each policy removed, each part taken out or turned round. */
import type pg from "pg";
import { calledFunctions, withBody } from "../../src/explain/database/called.ts";
import { type Part, type Policy, projectPolicies } from "../../src/explain/database/policy-parts.ts";
import { type Condition, writeConditions } from "../../src/explain/expression/conditions.ts";
import { type Leaf, leavesOf, writeExpression } from "../../src/explain/expression/expression.ts";
import { withArticle } from "../../src/explain/text.ts";
import type { Wanted } from "../../src/explain/untested.ts";
import { quote, quoteName } from "../../src/postgres/quoting.ts";
import type { QualifiedName } from "../../src/rest/schema/schema-cache.ts";

/** A change of a policy, of a function that policies call, or of a grant. */
export interface Mutant {
  /** The same in each run. */
  id: string;
  /** The change in words. */
  change: string;
  /** What a test that notices it would do. */
  missing: string;
  sql: string;
  /** The only verdict of a part for which it makes a difference; absent where there are more. */
  decisive?: { part: string; verdict: Wanted };
  /** The tests that may notice it are those that decide something here. */
  of: { policies: { table: QualifiedName; name: string }[] } | { function: string };
}

const PRIVILEGES = ["select", "insert", "update", "delete"] as const;

/** Every change of a database. @param client a connection of role postgres, without a transaction; nothing is changed. */
export async function mutantsOf(client: pg.ClientBase): Promise<Mutant[]> {
  const policies = await projectPolicies(client);
  return [
    ...policies.flatMap(policyMutants),
    ...(await functionMutants(client)),
    ...(await grantMutants(client, policies)),
  ];
}

function policyMutants(policy: Policy): Mutant[] {
  const { table, name, command, roles } = policy;
  const where = `${table.schema}.${table.name}`;
  const who = roles.join(" or ") || "any role";
  const of = { policies: [{ table, name }] };
  const alter = (kind: Part["kind"], text: string) =>
    `alter policy ${quote(name)} on ${quoteName(table)} ${kind === "using" ? "using" : "with check"} ${text}`;
  const removed: Mutant = {
    id: `${where}/${name}/removed`,
    change: `policy "${name}" on ${where} was removed`,
    missing: policy.permissive
      ? `${withArticle(command)} by ${who} that only this policy allows`
      : `${withArticle(command)} by ${who} that this policy alone refuses`,
    sql: `drop policy ${quote(name)} on ${quoteName(table)}`,
    of,
  };
  const parts = (["using", "check"] as const).flatMap((kind) => {
    const condition = policy[kind];
    if (!condition) return [];
    return leavesOf(condition).flatMap((leaf) => {
      if (leaf.text === "true" || leaf.text === "false") return [];
      const id = [where, name, kind, ...(leaf.path === "" ? [] : [leaf.path])].join("/");
      const change = (text: string) =>
        alter(
          kind,
          writeExpression(condition, (one) => (one === leaf ? text : one.text)),
        );
      const writes = kind === "check" && command === "all";
      const request = `${writes ? "a write" : withArticle(command)} by ${who}`;
      const rest = leaf.path !== "";
      return changesOf(leaf, rest, `the ${kind} of policy "${name}" on ${where}`, request).map((one) => ({
        id: `${id}/${one.name}`,
        change: one.change,
        missing: one.missing,
        sql: change(one.text),
        ...(one.decisive ? { decisive: { part: id, verdict: one.decisive } } : {}),
        of,
      }));
    });
  });
  return [removed, ...parts];
}

/** A condition taken out, and negated. @param rest whether others stand beside it. */
function changesOf(
  { text, neutral }: Pick<Leaf, "text" | "neutral">,
  rest: boolean,
  place: string,
  request: string,
) {
  return [
    {
      name: "out",
      text: String(neutral),
      change: `(${text}) was taken out of ${place}`,
      missing: `${request} of a row for which ${rest ? "it alone" : "it"} is ${!neutral}`,
      decisive: neutral ? ("false" as const) : ("true" as const),
    },
    {
      name: "not",
      text: `not (${text})`,
      change: `(${text}) in ${place} was negated`,
      missing: `${request} that it decides`,
      decisive: undefined,
    },
  ];
}

async function functionMutants(client: pg.ClientBase): Promise<Mutant[]> {
  const mutants: Mutant[] = [];
  for await (const one of calledFunctions(client)) {
    if ("reason" in one) continue;
    const { text: statement } = one;
    const conditions: Condition[] = [];
    writeConditions(statement, (condition, inner) => {
      conditions.push(condition);
      return inner;
    });
    for (const condition of conditions) {
      for (const { text, ...change } of changesOf(
        condition,
        condition.path.includes("."),
        `function ${one.name}`,
        "a request",
      )) {
        const changed = writeConditions(statement, ({ path }, inner) =>
          path === condition.path ? text : inner,
        );
        mutants.push({
          id: `${one.name}/${condition.path}/${change.name}`,
          change: change.change,
          missing: change.missing,
          ...(change.decisive
            ? { decisive: { part: `${one.name}/${condition.path}`, verdict: change.decisive } }
            : {}),
          sql: `set search_path = ''; ${withBody(one, changed)}; reset search_path`,
          of: { function: one.name },
        });
      }
    }
  }
  return mutants;
}

interface Grant extends QualifiedName {
  role: string;
  privilege: (typeof PRIVILEGES)[number];
}

const HAS_RIGHT = `case p.privilege when 'delete' then has_table_privilege(r.oid, c.oid, p.privilege)
  else has_any_column_privilege(r.oid, c.oid, p.privilege) end`;

/** The rights that decide something, and that this session's role can take away: those of storage's tables, say, it cannot. */
async function grantMutants(client: pg.ClientBase, policies: readonly Policy[]): Promise<Mutant[]> {
  const { rows } = await client.query<Grant>(
    `select n.nspname as schema, c.relname as name, r.rolname as role, p.privilege
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       cross join pg_roles r cross join unnest($1::text[]) as p(privilege)
     where c.relkind in ('r', 'p') and c.relrowsecurity and r.rolname in ('anon', 'authenticated')
       and ${HAS_RIGHT}
     order by 1, 2, 3, 4`,
    [PRIVILEGES],
  );
  const mutants: Mutant[] = [];
  for (const { schema, name, role, privilege } of rows) {
    const using = policies.filter(
      ({ table, command, permissive, roles }) =>
        table.schema === schema &&
        table.name === name &&
        permissive &&
        (command === "all" || command === privilege) &&
        (roles.length === 0 || roles.includes(role)),
    );
    const sql = `revoke ${privilege} on ${quoteName({ schema, name })} from ${quote(role)}`;
    if (using.length === 0 || !(await takesAway(client, sql, { schema, name, role, privilege }))) continue;
    mutants.push({
      id: `${schema}.${name}/${privilege}/${role}/revoked`,
      change: `the right of ${role} to ${privilege} on ${schema}.${name} was taken away`,
      missing: `${withArticle(privilege)} by ${role}`,
      sql,
      of: { policies: using.map(({ table, name: policy }) => ({ table, name: policy })) },
    });
  }
  return mutants;
}

/** Tried, since it depends on who granted it: a right of another role, or of PUBLIC, stays without an error. */
async function takesAway(client: pg.ClientBase, revoke: string, grant: Grant): Promise<boolean> {
  await client.query("begin");
  try {
    await client.query(revoke);
    const { rows } = await client.query<{ stays: boolean }>(
      `select ${HAS_RIGHT} as stays from pg_roles r, pg_class c, (values ($1)) as p(privilege)
       where r.rolname = $2 and c.oid = $3::regclass`,
      [grant.privilege, grant.role, quoteName(grant)],
    );
    return rows[0]?.stays === false;
  } finally {
    await client.query("rollback");
  }
}
