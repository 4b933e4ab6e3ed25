/** Functions whose remote modules cannot be loaded: nothing answers, and Deno's cache is empty. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { folderForThisFile, forThisFile, writeFiles } from "../for-this-file.ts";

const FILES: Record<string, string> = {
  "old/index.ts": `import "https://deno.land/x/xhr@0.1.0/mod.ts";
    import { serve } from "https://deno.land/std@0.168.0/http/server.ts";
    import { encode, decode } from "https://deno.land/std@0.168.0/encoding/base64.ts";
    serve(async (request: Request) => new Response(await request.text() + encode("ä") + decode("YQ==")[0]), { onListen() {} });`,
  "typed/index.ts": `import "jsr:@supabase/functions-js/edge-runtime.d.ts";
    import { encodeBase64 } from "jsr:@std/encoding@1/base64";
    Deno.serve(() => new Response(encodeBase64(new Uint8Array([1, 2]))));`,
  "mapped/index.ts": `import { serve } from "server"; import { word } from "words/one.ts"; serve(() => new Response(word));`,
  "mapped/deno.json": `{ "imports": { "server": "https://deno.land/std@0.177.0/http/server.ts", "words/": "./words/" } }`,
  "mapped/words/one.ts": `export const word: string = "mapped";`,
  "missing/index.ts": `import { join } from "jsr:@std/path@1"; Deno.serve(() => new Response(join("a", "b")));`,
};

const project = folderForThisFile("offline", { "supabase/config.toml": 'project_id = "offline"\n' });
writeFiles(join(project, "supabase", "functions"), FILES);
// The discard port: nothing listens there.
const nowhere = "http://127.0.0.1:9";
const environment = {
  HTTPS_PROXY: nowhere,
  JSR_URL: nowhere,
  DENO_DIR: join(project, "deno"),
  HOME: project,
};
const backend = await forThisFile(
  createBackend({ projectFolder: project, bare: true, config: { environment } }),
);

const call = (name: string) =>
  fetch(`${backend.url}/functions/v1/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${backend.anonKey}` },
    body: "x",
  });
const logged = () => backend.logs.map(({ message }) => message).join("\n");

test("a function of an earlier time serves with what is here, and the log names what was replaced", async () => {
  expect(await (await call("old")).text()).toBe("xw6Q=97");
  expect(logged()).toContain(
    "https://deno.land/std@0.168.0/http/server.ts cannot be loaded on this machine. In its place: Deno.serve.",
  );
});

test("types of JSR are none at run time", async () => {
  expect(await (await call("typed")).text()).toBe("AQI=");
});

test("the function's own import map counts besides", async () => {
  expect(await (await call("mapped")).text()).toBe("mapped");
});

test("a module that nothing stands for is answered with what to do", async () => {
  const answer = await call("missing");
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({
    code: "BOOT_ERROR",
    details: expect.stringMatching(
      /cannot be reached, and Deno's cache does not have this module\. Call the function once/,
    ),
  });
});
