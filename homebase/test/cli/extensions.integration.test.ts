/** Messages about extensions that are not the real ones: at the start, in status, in errors. */
import { afterEach, expect, test } from "vitest";
import { Project } from "./project.ts";

const projects: Project[] = [];

function project(files: Record<string, string>): Project {
  const made = new Project(files);
  projects.push(made);
  return made;
}

afterEach(async () => {
  for (const one of projects.splice(0)) await one.remove();
}, 180_000);

test("the start names the line of each, status the class, and a refused one stops its migration", async () => {
  const one = project({
    "migrations/20260101000000_search.sql":
      "create extension if not exists vector with schema extensions;\n" +
      "create extension if not exists pg_trgm with schema extensions;\n\n" +
      "create extension hypopg with schema extensions;\n",
    "migrations/20260102000000_maps.sql": "create table public.plain (id int);\ncreate extension postgis;\n",
  });
  await one.start();
  const search = "supabase/migrations/20260101000000_search.sql";
  expect(one.output).toContain(`${search}:1: vector is emulated by Homebase: search is exact`);
  expect(one.output).toContain(`${search}:4: hypopg is inert: its library is not available`);
  expect(one.output).not.toContain("pg_trgm");
  expect(one.output).toContain(
    "supabase/migrations/20260102000000_maps.sql:2:1: postgis is not part of Homebase, as it needs a compiled library. (0A000)",
  );
  expect(one.output).toContain("hint: Install postgis for PostgreSQL 17 on this machine");

  const status = JSON.parse((await one.run("status", "--json")).stdout) as {
    extensions: { name: string; class: string; version: string; differs: string }[];
  };
  const classes = Object.fromEntries(status.extensions.map((each) => [each.name, each.class]));
  expect(classes).toEqual({
    hypopg: "inert",
    pg_stat_statements: "real",
    pg_trgm: "real",
    pgcrypto: "real",
    plpgsql: "real",
    supabase_vault: "stand-in",
    "uuid-ossp": "real",
    vector: "stand-in",
  });
  expect(status.extensions.find(({ name }) => name === "vector")).toMatchObject({ version: "0.8.0" });
  expect((await one.run("status")).stdout).toMatch(/Extensions, stand-in\s+supabase_vault, vector/);
});
