/** The services' router: the route of a method and a path, and its variables. */
import { describe, expect, test } from "vitest";
import { type Route, Router } from "../../src/http/router.ts";

const table: readonly Route<string>[] = [
  ["GET", "/", "root"],
  ["GET", "/bucket", "list"],
  ["GET", "/bucket/:bucket", "one"],
  ["POST", "/object/move", "move"],
  ["GET", "/object/info/:bucket/*key", "info"],
  ["GET", "/object/:bucket/*key", "read"],
  ["POST", "/object/:bucket/*key", "write"],
  ["*", "/sso", "sso"],
  ["*", "/sso/*key", "sso below"],
  ["GET", "/:name/last", "last"],
  ["HEAD", "/verify", "not allowed"],
  ["GET", "/verify", "verify"],
  ["HEAD", "/act/:name", "not allowed"],
  ["GET", "/act/:name", "act"],
];
const router = new Router<string, "bucket" | "key" | "name">(table);

describe("a route", () => {
  test.each<[string, string, string, Partial<Record<"bucket" | "key" | "name", string>>]>([
    ["GET", "/", "root", {}],
    ["GET", "/bucket", "list", {}],
    ["GET", "/bucket/photos", "one", { bucket: "photos" }],
    ["POST", "/object/move", "move", {}],
    ["GET", "/object/photos/a/b.png", "read", { bucket: "photos", key: "a/b.png" }],
    ["GET", "/object/info/photos/a", "info", { bucket: "photos", key: "a" }],
    ["GET", "/object/photos/", "read", { bucket: "photos", key: "" }],
    ["GET", "/object/photos//a", "read", { bucket: "photos", key: "/a" }],
    ["GET", "/object/a%2Fb/c%20d", "read", { bucket: "a%2Fb", key: "c%20d" }],
    ["DELETE", "/sso", "sso", {}],
    ["PATCH", "/sso/saml/acs", "sso below", { key: "saml/acs" }],
    ["GET", "/anything/last", "last", { name: "anything" }],
    ["GET", "/bucket/last", "one", { bucket: "last" }],
  ])("%s %s is %s with %j", (method, path, handler, values) => {
    expect(router.match(method, path)).toEqual({
      handler,
      values: { bucket: "", key: "", name: "", ...values },
    });
  });

  test.each([
    ["DELETE", "/bucket"],
    ["get", "/bucket"],
    ["GET", "/bucket/"],
    ["GET", "/bucket/a/b"],
    ["GET", "/object/photos"],
    ["GET", "/object//a"],
    ["GET", "/:name"],
    ["GET", "/buckets"],
    ["GET", "/constructor"],
    ["*", "/object/photos/a"],
  ])("%s %s is none", (method, path) => {
    expect(router.match(method, path)).toBeUndefined();
  });

  test("a path given as segments may hold a slash within one of them", () => {
    expect(router.match("GET", ["bucket", "a/b"])).toEqual({
      handler: "one",
      values: { bucket: "a/b", key: "", name: "" },
    });
  });
});

test.each([
  ["/bucket", "list"],
  ["/bucket/photos", "one"],
  ["/object/info/photos/a", "info"],
  ["/verify", "not allowed"],
  ["/act/now", "not allowed"],
])("HEAD %s is %s: it follows GET where the table has no route for it", (path, handler) => {
  expect(router.match("HEAD", path)?.handler).toBe(handler);
});

test("a table with a mistake is refused when it is compiled", () => {
  expect(() => new Router([["GET", "/a/*rest/b", "x"]])).toThrow(
    'The route GET /a/*rest/b has segments after its "*".',
  );
  const twice: readonly Route<string>[] = [
    ["GET", "/a", "x"],
    ["GET", "/a", "y"],
  ];
  expect(() => new Router(twice)).toThrow("The route GET /a is in the table twice.");
});
