/** Functions that are written, renamed, removed and checked out again while their stack runs. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../src/testing/index.ts";

let project: string;
let backend: TestBackend;

const functions = () => join(project, "supabase", "functions");
const save = (path: string, text: string) => {
  mkdirSync(dirname(join(project, path)), { recursive: true });
  writeFileSync(join(project, path), text);
};
const saying = (text: string) => `Deno.serve(() => new Response("${text}"));`;
const saveFunction = (name: string, code: string) => save(`supabase/functions/${name}/index.ts`, code);
const call = (name: string) =>
  fetch(`${backend.url}/functions/v1/${name}`, {
    headers: { apikey: backend.publishableKey, authorization: `Bearer ${backend.anonKey}` },
  });
const answer = async (name = "hello") => (await call(name)).text();
const becomes = (text: string, name = "hello") => expect.poll(() => answer(name)).toBe(text);

beforeEach(async () => {
  project = mkdtempSync(join(tmpdir(), "homebase-reload-"));
  save("supabase/config.toml", 'project_id = "reload"');
  backend = await createBackend({ projectFolder: project, bare: true });
});
afterEach(async () => {
  await backend.drop();
  rmSync(project, { recursive: true });
});

test("the first function of a project reloads when it is saved, also broken and mended", async () => {
  saveFunction("hello", saying("one"));
  expect(await answer()).toBe("one");
  saveFunction("hello", saying("two"));
  await becomes("two");
  saveFunction("hello", "Deno.serve(() => {");
  await expect.poll(async () => (await call("hello")).status).toBe(503);
  saveFunction("hello", saying("three"));
  await becomes("three");
});

test("a folder that was removed and made again, as by git checkout, is what is served", async () => {
  saveFunction("hello", saying("one"));
  expect(await answer()).toBe("one");
  for (const folder of [functions(), join(functions(), "hello"), join(project, "supabase")]) {
    rmSync(folder, { recursive: true });
    await expect.poll(async () => (await call("hello")).status).toBe(404);
    saveFunction("hello", saying(`back in ${folder.length}`));
    await becomes(`back in ${folder.length}`);
    saveFunction("hello", saying("edited"));
    await becomes("edited");
    // Too fast for anyone to see the folder missing.
    rmSync(folder, { recursive: true });
    saveFunction("hello", saying("at once"));
    await becomes("at once");
    saveFunction("hello", saying("edited again"));
    await becomes("edited again");
  }
});

test("a renamed function answers by its new name only, and a file that an editor replaces reloads", async () => {
  saveFunction("hello", saying("one"));
  expect(await answer()).toBe("one");
  renameSync(join(functions(), "hello"), join(functions(), "renamed"));
  await expect.poll(async () => (await call("hello")).status).toBe(404);
  expect(await answer("renamed")).toBe("one");
  for (const text of ["two", "three"]) {
    save("supabase/functions/renamed/index.ts.new", saying(text));
    renameSync(join(functions(), "renamed/index.ts.new"), join(functions(), "renamed/index.ts"));
    await becomes(text, "renamed");
  }
});

test("a shared file that appears later, or is reached by a link, reloads the functions made of it", async () => {
  saveFunction("hello", `import { word } from "../_shared/deep/word.ts"; ${saying("")}`);
  await expect.poll(async () => (await call("hello")).status).toBe(503);
  const speaking = `import { word } from "../_shared/deep/word.ts"; Deno.serve(() => new Response(word));`;
  saveFunction("hello", speaking);
  save("supabase/functions/_shared/deep/word.ts", `export const word = "one";`);
  await becomes("one");
  save("supabase/functions/_shared/deep/word.ts", `export const word = "two";`);
  await becomes("two");

  save("packages/deep/word.ts", `export const word = "linked";`);
  rmSync(join(functions(), "_shared"), { recursive: true });
  symlinkSync("../../packages", join(functions(), "_shared"));
  await becomes("linked");
  save("packages/deep/word.ts", `export const word = "linked and saved";`);
  await becomes("linked and saved");
});

test("an import map is part of the function, wherever it is", async () => {
  save("supabase/functions/one.ts", `export const word = "one";`);
  save("supabase/functions/two.ts", `export const word = "two";`);
  const map = (path: string, target: string) =>
    save(path, JSON.stringify({ imports: { word: `${target}.ts` } }));
  saveFunction("hello", `import { word } from "word"; Deno.serve(() => new Response(word));`);
  map("supabase/functions/hello/deno.json", "../one");
  expect(await answer()).toBe("one");
  map("supabase/functions/hello/deno.json", "../two");
  await becomes("two");

  save("supabase/functions/hello/deno.json", JSON.stringify({ importMap: "../../maps/imports.json" }));
  map("supabase/maps/imports.json", "../functions/one");
  await becomes("one");
  map("supabase/maps/imports.json", "../functions/two");
  await becomes("two");
});
