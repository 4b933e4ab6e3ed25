/** Owns the findings of the database advisors, in the form in which the Management API gives those of hosted. */
import type pg from "pg";
import { type Category, type Level, lints, PREFIX } from "./advisor-lints.ts";

export type { Level } from "./advisor-lints.ts";
export const LEVELS: readonly Level[] = ["INFO", "WARN", "ERROR"];

/** A finding as hosted shows it: names, titles, addresses and keys are its own, sentences are ours. */
export interface HostedFinding {
  name: string;
  title: string;
  level: Level;
  facing: "EXTERNAL";
  categories: [Category];
  description: string;
  detail: string;
  remediation: string;
  metadata: Record<string, unknown>;
  cache_key: string;
}

export interface Finding extends HostedFinding {
  /** The object, as a person names it. Several findings may be of one. */
  object: string;
}

const DOCUMENTATION = "https://supabase.com/docs/guides/database/database-linter?lint=";

interface Row {
  object: string;
  schema: string | null;
  name: string | null;
  type: string | null;
  key: string;
  more: Record<string, unknown>;
}

/** Everything that the lints find, the worst first. Reads only. @param schemas those of the API. */
export async function advise(client: pg.ClientBase, schemas: readonly string[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [
    lint,
    { level, category, title, description, page, prefix = lint, sql, counts },
  ] of Object.entries(lints)) {
    const { rows } = await client.query<Row>(
      `${PREFIX} select found.object::text, found.schema::text, found.name::text, found.type::text, found.key::text, found.more
      from (${sql}) as found (object, schema, name, type, key, more) order by found.object, found.key`,
      [schemas],
    );
    for (const { object, schema, name, type, key, more } of rows) {
      if (counts && !counts(more)) continue;
      const known = Object.entries({ schema, name, type }).filter(([, value]) => value !== null);
      findings.push({
        name: lint,
        title,
        level: more.wal_status === "lost" ? "ERROR" : level,
        facing: "EXTERNAL",
        categories: [category],
        description: `${description}.`,
        detail: `${description}: \`${object}\``,
        remediation: page.includes(" ") ? page : `${DOCUMENTATION}${page}`,
        metadata: { ...Object.fromEntries(known), ...more },
        cache_key: `${prefix}_${key}`,
        object,
      });
    }
  }
  return findings.sort((left, right) => LEVELS.indexOf(right.level) - LEVELS.indexOf(left.level));
}

/** Without what only people read. */
export function hostedForm({ object: _, ...finding }: Finding): HostedFinding {
  return finding;
}
