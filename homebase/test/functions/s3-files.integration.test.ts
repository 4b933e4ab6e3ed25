/** Buckets as folders of a function's file system (Supabase's guide "File Storage"; supabase/edge-runtime, pull 429). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { S3_ACCESS_KEY_ID, S3_ACCESS_KEY_SECRET } from "../../src/storage/kit/s3-keys.ts";
import { createBackend } from "../../wings/testing.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";
import { adminOf } from "../storage/fixture.ts";

const project = folderForThisFile("mounts");
const functionsFolder = join(project, "supabase", "functions");

const attempt = (code: string) =>
  `const tried = async (work) => { try { return await work(); } catch (error) { return error.name + ": " + error.message; } };
   const names = async (path) => { const all = []; for await (const one of Deno.readDir(path)) all.push(one.name + (one.isDirectory ? "/" : "")); return all.sort(); };
   Deno.serve(async () => Response.json(await (async () => { ${code} })()));`;

const FUNCTIONS: Record<string, string> = {
  whole: attempt(`
    await Deno.writeTextFile("/s3/box/notes/a & b's (1).txt", "first");
    await Deno.writeTextFile("/s3/box/notes/a & b's (1).txt", ", second", { append: true });
    await Deno.writeFile(new URL("file:///s3/box/bytes.bin"), new Uint8Array([1, 2, 3]));
    await Deno.mkdir("/s3/box/made", { recursive: true });
    return { text: await Deno.readTextFile("/s3/box/notes/a & b's (1).txt"), bytes: [...await Deno.readFile("/s3/box/bytes.bin")],
      root: await names("/s3/box"), notes: await names("/s3/box/notes/"), made: await names("/s3/box/made"),
      file: await Deno.stat("/s3/box/bytes.bin").then(({ isFile, size, mtime }) => [isFile, size, mtime instanceof Date]),
      folder: (await Deno.stat("/s3/box/notes")).isDirectory, bucket: (await Deno.stat("/s3/box")).isDirectory,
      real: await Deno.realPath("/s3/box/./notes/../bytes.bin") };`),
  errors: attempt(`
    return [await tried(() => Deno.readFile("/s3/box/nothing")), await tried(() => Deno.stat("/s3/nobody")),
      await tried(() => names("/s3/box/nowhere")), await tried(() => Deno.writeTextFile("/s3/box/bytes.bin", "x", { createNew: true })),
      await tried(() => Deno.mkdir("/s3/box/notes")), await tried(() => Deno.remove("/s3/box/notes")),
      await tried(() => Deno.open("/s3/box/nothing")), await tried(() => Deno.writeTextFile("/s3/box/ü", "")), await tried(() => Deno.readFile("/s3"))];`),
  sync: `let early; try { Deno.readFileSync("/s3/box/bytes.bin"); } catch (error) { early = error.name + ": " + error.message; }
    Deno.serve(() => new Response(early));`,
  handles: attempt(`
    const file = await Deno.create("/s3/box/handle.txt");
    await file.write(new TextEncoder().encode("hello world")); await file.seek(6, 0); await file.write(new TextEncoder().encode("there")); file.close();
    const again = await Deno.open("/s3/box/handle.txt"); const text = await new Response(again.readable).text();
    const piped = await Deno.open("/s3/box/piped.txt", { write: true, create: true });
    await new Blob(["from a stream"]).stream().pipeTo(piped.writable);
    return [text, await Deno.readTextFile("/s3/box/piped.txt")];`),
  removes: attempt(`
    await Deno.remove("/s3/box/bytes.bin"); await Deno.remove("/s3/box/notes", { recursive: true });
    return [await tried(() => Deno.remove("/s3/box/bytes.bin")), await Deno.remove("/s3/box/made"), await names("/s3/box")];`),
};

for (const [name, code] of Object.entries(FUNCTIONS))
  writeFiles(functionsFolder, { [`${name}/index.ts`]: code });
const open = Object.keys(FUNCTIONS).map((name) => `[functions.${name}]\nverify_jwt = false`);
writeFiles(project, { "supabase/config.toml": `project_id = "mounts"\n${open.join("\n")}` });
const backend = await forThisFile(createBackend({ projectFolder: project, bare: true }));
beforeAll(() => adminOf(backend).storage.createBucket("box"));

async function call(name: string): Promise<unknown> {
  const response = await fetch(`${backend.url}/functions/v1/${name}`);
  const text = await response.text();
  expect(response.status, backend.logs.at(-1)?.message).toBe(200);
  return text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
}

test("without the secrets a call says which are missing", async () => {
  expect(((await call("errors")) as string[])[0]).toBe(
    "NotFound: No bucket is mounted at /s3/box/nothing: set the secrets S3FS_ENDPOINT_URL, S3FS_REGION, S3FS_ACCESS_KEY_ID and S3FS_SECRET_ACCESS_KEY.",
  );
  writeFileSync(
    join(functionsFolder, ".env"),
    `S3FS_ENDPOINT_URL=${backend.url}/storage/v1/s3\nS3FS_REGION=local\nS3FS_ACCESS_KEY_ID=${S3_ACCESS_KEY_ID}\nS3FS_SECRET_ACCESS_KEY=${S3_ACCESS_KEY_SECRET}\n`,
  );
  await expect.poll(async () => ((await call("errors")) as string[])[0]).not.toContain("S3FS_");
});

test("files are written, read and listed in the bucket", async () => {
  expect(await call("whole")).toEqual({
    text: "first, second",
    bytes: [1, 2, 3],
    root: ["bytes.bin", "made/", "notes/"],
    notes: ["a & b's (1).txt"],
    made: [],
    file: [true, 3, true],
    folder: true,
    bucket: true,
    real: "/s3/box/bytes.bin",
  });
  const { data } = await adminOf(backend).storage.from("box").download("bytes.bin");
  expect(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(new Uint8Array([1, 2, 3]));
});

test("what is not there, is there already or has content fails as in Deno", async () => {
  expect(await call("errors")).toEqual([
    "NotFound: No such file or directory (os error 2): '/s3/box/nothing'",
    "NotFound: No such file or directory (os error 2): '/s3/nobody'",
    "NotFound: No such file or directory (os error 2): '/s3/box/nowhere'",
    "AlreadyExists: File exists: /s3/box/bytes.bin",
    "AlreadyExists: File exists: /s3/box/notes",
    "Error: Directory not empty (os error 39): remove '/s3/box/notes'",
    "NotFound: No such file or directory (os error 2): '/s3/box/nothing'",
    "Error: Invalid key: ü: '/s3/box/ü'",
    "NotFound: A path of a bucket is /s3/BUCKET/PATH.",
  ]);
  expect(await call("sync")).toBe(
    "PermissionDenied: Deno.readFileSync cannot wait for a bucket; use the asynchronous form",
  );
});

test("open files are read, sought, written and streamed", async () => {
  expect(await call("handles")).toEqual(["hello there", "from a stream"]);
});

test("files and whole folders are removed", async () => {
  expect(await call("removes")).toEqual([
    "NotFound: No such file or directory (os error 2): '/s3/box/bytes.bin'",
    null,
    ["handle.txt", "piped.txt"],
  ]);
});
