/** Owns the migrations of a hosted project in its own history, as the Management API applies them. */
import { isDatabaseError, MetaError, queryError } from "../../src/catalog/errors.ts";
import type { Row, Session } from "../../src/catalog/session.ts";
import { HISTORY, readHistory } from "../../src/postgres/files/migration-history.ts";
import { firstWord, recordedStatements, splitStatements } from "../../src/postgres/statements/split.ts";
import { transactWith } from "../../src/postgres/transaction.ts";
import type { HostedProject } from "./stand-in.ts";

/**
 * Runs statements in one transaction and records them. @param version by default the current second, or the one after
 * the last. @param shared whether another project of this server has run them. @throws MetaError 400
 */
export async function applyMigration(
  session: Session,
  text: string,
  {
    name = null,
    version,
    shared = false,
  }: { name?: string | null; version?: string | undefined; shared?: boolean } = {},
): Promise<void> {
  await transactWith(session.client, async () => {
    await session.client.query(HISTORY);
    await runStatements(session, shared ? await withoutPresentRoles(session, text) : text);
    // Two in one second have two versions.
    await session.rows(
      `insert into supabase_migrations.schema_migrations (version, name, statements)
     select coalesce($3, greatest(to_char(now() at time zone 'utc', 'YYYYMMDDHH24MISS')::bigint,
       max(version::bigint) filter (where version ~ '^\\d{14}$') + 1)::text), $1, $2
     from supabase_migrations.schema_migrations`,
      [name, recordedStatements(text), version ?? null],
    );
  });
}

/** Applies the migrations of one project that another does not have. @throws MetaError 400 for one that fails */
export async function replayMigrations(
  from: HostedProject,
  to: HostedProject,
  { signal, until }: { signal: AbortSignal; until?: string },
): Promise<void> {
  const wanted = await from.sessions.use({ signal }, ({ client }) => readHistory(client));
  const present = await to.sessions.use({ signal }, ({ client }) => readHistory(client));
  for (const { version, name, statements } of wanted) {
    if (present.some((one) => one.version === version) || (until !== undefined && version > until)) continue;
    const text = (statements ?? []).join(";\n");
    await to.sessions.use({ signal }, (session) =>
      applyMigration(session, text, { name, version, shared: true }),
    );
  }
}

const CREATES_ROLE = /^create\s+(?:role|user|group)\s+(?:"((?:[^"]|"")+)"|([\w$]+))/i;

/**
 * The statements without those that create a role which is there: the server's databases share their roles, so another
 * project's run of the same statement has made it. On hosted each branch has a server of its own.
 */
async function withoutPresentRoles(session: Session, text: string): Promise<string> {
  let kept = text;
  for (const statement of splitStatements(text)) {
    const own = statement.text.slice(firstWord(statement) - statement.offset);
    const [, quoted, plain] = CREATES_ROLE.exec(own) ?? [];
    const name = quoted?.replaceAll('""', '"') ?? plain?.toLowerCase();
    if (name === undefined) continue;
    const found = await session.rows("select from pg_roles where rolname = $1", [name]);
    if (found.length > 0) kept = kept.replace(own, () => "");
  }
  return kept;
}

/** A caller's own statements. @throws MetaError 400 with the text that psql would print */
export async function runStatements(session: Session, text: string, parameters?: unknown[]): Promise<Row[]> {
  try {
    return await session.run(text, parameters);
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    throw new MetaError(400, `Failed to run sql query: ${queryError(error, text).message}`);
  }
}
