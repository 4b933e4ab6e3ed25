/** Which error is returned when several apply: the request's content is checked before its caller. */
import { expect, test } from "vitest";
import { forThisFile } from "../for-this-file.ts";
import { answer, ask, refusal, storageBackend } from "./fixture.ts";

const backend = await forThisFile(storageBackend());

const invalid = (message: string) => refusal(400, "400", "Error", message, "InvalidRequest");

test.each([
  ["POST", "/bucket", {}, "body must have required property 'name'"],
  [
    "POST",
    "/bucket",
    { name: "a", file_size_limit: "5MiB" },
    "body/file_size_limit must match a schema in anyOf",
  ],
  ["PUT", "/bucket/a", { public: "perhaps" }, "body/public must be boolean"],
  ["POST", "/object/list/a", {}, "body must have required property 'prefix'"],
  ["POST", "/object/list/a", { prefix: "", offset: -1 }, "body/offset must be >= 0"],
  ["POST", "/object/list-v2/a", { limit: "x" }, "body/limit must be integer"],
  ["POST", "/object/move", { bucketId: "a" }, "body must have required property 'sourceKey'"],
  ["POST", "/object/copy", { bucketId: "a" }, "body must have required property 'sourceKey'"],
  ["DELETE", "/object/a", {}, "body must have required property 'prefixes'"],
  ["POST", "/object/sign/a/b", { expiresIn: 0 }, "body/expiresIn must be >= 1"],
  ["POST", "/object/sign/a", { expiresIn: 1 }, "body must have required property 'paths'"],
])(
  "%s %s with a body that its schema refuses says so, with a bad token and with none",
  async (method, path, json, text) => {
    for (const token of ["not.a.token", null]) {
      expect(await answer(ask(backend, method, path, { json, token }))).toEqual(invalid(text));
    }
  },
);

test.each([
  ["/bucket?limit=0", "querystring/limit must be >= 1"],
  ["/object/authenticated/a/b?download=1&download=2", "querystring/download must be string"],
])("GET %s is refused for its query before its token", async (path, text) => {
  expect(await answer(ask(backend, "GET", path, { token: "not.a.token" }))).toEqual(invalid(text));
});

test.each([
  ["a limit above the project's", "POST", "/bucket", { name: "a", file_size_limit: 1e12 }],
  ["a name that no bucket may have", "POST", "/bucket", { name: "a/b" }],
  ["a bucket's bad name", "POST", "/object/list/a~b", { prefix: "" }],
  ["a time that no date has", "POST", "/object/sign/a/b", { expiresIn: 1e300 }],
])("%s is no matter of the schema: the token is judged first", async (_what, method, path, json) => {
  expect(await answer(ask(backend, method, path, { json, token: "not.a.token" }))).toEqual(
    refusal(400, "403", "Unauthorized", "Invalid Compact JWS", "AccessDenied"),
  );
});
