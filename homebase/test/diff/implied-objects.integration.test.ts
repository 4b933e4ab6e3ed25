/** `homebase db dump` and `db pull` do not repeat what Postgres makes by itself. */
import { expect, test, vi } from "vitest";
import { completeDiff, withMigrated } from "../../src/diff/schema-diff.ts";
import { Cluster } from "../../src/postgres/cluster/cluster.ts";
import { explainLogin } from "../../src/postgres/explain-login.ts";
import { createBackend } from "../../src/testing/index.ts";
import { Project } from "../cli/project.ts";
import { useOwnCluster } from "../own-cluster.ts";

await useOwnCluster();

vi.setConfig({ testTimeout: 300_000 });

test("a role that a migration made is dumped without the grant that making it gives", async () => {
  const role = `maker_${process.pid}`;
  const project = new Project();
  const folder = project.folder;
  const wanted = await createBackend({ projectFolder: folder, bare: true });
  // The databases of one cluster share its roles, so a second one is the target.
  const elsewhere = await Cluster.start({
    projectFolder: folder,
    port: undefined,
    durable: false,
    settings: {},
  });
  try {
    await withMigrated(elsewhere, wanted.config, async (fresh) => {
      // The other cluster lacks this login, which is made when it is asked for.
      await explainLogin(wanted.database);
      await wanted.sql(`create role ${role}; create role ${role}_set; grant ${role}_set to postgres`);
      const diff = await completeDiff(fresh, wanted.database);
      expect(diff.missing).toBe("");
      const grants = diff.sql.split("\n").filter((line) => line.startsWith("GRANT") && line.includes(role));
      expect(grants).toEqual([`GRANT "${role}_set" TO "postgres";`]);
    });
  } finally {
    await wanted.sql(`drop role if exists ${role}, ${role}_set`);
    await elsewhere.stop();
    await wanted.drop();
    await project.remove();
  }
});

test("a domain that is not null is made once, and its NOT NULL can be added later", async () => {
  const project = new Project();
  const [wanted, made] = [
    await createBackend({ projectFolder: project.folder, bare: true }),
    await createBackend({ projectFolder: project.folder, bare: true }),
  ];
  const types = "select typname, typnotnull from pg_type where typname in ('mail', 'later') order by 1";
  try {
    await wanted.sql(
      "create domain mail as text not null check (value like '%@%'); create domain later as int not null",
    );
    await made.sql("create domain later as int");
    expect(await completeDiff(made.database, wanted.database)).toMatchObject({ missing: "" });
    expect(await made.sql(types)).toEqual(await wanted.sql(types));
  } finally {
    await wanted.drop();
    await made.drop();
    await project.remove();
  }
});

test("extensions are made as a hosted project has them: without their comments, pg_cron where it always is", async () => {
  const project = new Project();
  const [wanted, made] = [
    await createBackend({ projectFolder: project.folder, bare: true }),
    await createBackend({ projectFolder: project.folder, bare: true }),
  ];
  try {
    await wanted.sql(
      "create extension pg_cron; create extension hstore with schema extensions; create table public.t (tags extensions.hstore); comment on table public.t is 'kept'",
    );
    const diff = await completeDiff(made.database, wanted.database);
    expect(diff.missing).toBe("");
    expect(diff.sql.match(/^(CREATE EXTENSION|COMMENT).*$/gm)).toEqual([
      'CREATE EXTENSION IF NOT EXISTS "hstore" SCHEMA "extensions";',
      'CREATE EXTENSION IF NOT EXISTS "pg_cron";',
      `COMMENT ON TABLE "public"."t" IS 'kept';`,
    ]);
    expect(await made.sql("select count(*)::int as n from cron.job")).toEqual([{ n: 0 }]);
    // A hosted project may have them already, by its dashboard.
    await made.sql(diff.sql.match(/^CREATE EXTENSION.*$/gm)?.join("\n") ?? "");
  } finally {
    await wanted.drop();
    await made.drop();
    await project.remove();
  }
});
