/** Owns the project of the snapshots' tests, and reading and changing everything that a snapshot holds. */
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { targetOf, withClient } from "../../../src/tools/command-connection.ts";
import { NOTES_PROJECT } from "../../../test/cli/notes-project.ts";
import type { Project } from "../../../test/cli/project.ts";

export const SNAPSHOTS_PROJECT: Record<string, string> = {
  ...NOTES_PROJECT,
  "config.toml":
    'project_id = "snapshots"\n[storage.buckets.files]\npublic = true\n[auth.email]\nenable_confirmations = true\n',
  "migrations/20260101000001_more.sql":
    "create extension if not exists supabase_vault;\nalter publication supabase_realtime add table public.notes;\n",
};

export const clientOf = ({ url, secret }: Project): SupabaseClient =>
  createClient(url, secret, { auth: { persistSession: false, autoRefreshToken: false } });

/** Adds to every part of the state: a row, a file, a mail, a secret, a role and its setting. */
export async function change(project: Project, what: string): Promise<void> {
  const client = clientOf(project);
  const failures = [
    await client.from("notes").insert({ id: Number.parseInt(what.slice(1), 10), body: what }),
    await client.storage.from("files").upload(`${what}.txt`, what),
    await client.storage.from("files").upload("same.txt", what, { upsert: true }),
    await createClient(project.url, project.key).auth.signUp({
      email: `${what}@example.com`,
      password: "correct horse",
    }),
  ].flatMap(({ error }) => error ?? []);
  if (failures.length > 0) throw failures[0];
  await withClient(targetOf(project.database), async (sql) => {
    await sql.query(`create role ${what} nologin`);
    await sql.query(`alter role ${what} set statement_timeout to '7s'`);
    await sql.query("select vault.create_secret($1, $1)", [what]);
  });
}

/** What every part of the state holds. */
export async function stateOf(project: Project): Promise<Record<string, unknown>> {
  const client = clientOf(project);
  const files = client.storage.from("files");
  const listed = (await files.list()).data ?? [];
  const texts = await Promise.all(
    listed.map(async ({ name }) => `${name}: ${await (await files.download(name)).data?.text()}`),
  );
  const inbox = await fetch(`http://127.0.0.1:${54_324 + project.offset}/api/v1/messages`);
  const { messages } = (await inbox.json()) as { messages: { To: { Address: string }[] }[] };
  return withClient(targetOf(project.database), async (sql) => {
    const names = async (text: string) =>
      (await sql.query<{ name: string }>(text)).rows.map(({ name }) => name);
    return {
      notes: await names("select body as name from public.notes order by id"),
      files: texts.sort(),
      mails: messages.flatMap(({ To }) => To.map(({ Address }) => Address)).sort(),
      users: await names("select email as name from auth.users order by 1"),
      secrets: await names("select decrypted_secret as name from vault.decrypted_secrets order by 1"),
      roles: await names(
        "select r.rolname || ' ' || s.setconfig[1] as name from pg_roles r join pg_db_role_setting s on s.setrole = r.oid where r.rolname ~ '^n\\d' order by 1",
      ),
    };
  });
}
