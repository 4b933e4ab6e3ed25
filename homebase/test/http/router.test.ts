/** The services' router: the route of a method and a path, and its variables. */
import { describe, expect, test } from "vitest";
import { type Route, Router } from "../../src/http/router.ts";

const table: readonly Route<string>[] = [
  ["GET", "/", "root"],
  ["GET", "/bucket", "list"],
  ["GET", "/bucket/:bucket", "one"],
  ["POST", "/object/move", "move"],
  ["GET", "/object/info/:bucket/*", "info"],
  ["GET", "/object/:bucket/*", "read"],
  ["POST", "/object/:bucket/*", "write"],
  ["*", "/sso", "sso"],
  ["*", "/sso/*", "sso below"],
  ["GET", "/:name/last", "last"],
];
const router = new Router(table);

describe("a route", () => {
  test.each<[string, string, string, string[]]>([
    ["GET", "/", "root", []],
    ["GET", "/bucket", "list", []],
    ["GET", "/bucket/photos", "one", ["photos"]],
    ["POST", "/object/move", "move", []],
    ["GET", "/object/photos/a/b.png", "read", ["photos", "a/b.png"]],
    ["GET", "/object/info/photos/a", "info", ["photos", "a"]],
    ["GET", "/object/photos/", "read", ["photos", ""]],
    ["GET", "/object/photos//a", "read", ["photos", "/a"]],
    ["GET", "/object/a%2Fb/c%20d", "read", ["a%2Fb", "c%20d"]],
    ["DELETE", "/sso", "sso", []],
    ["PATCH", "/sso/saml/acs", "sso below", ["saml/acs"]],
    ["GET", "/anything/last", "last", ["anything"]],
    ["GET", "/bucket/last", "one", ["last"]],
  ])("%s %s is %s with %j", (method, path, handler, values) => {
    expect(router.match(method, path)).toEqual({ handler, values });
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
    expect(router.match("GET", ["bucket", "a/b"])).toEqual({ handler: "one", values: ["a/b"] });
  });
});

test("a table with a mistake is refused when it is compiled", () => {
  expect(() => new Router([["GET", "/a/*/b", "x"]])).toThrow(
    'The route GET /a/*/b has segments after its "*".',
  );
  const twice: readonly Route<string>[] = [
    ["GET", "/a", "x"],
    ["GET", "/a", "y"],
  ];
  expect(() => new Router(twice)).toThrow("The route GET /a is in the table twice.");
});
