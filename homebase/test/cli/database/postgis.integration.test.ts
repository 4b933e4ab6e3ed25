/** A project with PostGIS through the commands: its dump makes an equal database, its types are unknown. */
import { afterAll, expect, test, vi } from "vitest";
import { applyStatements } from "../../../src/postgres/migrations.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { Project } from "../project.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const MIGRATION = `create extension if not exists postgis with schema extensions;
create table public.places (
  id int primary key, at extensions.geography(Point,4326) not null, shape extensions.geometry(Polygon,4326) default 'SRID=4326;POLYGON((0 0,1 0,1 1,0 0))',
  check (extensions.st_isvalid(shape))
);
create index places_at on public.places using gist (at);
create index places_shape on public.places using gist (shape);
create view public.centres as select id, extensions.st_centroid(shape) as centre from public.places;
create function public.near(here extensions.geography, metres float8) returns setof public.places language sql stable
  as $$ select * from public.places where extensions.st_dwithin(at, here, metres) $$;
`;

const project = new Project({ "migrations/20260101000000_places.sql": MIGRATION });
const full = await createBackend({ projectFolder: project.folder });
const empty = await createBackend({ projectFolder: project.folder, bare: true });
afterAll(async () => {
  await full.drop();
  await empty.drop();
  await project.remove();
});

test("the dump of a project with PostGIS makes an equal database, and its types are unknown", async () => {
  const schema = await project.run("db", "dump", "--db-url", full.databaseUrl);
  expect([schema.code, schema.stderr]).toEqual([0, ""]);
  await applyStatements(empty.database, "dump.sql", schema.stdout);
  const again = await project.run("db", "dump", "--db-url", empty.databaseUrl);
  expect(again.stdout).toBe(schema.stdout);
  const types = await project.run("gen", "types", "--db-url", full.databaseUrl);
  expect(types.stdout).toMatch(/at: unknown\n\s+id: number\n\s+shape: unknown\n/);
});
