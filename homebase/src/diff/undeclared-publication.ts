/**
 * Owns what schema files that do not name Realtime's publication mean for it: which tables it has is then a matter of the
 * migrations, as Supabase's guide to declarative schemas has it, and a difference takes none away.
 */
import type { Config } from "../config/config.ts";
import type { Database } from "../postgres/database.ts";
import { readSchemaFiles } from "../postgres/files/project-files.ts";
import { masked } from "../postgres/statements/lexer.ts";

/**
 * Gives the publication of the database that the schema files make the tables that it has in the other one.
 * @returns what is therefore not compared, for people
 */
export async function publishAsIn(from: Database, declared: Database, config: Config): Promise<string[]> {
  const isDeclared = readSchemaFiles(config).some(({ sql }) =>
    /\bsupabase_realtime\b/i.test(masked(sql, ["comment"])),
  );
  if (isDeclared) return [];
  const { rows: published } = await from.query<Published>("postgres", PUBLISHED);
  const { rows: present } = await declared.query<{ name: string }>("postgres", PRESENT, [
    published.map(({ name }) => name),
  ]);
  const kept: string[] = [];
  for (const { name, statement } of published) {
    if (!present.some((one) => one.name === name)) continue;
    // A condition is the project's expression, which no superuser may parse.
    const given = await declared.query("postgres", statement).then(
      () => true,
      (error: unknown) => {
        if (!NOT_GIVEN.has(String((error as { code?: unknown }).code))) throw error;
        return false;
      },
    );
    if (given) kept.push(name);
  }
  if (kept.length === 0) return [];
  return [
    `the tables of publication supabase_realtime, as no schema file names it: what migrations give it stays (${kept.join(", ")})`,
  ];
}

/** A column that the schema files no longer have, another type of it, and a table of somebody else: these are compared. */
const NOT_GIVEN = new Set(["42703", "42883", "42501", "0A000"]);

interface Published {
  name: string;
  statement: string;
}

const PUBLISHED = `select name, format('alter publication supabase_realtime add table only %s', name)
    || coalesce(' (' || columns || ')', '') || coalesce(' where (' || condition || ')', '') as statement
  from pg_publication p join pg_publication_rel r on r.prpubid = p.oid join pg_class c on c.oid = r.prrelid
    join pg_namespace n on n.oid = c.relnamespace,
    lateral (select format('%I.%I', n.nspname, c.relname) as name, pg_get_expr(r.prqual, r.prrelid) as condition,
      (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
       where a.attrelid = c.oid and a.attnum = any (r.prattrs::int2[])) as columns) texts
  where p.pubname = 'supabase_realtime' and not p.puballtables order by 1`;
const PRESENT = `select name from unnest($1::text[]) name
  where to_regclass(name) is not null and not exists (
    select from pg_publication p join pg_publication_rel r on r.prpubid = p.oid
    where p.pubname = 'supabase_realtime' and r.prrelid = to_regclass(name))
  and exists (select from pg_publication where pubname = 'supabase_realtime' and not puballtables)`;
