/** A project with PostGIS through the commands: its dump starts another, which differs in nothing; its types are unknown. */
import { afterAll, expect, test, vi } from "vitest";
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

const projects: Project[] = [];
const projectOf = (files: Record<string, string>) => {
  const made = new Project(files);
  projects.push(made);
  return made;
};
afterAll(async () => {
  for (const one of projects) await one.remove();
});

test("the dump of a project with PostGIS makes one that differs in nothing, with its rows", async () => {
  const first = projectOf({
    "migrations/20260101000000_places.sql": MIGRATION,
    "seed.sql":
      "insert into public.places values (1, 'POINT(-73.946 40.807)'), (2, 'SRID=4326;POINT(1 2)', null);\n",
  });
  await first.start();
  expect(first.output).toContain("20260101000000_places.sql:1: postgis is emulated by Homebase");
  const diff = await first.run("db", "diff");
  expect([diff.code, diff.stdout.trim()]).toEqual([0, ""]);
  const schema = await first.run("db", "dump");
  const data = await first.run("db", "dump", "--data-only", "--use-copy");
  expect([schema.code, data.code]).toEqual([0, 0]);
  const types = await first.run("gen", "types");
  expect(types.stdout).toMatch(/at: unknown\n\s+id: number\n\s+shape: unknown\n/);
  expect(types.stdout).toContain("centre: unknown\n");

  const second = projectOf({ "migrations/20260101000000_dump.sql": schema.stdout, "seed.sql": data.stdout });
  await second.start();
  expect(second.output).not.toContain("could not");
  const again = await second.run("db", "dump");
  expect(again.stdout).toBe(schema.stdout);
  const rows = await second.run(
    "db",
    "query",
    "select id, extensions.st_asewkt(at) as at from public.places order by id",
  );
  expect(rows.stdout).toContain("SRID=4326;POINT(-73.946 40.807)");
  const near = await second.run("db", "query", "select id from public.near('POINT(1 2)', 10)");
  expect(near.stdout).toMatch(/\b2\b/);
});
