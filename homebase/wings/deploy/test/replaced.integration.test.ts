/** A hosted project whose migrations were squashed since its last deploy. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { replacesHeader } from "../../../src/postgres/files/squashed-migrations.ts";
import { testCluster } from "../../../src/testing/shared-cluster.ts";
import { type Hosted, startHosted } from "../../hosted/index.ts";
import { FIRST, REF, SECOND, type TestProject, testProject } from "./project.ts";

const FIRST_FILE = "supabase/migrations/20260101000000_notes.sql";
const SECOND_FILE = "supabase/migrations/20260102000000_authors.sql";
const BASELINE = `${replacesHeader(["20260101000000", "20260102000000"])}\n${FIRST}${SECOND}`;

let hosted: Hosted;
let project: TestProject;
beforeEach(async () => {
  hosted = await startHosted({ cluster: await testCluster(process.cwd()), ref: REF });
  project = testProject();
});
afterEach(async () => {
  project?.drop();
  await hosted?.close();
});

const sql = async (text: string) => (await hosted.project.database.query("postgres", text)).rows;
const versions = () => sql("select version, name from supabase_migrations.schema_migrations order by 1");

/** The project's files after the squash. */
function squash(): void {
  project.remove(FIRST_FILE);
  project.write(SECOND_FILE, BASELINE);
}

test("a target that has all of them is recorded without running anything; its rows stay", async () => {
  project.write(SECOND_FILE, SECOND);
  await project.deploy(hosted);
  await sql("insert into public.notes (body) values ('written by a person')");
  squash();
  const planned = await project.deploy(hosted, { agree: undefined } as never);
  expect(planned.plan.steps.flatMap(({ changes }) => changes)).toEqual([
    `record ${SECOND_FILE} in place of the migration that it replaces, without running it`,
  ]);
  expect(await versions()).toHaveLength(2);
  const result = await project.deploy(hosted);
  expect(result.outcome).toBe("deployed");
  expect(await versions()).toEqual([{ version: "20260102000000", name: "authors" }]);
  expect(await sql("select body from public.notes")).toEqual([{ body: "written by a person" }]);
  expect((await project.deploy(hosted)).outcome).toBe("nothing to do");

  project.write("supabase/migrations/20260103000000_titles.sql", "alter table public.notes add title text;");
  expect((await project.deploy(hosted)).outcome).toBe("deployed");
  expect(await sql("select body, title from public.notes")).toEqual([
    { body: "written by a person", title: null },
  ]);
}, 180_000);

test("a target that has only some is refused by name, and deploys after the rest was deployed", async () => {
  await project.deploy(hosted);
  await sql("insert into public.notes (body) values ('written by a person')");
  squash();
  const received = hosted.management.received.length;
  await expect(project.deploy(hosted)).rejects.toThrow(
    /only some\. It lacks 20260102000000\. Nothing was changed\. Check out the commit before/,
  );
  const changing = hosted.management.received
    .slice(received)
    .filter(({ call }) => !/^GET |\/cli\/login-role$/.test(call));
  expect(changing).toEqual([]);
  expect(await versions()).toEqual([{ version: "20260101000000", name: "notes" }]);

  project.write(FIRST_FILE, FIRST);
  project.write(SECOND_FILE, SECOND);
  await project.deploy(hosted);
  squash();
  expect((await project.deploy(hosted)).outcome).toBe("deployed");
  expect(await versions()).toEqual([{ version: "20260102000000", name: "authors" }]);
  expect(await sql("select body from public.notes")).toEqual([{ body: "written by a person" }]);
}, 180_000);

test("a squash that makes another schema than the replaced files did is refused as drift", async () => {
  project.write(SECOND_FILE, SECOND);
  await project.deploy(hosted);
  squash();
  project.write(SECOND_FILE, `${BASELINE}create index on public.notes (author);\n`);
  await expect(project.deploy(hosted)).rejects.toThrow(/differs from its migrations[\s\S]*notes_author_idx/);
  expect(await versions()).toHaveLength(2);
}, 180_000);
