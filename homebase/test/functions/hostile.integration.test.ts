/** Arbitrary names, paths and bodies: rejected by the service, or passed to the function unchanged. */
import { rmSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { createBackend } from "../../src/testing/index.ts";
import { projectWith } from "../background/project.ts";

const FOLDER = projectWith(
  "",
  {},
  {
    length: "Deno.serve(async (request) => new Response(String((await request.arrayBuffer()).byteLength)));",
  },
);
const backend = await createBackend({ projectFolder: FOLDER });
afterAll(async () => {
  await backend.drop();
  rmSync(FOLDER, { recursive: true, force: true });
});

const call = (path: string, body = "") =>
  fetch(`${backend.url}/functions/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${backend.anonKey}`, "content-type": "application/json" },
    body,
  });

it.each([
  "%00",
  "a%00b",
  "..%2f..%2fetc",
  "%",
  "%ff",
  "a".repeat(5_000),
  "__proto__",
  "constructor",
  "length%00",
])("a name that no function has is not found: %s", async (name) => {
  const response = await call(name);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ code: "NOT_FOUND" });
});

it("a function gets deep JSON, NULs and halves of surrogate pairs as they were sent", async () => {
  const bodies = ["[".repeat(100_000) + "]".repeat(100_000), "\0", '{"a":"\\u0000"}', '{"a":"\\ud800"}'];
  for (const body of bodies) {
    const response = await call("length/%00?a=%00", body);
    expect([response.status, await response.text()]).toEqual([200, String(body.length)]);
  }
});
