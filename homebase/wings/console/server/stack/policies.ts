/** Owns what the stack says of policies: by table, with what tests have decided of their parts, and the advisors' findings. */
import { UserError } from "../../../../src/core/user-error.ts";
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import { Session } from "../../../../src/explain/database/explanation-transaction.ts";
import { type Policy, partsOf, readPolicies } from "../../../../src/explain/database/policy-parts.ts";
import { writeExpression } from "../../../../src/explain/expression/expression.ts";
import type { Coverage } from "../../../../src/explain/index.ts";
import { quote, quoteName } from "../../../../src/postgres/quoting.ts";
import { advise } from "../../../../src/tools/checks/advisors.ts";
import { projectCoverage } from "../../../../src/tools/decided-by-tests.ts";
import type { Policies, PolicyPart, StackTable } from "../api.ts";
import { inDatabase } from "../owner-connections.ts";

/** Tables of the API's schemas, and those of Storage and Realtime whose policies a project writes; `$1` the schemas. */
const TABLES = `select n.nspname as schema, c.relname as name, c.relrowsecurity as "rowSecurity",
    array(select role from pg_catalog.unnest(array['anon', 'authenticated']) role
      where pg_catalog.has_schema_privilege(role, n.oid, 'usage')
        and pg_catalog.has_any_column_privilege(role, c.oid, 'select')) as readers
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and (n.nspname = any($1)
    or (n.nspname, c.relname) in (('storage', 'objects'), ('realtime', 'messages')))
  order by not n.nspname = any($1), n.nspname, c.relname`;

export async function policiesOf(start: DeveloperStart): Promise<Policies> {
  const { config } = start.backend;
  const { schemas } = config.api;
  const { coverage, uncounted } = coverageOf(start);
  return inDatabase(start, async (client) => {
    const { rows } = await client.query<Omit<StackTable, "policies">>(TABLES, [schemas]);
    const policies = await Session.run(client, { readOnly: true }, (session) => readPolicies(session));
    const tables = rows.map((table) => ({
      ...table,
      policies: policies
        .filter((policy) => quoteName(policy.table) === quoteName(table))
        .map((policy) => ({
          name: policy.name,
          command: policy.command,
          permissive: policy.permissive,
          roles: policy.roles,
          parts: partsWith(policy, coverage),
          text: textOf(policy),
        })),
    }));
    const found = (await advise(client, schemas)).map(({ level, description, object }) => ({
      level,
      title: description.replace(/\.$/, ""),
      object,
    }));
    // One of a policy for everybody is found once for each role.
    const findings = [...new Map(found.map((one) => [`${one.title} ${one.object}`, one])).values()];
    return { tables, findings, uncounted };
  });
}

function coverageOf({ backend }: DeveloperStart): { coverage?: Coverage; uncounted?: string } {
  try {
    return { coverage: projectCoverage(backend.config) };
  } catch (error) {
    if (error instanceof UserError) return { uncounted: error.message };
    throw error;
  }
}

function partsWith(policy: Policy, coverage: Coverage | undefined): PolicyPart[] {
  return partsOf([policy]).map(({ kind, path, text, table }) => {
    const counted = coverage?.parts.find(
      ({ part }) =>
        part?.policy === policy.name &&
        part.kind === kind &&
        part.path === path &&
        part.text === text &&
        quoteName(part.table) === quoteName(table),
    );
    if (!counted) return { kind, text };
    const sum = (verdict: "true" | "false") => counted.decisions.reduce((all, one) => all + one[verdict], 0);
    return { kind, text, decided: { true: sum("true"), false: sum("false"), missing: counted.missing } };
  });
}

function textOf({ name, table, command, permissive, roles, using, check }: Policy): string {
  return [
    `create policy ${quote(name)} on ${quoteName(table)}`,
    ...(permissive ? [] : ["  as restrictive"]),
    `  for ${command}`,
    ...(roles.length === 0 ? [] : [`  to ${roles.map(quote).join(", ")}`]),
    ...(using ? [`  using ${writeExpression(using)}`] : []),
    ...(check ? [`  with check ${writeExpression(check)}`] : []),
  ].join("\n");
}
