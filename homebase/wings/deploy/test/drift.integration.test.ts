/** Deploys to a target that somebody has changed by hand: one target, on which each change is made and taken back. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { startHosted } from "../../hosted/index.ts";
import { DeployRefused } from "../steps/step.ts";
import { REF, SECOND, testProject } from "./project.ts";

const hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
const project = testProject();
beforeAll(async () => {
  await project.deploy(hosted, { skipSmoke: true });
  project.write("supabase/migrations/20260102000000_authors.sql", SECOND);
});
afterAll(async () => {
  project.drop();
  await hosted?.close();
});

const sql = async (text: string) => (await hosted.project.database.query("postgres", text)).rows;

test.each([
  ["a table", "create table public.by_hand (id int)", "by_hand", "drop table public.by_hand"],
  [
    "a column",
    "alter table public.notes add column by_hand int",
    "by_hand",
    "alter table public.notes drop column by_hand",
  ],
  [
    "a policy",
    `create policy "by hand" on public.notes for delete to anon using (true)`,
    "by hand",
    `drop policy "by hand" on public.notes`,
  ],
  [
    "a function",
    "create function public.by_hand() returns int language sql as 'select 1'",
    "by_hand",
    "drop function public.by_hand()",
  ],
  [
    "a trigger",
    `create function private_tg() returns trigger language plpgsql as 'begin return new; end';
     create trigger by_hand before insert on public.notes for each row execute function private_tg()`,
    "by_hand",
    "drop function private_tg() cascade",
  ],
  [
    "a grant",
    "revoke select on public.notes from anon",
    'REVOKE ALL ON TABLE "public"."notes" FROM "anon"',
    "grant select on public.notes to anon",
  ],
  [
    "a publication",
    "create publication by_hand for table public.notes",
    "by_hand",
    "drop publication by_hand",
  ],
  [
    "a table in Realtime's publication",
    "alter publication supabase_realtime add table public.notes",
    'ALTER PUBLICATION "supabase_realtime" ADD TABLE',
    "alter publication supabase_realtime drop table public.notes",
  ],
  [
    "row security switched off",
    "alter table public.notes disable row level security",
    "DISABLE ROW LEVEL SECURITY",
    "alter table public.notes enable row level security",
  ],
])(
  "%s that the migrations do not explain is named, and nothing is deployed",
  async (_what, change, named, back) => {
    await sql(change);
    hosted.management.received.length = 0;
    const refused = await project.deploy(hosted).catch((error: unknown) => error);
    await sql(back);
    expect(refused).toBeInstanceOf(DeployRefused);
    expect(String((refused as Error).message)).toContain(named);
    const calls = hosted.management.received.map(({ call }) => call);
    expect(calls.filter((call) => !/^GET |\/cli\/login-role$/.test(call))).toEqual([]);
    expect(await sql("select count(*)::int as applied from supabase_migrations.schema_migrations")).toEqual([
      { applied: 1 },
    ]);
  },
);
