/** `homebase gen types`: the same types as the Supabase CLI's (zoo.*.txt are what its 3.1.0 prints), which tsc takes. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { applyStatements } from "../../../src/postgres/migrations.ts";
import { createBackend } from "../../../src/testing/index.ts";
import { Project } from "../project.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const root = join(import.meta.dirname, "../../../..");
const project = new Project();
const backend = await createBackend({ projectFolder: project.folder });
beforeAll(async () => {
  await applyStatements(
    backend.database,
    "zoo.sql",
    readFileSync(join(import.meta.dirname, "zoo.sql"), "utf8"),
  );
});
afterAll(async () => {
  await backend.drop();
  await project.remove();
});

const generate = async (...args: string[]) => {
  const { code, stdout, stderr } = await project.run(
    "gen",
    "types",
    "--db-url",
    backend.databaseUrl,
    ...args,
  );
  expect([code, stderr]).toEqual([0, ""]);
  return stdout;
};

/** The words of the type `Database`, without layout: separators, quotes that need not be, parentheses. */
function words(text: string): string[] {
  const from = text.indexOf("export type Database");
  const [body = ""] = text.slice(from).split("\ntype DatabaseWithoutInternals");
  const found = body.match(/"(?:[^"\\]|\\.)*"|'[^']*'|[\w$]+|[^\s\w]/g) ?? [];
  return found
    .map((word) => word.replace(/^'(.*)'$/, '"$1"').replace(/^"([A-Za-z_$][\w$]*)"$/, "$1"))
    .filter((word) => !/^[,;()]$/.test(word));
}

test.each([
  ["zoo.two-schemas.txt", ["--schema", "public,other"]],
  ["zoo.public.txt", ["--schema", "public"]],
])("the types are those of the Supabase CLI (%s)", async (file, args) => {
  const expected = words(readFileSync(join(import.meta.dirname, file), "utf8"));
  expect(words(await generate(...args))).toEqual(expected);
});

const WRITTEN = `
create schema written;
create table written.base(id int primary key, a text not null default 'x');
create function written.tg() returns trigger language plpgsql as $$ begin return new; end $$;
create view written.v_ins as select id, count(*) over () c from written.base;
create trigger t instead of insert on written.v_ins for each row execute function written.tg();
create view written.v_rule as select id, count(*) over () c from written.base;
create rule r as on insert to written.v_rule do instead insert into written.base(id) values (new.id);
create view written.v_del as select id, count(*) over () c from written.base;
create trigger t instead of delete on written.v_del for each row execute function written.tg();
create view written.v_all as select id, count(*) over () c from written.base;
create trigger t instead of insert or update on written.v_all for each row execute function written.tg();
create view written.v_mixed as select id, id + 1 c from written.base;
create trigger t instead of insert on written.v_mixed for each row execute function written.tg();`;

test("a view has the writes that its triggers and rules make, of all its columns", async () => {
  await applyStatements(backend.database, "written.sql", WRITTEN);
  const said = words(await generate("--schema", "written")).join(" ");
  const free = "{ c ? : number | null id ? : number | null }";
  const writes = Object.fromEntries(
    ["v_ins", "v_rule", "v_del", "v_all", "v_mixed"].map((view) => {
      const [, text] = new RegExp(`\\b${view} : \\{ (Row .*?) Relationships`).exec(said) ?? [];
      return [view, text?.replace(/^Row : \{[^}]*\} (ComputedFields : never ?)?/, "")];
    }),
  );
  expect(writes).toEqual({
    v_ins: `Insert : ${free}`,
    v_rule: `Insert : ${free}`,
    v_del: "",
    v_all: `Insert : ${free} Update : ${free}`,
    // Postgres itself changes the rows, and c is no column.
    v_mixed: `Insert : ${free} Update : { c ? : never id ? : number | null }`,
  });
});

test("the types of Nosh are those that the Supabase CLI has made of its migrations", async () => {
  await using nosh = await createBackend({ projectFolder: root });
  const made = await project.run("gen", "types", "--db-url", nosh.databaseUrl);
  const file = readFileSync(join(root, "web/src/lib/backend/database.types.ts"), "utf8");
  expect(words(made.stdout)).toEqual(words(file));
});

const USE = `
import { createClient } from "@supabase/supabase-js";
import { Constants, type CompositeTypes, type Database, type Enums, type Tables, type TablesInsert, type TablesUpdate } from "./types.ts";
const client = createClient<Database>("http://127.0.0.1", "key");
export async function use() {
  const parents = await client.from("parents").select("id, mood, children!children_parent_fkey(id)").single();
  const id: number | undefined = parents.data?.id;
  const child: string | undefined = parents.data?.children[0]?.id;
  await client.from("children").insert({ parent: 1 });
  // @ts-expect-error A parent is needed.
  await client.from("children").insert({});
  // @ts-expect-error An identity column takes no value.
  await client.from("parents").update({ id: 1 });
  const sum: number | null = (await client.rpc("add", { a: 1 })).data;
  // @ts-expect-error There is no such function.
  await client.rpc("nowhere");
  const mood: Enums<"mood"> = Constants.public.Enums.mood[0];
  const size: Enums<{ schema: "other" }, "size"> = "s";
  const thing: Tables<{ schema: "other" }, "things"> = { id: 1, parent: null };
  const simple: Tables<"simple">["name"] = "a";
  const row: TablesInsert<"children"> = { parent: 1 };
  const change: TablesUpdate<"children"> = {};
  const pair: CompositeTypes<"pair"> = { a: 1, b: null, m: mood };
  return [id, child, sum, mood, size, thing, simple, row, change, pair];
}
`;

test("tsc takes the file with supabase-js", async () => {
  const folder = mkdtempSync(join(root, "node_modules", ".types-"));
  try {
    writeFileSync(join(folder, "types.ts"), await generate("--schema", "public,other"));
    writeFileSync(join(folder, "use.ts"), USE);
    const options = [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "esnext",
      "--allowImportingTsExtensions",
    ];
    const tsc = join(root, "node_modules/.bin/tsc");
    let said = "";
    try {
      execFileSync(tsc, [...options, "--ignoreConfig", join(folder, "use.ts")], {
        encoding: "utf8",
        cwd: folder,
      });
    } catch (error) {
      said = String((error as { stdout?: string }).stdout);
    }
    expect(said).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("other languages and schemas that are not there are refused", async () => {
  expect((await project.run("gen", "types", "--lang", "go")).stderr).toContain(
    "npx supabase gen types --lang go",
  );
  const { code, stderr } = await project.run(
    "gen",
    "types",
    "--schema",
    "nowhere",
    "--db-url",
    backend.databaseUrl,
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining("no schema nowhere")]);
});
