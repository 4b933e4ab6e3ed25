/** A developer's folder from before the baseline: it starts with its rows, and nothing is run. */
import { cpSync, globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Project } from "../../homebase/test/cli/project.ts";

vi.setConfig({ testTimeout: 180_000 });

const [BASELINE = ""] = globSync("supabase/migrations/*_baseline.sql");
const replaced = [...readFileSync(BASELINE, "utf8").matchAll(/^-- homebase: replaces (.*)$/gm)].flatMap(
  ([, list = ""]) => list.split(" "),
);

const project = new Project();
beforeAll(async () => {
  cpSync("supabase", join(project.folder, "supabase"), { recursive: true });
  await project.start();
});
afterAll(() => project.remove());

async function sql(text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(project.database);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
const versions = () => sql("select version from supabase_migrations.schema_migrations order by version");

test("with all that it replaces in the history, the baseline takes their place", async () => {
  await sql("update public.profiles set display_name = 'Kept' where display_name = 'Ana Duarte'");
  const later = (await versions()).slice(1);
  await sql("delete from supabase_migrations.schema_migrations where name = 'baseline'");
  await sql(`insert into supabase_migrations.schema_migrations (version, name, statements)
    select version, 'earlier', '{}' from unnest('{${replaced.join(",")}}'::text[]) as version`);
  const before = await sql("select * from public.profiles order by id");
  expect(before.map((row) => row.display_name)).toContain("Kept");
  await project.stop();
  await project.start();
  expect(project.output).toContain(
    `Recorded ${BASELINE} in place of the ${replaced.length - 1} migrations that it replaces, without running it`,
  );
  expect(project.output).not.toMatch(/Not applied|Edited|homebase reset/);
  expect(await versions()).toEqual([{ version: basename(BASELINE).slice(0, 14) }, ...later]);
  expect(await sql("select * from public.profiles order by id")).toEqual(before);
});

test("with some of them it is refused by name, and nothing is changed", async () => {
  await sql(`insert into supabase_migrations.schema_migrations (version) values ('${replaced[0]}')`);
  const before = await versions();
  await project.stop();
  await project.start();
  expect(project.output).toContain(`It lacks ${replaced[1]}, ${replaced[2]}, `);
  expect(project.output).toContain("Nothing was changed. Check out the commit before");
  expect(project.output).not.toMatch(/Recorded|Applied|homebase reset/);
  expect(await versions()).toEqual(before);
});
