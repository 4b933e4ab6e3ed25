/** `homebase seed`: what was added to config.toml and the seed files while the stack runs. */
import { afterAll, expect, test, vi } from "vitest";
import { Project } from "../project.ts";

vi.setConfig({ testTimeout: 240_000 });

const CONFIG =
  'project_id = "seed"\n[db.seed]\nsql_paths = ["./seeds/*.sql"]\n[storage.buckets.pictures]\npublic = true\nobjects_path = "./pictures"\n[storage.vector.buckets.meanings]\n';
const project = new Project({
  "migrations/20260101000000_notes.sql": "create table public.notes (id int primary key);",
  "seeds/a.sql": "insert into public.notes values (1);",
  "config.toml": 'project_id = "seed"\n[db.seed]\nsql_paths = ["./seeds/*.sql"]\n',
});
afterAll(() => project.remove());

test("buckets and seed files that came after the start are brought in, once", async () => {
  expect((await project.run("seed", "data")).stderr).toContain("is not running");
  await project.start();
  expect((await project.run("seed", "data")).stdout).toBe("Every seed file was run before.\n");
  project.write("seeds/b.sql", "insert into public.notes values (2);");
  expect(await project.run("seed", "data")).toMatchObject({
    code: 0,
    stdout: "Seeded from supabase/seeds/b.sql\n",
  });
  expect((await (await project.rest("notes?select=id")).json()) as unknown).toEqual([{ id: 1 }, { id: 2 }]);
  project.write("seeds/b.sql", "insert into public.notes values (20);");
  expect(await project.run("seed", "data")).toMatchObject({
    code: 0,
    stdout: "Every seed file was run before.\n",
    stderr: "supabase/seeds/b.sql has changed since it was run. homebase reset runs it on a new database.\n",
  });
  project.write("seeds/b.sql", "insert into public.notes values (2);");
  project.write("seeds/c.sql", "insert into public.notes values (3);\ninsert into nowhere values (1);");
  expect(await project.run("seed", "data")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/c\.sql:2/),
  });

  expect((await project.run("seed", "buckets")).stdout).toContain("no buckets");
  project.write("pictures/below/a b.svg", "<svg/>");
  project.write("config.toml", CONFIG);
  expect(await project.run("seed", "buckets")).toMatchObject({
    code: 0,
    stdout: "Created vector bucket meanings\nCreated bucket pictures, stored 1 file\n",
  });
  const stored = await fetch(`${project.url}/storage/v1/object/public/pictures/below/a%20b.svg`);
  expect([await stored.text(), stored.headers.get("content-type")]).toEqual(["<svg/>", "image/svg+xml"]);
  // A setting that config.toml leaves out stays as it is, as after a start.
  project.write("config.toml", '[storage.buckets.pictures]\nobjects_path = "./pictures"\n');
  expect((await project.run("seed", "buckets")).stdout).toBe("Updated bucket pictures, stored 1 file\n");
  expect((await fetch(stored.url)).status).toBe(200);
  project.write(
    "config.toml",
    '[storage.buckets.pictures]\nallowed_mime_types = ["image/png"]\nobjects_path = "./pictures"\n',
  );
  expect(await project.run("seed", "buckets")).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/a b\.svg could not be stored in bucket pictures: /),
  });
  project.write("config.toml", CONFIG);
  expect((await project.run("seed", "buckets", "--json")).stdout).toBe(
    '{"buckets":[{"id":"pictures","made":false,"files":["below/a b.svg"]}],"vectorBuckets":[{"id":"meanings","made":false}]}\n',
  );
  await project.stop();
  await project.start("--exclude", "storage-api");
  expect(await project.run("seed", "buckets")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("The running stack has no storage"),
  });
});
