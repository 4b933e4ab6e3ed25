/** Storage's pure rules: sizes, types, keys, transformations in URLs, ids of resumable uploads. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSize, requireBucketName, requireKey, requireMimeAllowed } from "../../src/storage/kit/names.ts";
import { requireRobotsRules } from "../../src/storage/objects/robots.ts";
import {
  describeTransform,
  hasEffect,
  parseTransform,
  writeTransform,
} from "../../src/storage/objects/transform.ts";
import { readUploadId, writeUploadId } from "../../src/storage/resumable/pending-uploads.ts";

describe("sizes of the API", () => {
  test.each<[unknown, number | null]>([
    [0, 0],
    ["2000", 2000],
    ["1b", 1],
    ["1KB", 1_000],
    ["1.5mb", 1_500_000],
    ["1.23456gb", 1_235_000_000],
    ["5MiB", null],
    ["mb", null],
    [-1, null],
    [1.5, null],
    [true, null],
  ])("%j is %j", (given, size) => {
    expect(parseSize(given)).toBe(size);
  });
});

describe("types", () => {
  test.each([
    ["image/png", ["image/png"], true],
    ["image/png", ["image/*"], true],
    ["image/png", [], true],
    ["image/png", null, true],
    ["image/png", ["*"], false],
    ["image/png", ["*/*"], false],
    ["IMAGE/png", ["image/*"], false],
    ["text/plain;charset=UTF-8", ["text/plain"], false],
    ["image", ["image/*"], false],
  ])("%s against %j: %s", (type, rules, allowed) => {
    const check = () => requireMimeAllowed(type, rules);
    if (allowed) expect(check).not.toThrow();
    else expect(check).toThrow(`mime type ${type} is not supported`);
  });
});

describe("names", () => {
  const allowed = /^[\w/!.*'()&$=@;:+,? -]+$/;
  test("a key passes exactly when it has only the allowed characters, no dot segment and 1024 bytes at most", () => {
    const character = fc.constantFrom(..."aZ0_/!.*'()&$=@;:+,?- %#\"[]~^|\\é日\0\n");
    fc.assert(
      fc.property(
        fc.array(character, { maxLength: 12 }).map((all) => all.join("")),
        (key) => {
          const dotted = key.split("/").some((segment) => segment === "." || segment === "..");
          const passes = allowed.test(key) && !key.includes("\n") && !dotted;
          if (passes) expect(() => requireKey(key)).not.toThrow();
          else expect(() => requireKey(key)).toThrow("Invalid key: ");
        },
      ),
    );
  });

  test("a bucket's name has no slash, no space at its ends and 100 characters at most", () => {
    for (const name of ["a", "A b", "x".repeat(100)]) expect(() => requireBucketName(name)).not.toThrow();
    for (const name of ["", "a/b", " a", "a ", "é", "a\n", "x".repeat(101)])
      expect(() => requireBucketName(name)).toThrow("Bucket name invalid");
  });
});

describe("transformations", () => {
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const side = maybe(fc.integer({ min: 1, max: 2_000 }));
  const transform = fc.record({
    width: side,
    height: side,
    resize: maybe(fc.constantFrom("cover", "contain", "fill")),
    quality: maybe(fc.integer({ min: 20, max: 100 })),
    format: maybe(fc.constantFrom("origin", "avif", "webp")),
    gravity: maybe(fc.constantFrom("no", "so", "sm", "ce")),
  });

  test("survive an address", () => {
    fc.assert(
      fc.property(transform, (given) => {
        expect(parseTransform(writeTransform(given))).toEqual(given);
      }),
    );
  });

  test("that differ are told apart where they have an effect", () => {
    expect(hasEffect({ resize: "fill" })).toBe(false);
    expect(hasEffect({ format: "webp" })).toBe(true);
    expect(describeTransform({ width: 9, resize: "contain" })).toBe("width:9,resizing_type:fit");
    expect(describeTransform({ width: 9, gravity: "fp", offset: { x: 0.5, y: 1 } })).toBe(
      "width:9,resizing_type:fill,gravity:fp:0.5:1",
    );
  });
});

describe("ids of resumable uploads", () => {
  test("survive writing, whatever slashes the key has", () => {
    const version = "0e2c9f3a-6c1b-4f5e-9d5a-3f0a5b7c9d11";
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z/. ]+$/), (key) => {
        const place = { bucket: "box", key, version };
        expect(readUploadId(writeUploadId(place))).toEqual(place);
      }),
    );
    for (const id of ["", "box", "box/key", `box/${version}`, "box/key/../../x"])
      expect(readUploadId(id)).toBeUndefined();
  });
});

describe("rules for robots", () => {
  test.each([
    "all",
    "max-snippet: 10, notranslate",
    "max-snippet: -1",
    "max-image-preview: large, max-video-preview:0",
    "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex",
    "googlebot: noindex, otherbot: max-snippet: 3",
  ])("%s are some", (value) => {
    expect(() => requireRobotsRules(value)).not.toThrow();
  });
  test.each([
    ["  ", "X-Robots-Tag header value must be a non-empty string"],
    ["noindex,  , none", "X-Robots-Tag header contains empty rule"],
    ["noindex, hidden", 'Invalid X-Robots-Tag rule: "hidden"'],
    ["NoIndex", 'Invalid X-Robots-Tag rule: "NoIndex"'],
    ["bot:", 'X-Robots-Tag user agent "bot" has no rules specified'],
    ["bot: hidden", 'Invalid X-Robots-Tag rule: "hidden"'],
    ["max-snippet:", 'X-Robots-Tag rule "max-snippet" requires a value'],
    ["max-snippet: -2", 'X-Robots-Tag "max-snippet" value must be an integer >= -1, got: "-2"'],
    ["max-video-preview: 1.5", 'X-Robots-Tag "max-video-preview" value must be an integer >= -1, got: "1.5"'],
    [
      "max-image-preview: huge",
      'X-Robots-Tag "max-image-preview" value must be one of: none, standard, large, got: "huge"',
    ],
    ["unavailable_after: soon", 'X-Robots-Tag "unavailable_after" value must be a valid date, got: "soon"'],
  ])("%s are refused with their reason", (value, reason) => {
    expect(() => requireRobotsRules(value)).toThrow(`Invalid X-Robots-Tag header: ${reason}`);
  });
});
