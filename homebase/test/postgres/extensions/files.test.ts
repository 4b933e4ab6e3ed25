/** The files of extensions, warnings about weaker ones, and rewritten statements. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { addedExtensions } from "../../../src/postgres/extensions/extension-files.ts";
import {
  blankOptions,
  statementToSend,
  textToSend,
} from "../../../src/postgres/extensions/file-statements.ts";
import { systemExtensions } from "../../../src/postgres/extensions/system.ts";
import { weakExtensions } from "../../../src/postgres/extensions/uses.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder with these files. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "homebase-extensions-"));
  folders.push(folder);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("real extensions of this machine", () => {
  const VECTOR = {
    "vector.control": "default_version = '0.8.1'\nmodule_pathname = '$libdir/vector'\nrelocatable = true\n",
    "vector--0.8.1.sql": "-- the real one",
  };
  const found = (folder: string) => systemExtensions({ HOMEBASE_EXTENSIONS: folder });

  it("are taken from a folder that the user names, as an installation or flat, and may be created by postgres", () => {
    const installed = Object.fromEntries(
      Object.entries(VECTOR).map(([name, text]) => [`share/extension/${name}`, text]),
    );
    for (const files of [
      { ...VECTOR, "vector.so": "" },
      { ...installed, "lib/vector.so": "" },
    ]) {
      const folder = folderWith(files);
      const { names, files: texts, libraries } = found(folder);
      expect(names).toContain("vector");
      expect(texts.find(({ name }) => name === "vector.control")?.text).toMatch(
        /^superuser = true\ntrusted = true$/m,
      );
      expect(texts.find(({ name }) => name === "vector--0.8.1.sql")?.text).toBe("-- the real one");
      expect(
        libraries.filter((path) => path.startsWith(folder)).map((path) => path.split("/").pop()),
      ).toEqual(["vector.so"]);
    }
  });

  it("may name their libraries in the script alone, and are taken without a great many updates", () => {
    const script = "create function f() returns int language c as '$libdir/postgis_topology-3', 'f';";
    const files = {
      "postgis_topology.control": "default_version = '3.5.0'\nrequires = postgis\n",
      "postgis_topology--3.5.0.sql": script,
      "postgis_topology--3.4.0--3.5.0.sql": `-- ${"x".repeat(11 * 1024 ** 2)}`,
    };
    expect(found(folderWith(files)).names).not.toContain("postgis_topology");
    const { names, files: texts, libraries } = found(folderWith({ ...files, "postgis_topology-3.so": "" }));
    expect(names).toContain("postgis_topology");
    expect(libraries.map((path) => path.split("/").pop())).toContain("postgis_topology-3.so");
    const own = texts.map(({ name }) => name).filter((name) => name.startsWith("postgis_topology-"));
    expect(own).toEqual(["postgis_topology--3.5.0.sql"]);
  });

  it("are not taken without their library, and not in place of what Homebase does itself", () => {
    expect(found(folderWith(VECTOR)).names).not.toContain("vector");
    expect(
      found(folderWith({ "http.control": "default_version = '1.6'\n", "http--1.6.sql": "" })).names,
    ).not.toContain("http");
    expect(found(join(tmpdir(), "homebase-not-there")).names).not.toContain("vector");
  });
});

it("lays one control file for each extension", () => {
  const names = addedExtensions().files.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining(["vector--0.8.0.sql", "pgmq.control", "pgtap.control", "pgrouting--0.sql"]),
  );
});

it("names the first line that creates a weaker extension, outside of strings and comments", () => {
  const first = `-- create extension postgis;
select 'create extension rum';
create table a (b int);

  -- for search
create extension if not exists "vector" with schema extensions;
CREATE EXTENSION pgcrypto;
create extension Hypopg cascade;`;
  expect(
    weakExtensions([
      { path: "one.sql", sql: first },
      { path: "two.sql", sql: "create extension vector;" },
    ]).map(({ name, class: kind, file, line }) => `${file}:${line} ${name} ${kind}`),
  ).toEqual(["one.sql:6 vector stand-in", "one.sql:8 hypopg inert"]);
});

describe("an index of vectors", () => {
  it.each([
    "create index on a using hnsw (b vector_l2_ops) with (m = 16, ef_construction = 64)",
    'CREATE INDEX "i" ON "a" USING "hnsw" ("b" "public"."vector_ip_ops") WITH ("m"=\'16\')',
    "create index concurrently i on a using ivfflat ((b::halfvec(3)) halfvec_l2_ops)\n  with (lists = 100) where b is not null",
  ])("is made without its options, and with everything else in its place: %s", (statement) => {
    const sent = blankOptions(statement);
    expect(sent).not.toMatch(/with/i);
    expect(sent).toHaveLength(statement.length);
    expect(statement.replace(/with \([^)]*\)/i, "").replaceAll(/\s/g, "")).toBe(sent.replaceAll(/\s/g, ""));
  });
  it.each([
    "create index on a using btree (b) with (fillfactor = 70) -- not hnsw (b)",
    "comment on index i is 'create index on a using hnsw (b) with (m = 1)'",
    "create index on a using gin (b) with (fastupdate = off) where c = 'using hnsw ('",
    "create table hnsw (a int) with (fillfactor = 70)",
  ])("is what is meant, and nothing else: %s", (statement) => {
    expect(blankOptions(statement)).toBe(statement);
  });
});

it("moves an extension by the function that lends the right, and quotes what it is given", () => {
  expect(statementToSend('-- why\nalter extension "uuid-ossp" set schema Extensions')).toBe(
    "select pg_catalog.homebase_move_extension('uuid-ossp', 'extensions')",
  );
  expect(statementToSend(`alter extension "a'b" set schema "c""d"`)).toBe(
    `select pg_catalog.homebase_move_extension('a''b', 'c"d')`,
  );
  expect(statementToSend("alter extension citext update")).toBe("alter extension citext update");
});

it("creates an extension that only pg_tle can have by its call, where pg_tle has it", () => {
  const sent = (text: string) =>
    /pgtle\.(?:create|update)_extension\([^)]*\);/.exec(statementToSend(text))?.[0];
  expect(sent('create extension if not exists "A""b" with schema S version \'1.0\' cascade')).toBe(
    `pgtle.create_extension(''A"b'', ''1.0'', ''s'', true, true);`,
  );
  expect(sent("-- A comment.\ncreate extension mine version two")).toBe(
    "pgtle.create_extension(''mine'', ''two'', null, false, false);",
  );
  expect(sent("alter extension mine update to '2'")).toBe("pgtle.update_extension(''mine'', ''2'');");
  expect(sent("create extension hstore schema extensions")).toBeUndefined();
  expect(textToSend("select 1; select 'extension'")).toBe("select 1; select 'extension'");
  expect(textToSend("select 1; create extension mine")).toMatch(/^select 1;\ndo '/);
});
