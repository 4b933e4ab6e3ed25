/** What takes the place of a remote module that cannot be loaded. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/config.ts";
import {
  adviceFor,
  substituteFor,
  substitutesOf,
  unreached,
} from "../../../src/functions/modules/substitutes.ts";
import { findFunction } from "../../../src/functions/project-functions.ts";
import { projectWith } from "../../background/project.ts";

test.each([
  ["https://esm.sh/@supabase/supabase-js@2.39.3", "npm:@supabase/supabase-js@2.39.3"],
  ["https://esm.sh/stripe@14.21.0?target=deno&no-check", "npm:stripe@14.21.0"],
  ["https://esm.sh/v135/@aws-sdk/client-s3@3.1.0/dist/x.js", "npm:@aws-sdk/client-s3@3.1.0/dist/x.js"],
  ["https://cdn.skypack.dev/dayjs", "npm:dayjs"],
  ["https://cdn.jsdelivr.net/npm/marked@9/+esm", "npm:marked@9"],
  ["https://unpkg.com/nanoid@5.0.0/index.browser.js", "npm:nanoid@5.0.0/index.browser.js"],
  ["https://deno.land/x/zod@v3.22.4/mod.ts", "npm:zod@3.22.4"],
  ["https://deno.land/x/jose@v4.14.4/index.ts", "npm:jose@4.14.4"],
  ["jsr:@supabase/supabase-js@2", "npm:@supabase/supabase-js@2"],
  ["jsr:@hono/hono@4/cors", "npm:hono@4/cors"],
])("%s is %s", (specifier, target) => {
  expect(substituteFor(specifier)?.target).toBe(target);
});

test.each([
  "jsr:@supabase/functions-js/edge-runtime.d.ts",
  "https://esm.sh/v135/@supabase/functions-js@2.3.1/src/edge-runtime.d.ts",
  "https://deno.land/x/xhr@0.1.0/mod.ts",
  "https://deno.land/std@0.168.0/dotenv/load.ts",
])("%s is an empty module", (specifier) => {
  expect(substituteFor(specifier)?.target).toBe("data:text/javascript,export%20%7B%7D%3B");
});

test.each([
  "jsr:@std/path@1",
  "https://deno.land/std@0.168.0/path/mod.ts",
  "https://deno.land/x/oak@v12/mod.ts",
  "https://example.test/module.ts",
  "https://raw.githubusercontent.com/a/b/main/mod.ts",
])("nothing stands for %s", (specifier) => {
  expect(substituteFor(specifier)).toBeUndefined();
});

test("subpaths of what is replaced, and of what JSX comes from, are replaced with it", () => {
  const folder = projectWith(
    "",
    {},
    {
      hello: `/** @jsxImportSource https://esm.sh/react@18.2.0 */\nimport "react/jsx-runtime";\n`,
    },
  );
  const imports = {
    react: "https://esm.sh/react@18.2.0",
    "hono/": "https://esm.sh/hono@4/",
    "@supabase/functions-js": "jsr:@supabase/functions-js@^2",
    kept: "npm:kept@1",
  };
  writeFileSync(join(folder, "supabase/functions/hello/deno.json"), JSON.stringify({ imports }));
  const hello = findFunction(loadConfig({ named: folder, environment: {} }), "hello");
  expect(hello && substitutesOf(hello)?.map.imports).toEqual({
    react: "npm:react@18.2.0",
    "react/": "npm:/react@18.2.0/",
    "hono/": "npm:/hono@4/",
    "@supabase/functions-js": "npm:@supabase/functions-js@^2",
    "@supabase/functions-js/": "npm:/@supabase/functions-js@^2/",
    "@supabase/functions-js/edge-runtime.d.ts": "data:text/javascript,export%20%7B%7D%3B",
    "https://esm.sh/react@18.2.0/jsx-runtime": "npm:react@18.2.0/jsx-runtime",
    kept: "npm:kept@1",
    "kept/": "npm:/kept@1/",
  });
});

test("what is kept of a deno.json has the subpaths that Deno would add, and an import map only its own", () => {
  const typed = `import "jsr:@supabase/functions-js/edge-runtime.d.ts";\n`;
  const folder = projectWith("", {}, { config: typed, named: typed });
  const file = (path: string, content: unknown) =>
    writeFileSync(join(folder, "supabase/functions", path), JSON.stringify(content));
  const imports = { "orm/": "npm:/orm@2/dist/", orm: "npm:orm@2", hono: "npm:hono@4", own: "./own.ts" };
  file("config/deno.json", { imports, scopes: { "./old/": { hono: "npm:hono@3" } } });
  file("named/deno.json", { importMap: "./names.json" });
  file("named/names.json", { imports: { hono: "npm:hono@4" } });
  const config = loadConfig({ named: folder, environment: {} });
  const mapOf = (name: string) => {
    const found = findFunction(config, name);
    return found && substitutesOf(found)?.map;
  };
  const types = {
    "jsr:@supabase/functions-js/edge-runtime.d.ts": "data:text/javascript,export%20%7B%7D%3B",
  };
  expect(mapOf("config")).toEqual({
    imports: {
      orm: "npm:orm@2",
      "orm/": "npm:/orm@2/dist/",
      hono: "npm:hono@4",
      "hono/": "npm:/hono@4/",
      own: pathToFileURL(join(folder, "supabase/functions/config/own.ts")).href,
      ...types,
    },
    scopes: { "./old/": { hono: "npm:hono@3", "hono/": "npm:/hono@3/" } },
  });
  expect(mapOf("named")?.imports).toEqual({ hono: "npm:hono@4", ...types });
});

test("only an address that could not be fetched is one", () => {
  expect(unreached("error: Import 'https://esm.sh/x@1' failed.\n    0: error sending request")).toBe(
    "https://esm.sh/x@1",
  );
  expect(
    unreached(
      "error: JSR package manifest for '@std/path' failed to load. Import 'https://jsr.io/@std/path/meta.json' failed.",
    ),
  ).toBe("https://jsr.io/@std/path/meta.json");
  expect(unreached('error: Module not found "https://esm.sh/x@1".')).toBeUndefined();
  expect(unreached(undefined)).toBeUndefined();
  expect(adviceFor("https://jsr.io/@std/path/meta.json")).toMatch(/^jsr\.io cannot be reached/);
});
