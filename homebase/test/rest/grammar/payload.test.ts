/** Parsing request bodies, without a database. */
import { describe, expect, it } from "vitest";
import { RestError } from "../../../src/rest/errors.ts";
import { HEADER_NAME, readText, wireText } from "../../../src/rest/header-text.ts";
import { fromPostgres } from "../../../src/rest/postgres-error.ts";
import { parsePayload } from "../../../src/rest/request/payload.ts";

const read = (body: string | Buffer, type?: string, use: "table" | "function" = "table", columns = false) =>
  parsePayload(Buffer.from(body), type, use, columns);
const refusal = (body: string | Buffer, type?: string, use: "table" | "function" = "table") => {
  try {
    return read(body, type, use);
  } catch (error) {
    return error instanceof RestError ? `${error.code} ${error.message}` : error;
  }
};

describe("JSON", () => {
  it("is handed on as it came, with the keys of its first object", () => {
    const text = ' [{"a": 9007199254740993, "b": 1.50}, {"b": 2, "a": 1}] ';
    expect(read(text)).toEqual({ kind: "json", text, keys: ["a", "b"], shape: "array" });
  });
  it.each(["5", "null", '"x"', "true"])("that is %s means nothing at all", (text) => {
    expect(read(text)).toEqual({ kind: "json", text: "[]", keys: [], shape: "array" });
  });
  it("is not looked into when columns are named", () => {
    expect(read("[1", undefined, "table", true)).toMatchObject({
      text: "[1",
      keys: undefined,
      shape: "array",
    });
    expect(read(" {", undefined, "table", true)).toMatchObject({ keys: undefined, shape: "object" });
  });
  it("may be empty for functions only", () => {
    expect(read("", undefined, "function")).toMatchObject({ text: "", keys: [], shape: "object" });
    expect(refusal("")).toBe("PGRST102 Empty or invalid json");
    expect(refusal(" ", undefined, "function")).toBe("PGRST102 Empty or invalid json");
  });
  it("must be UTF-8", () => {
    expect(refusal(Buffer.from([0x22, 0xff, 0x22]))).toBe("PGRST102 Empty or invalid json");
  });
});

describe("CSV", () => {
  const rows = (text: string) => {
    const payload = read(text, "text/csv");
    return payload.kind === "json" ? [payload.keys, JSON.parse(String(payload.text))] : undefined;
  };
  it("reads quotes, line ends of both kinds, and NULL", () => {
    expect(rows('a,"b ""c"""\r\nNULL,""\r\n"x,\ny",NULL')).toEqual([
      ["a", 'b "c"'],
      [
        { a: null, 'b "c"': "" },
        { a: "x,\ny", 'b "c"': null },
      ],
    ]);
  });
  it("drops what is beyond the header, and blank lines", () => {
    expect(rows("a\n1,2\n\n3\n")).toEqual([["a"], [{ a: "1" }, { a: "3" }]]);
  });
  it("takes short lines when all are as short", () => {
    expect(rows("a,b\n1\n2\n")).toEqual([["a"], [{ a: "1" }, { a: "2" }]]);
    expect(refusal("a,b\n1\n2,3\n", "text/csv")).toBe("PGRST102 All lines must have same number of fields");
  });
  it("without lines names no columns", () => {
    expect(rows("a,b\n")).toEqual([[], []]);
  });
  it.each([
    ["", 'parse error (not enough input) at ""'],
    ["a,b", 'parse error (not enough input) at ""'],
    ['a\n"b', 'parse error (not enough input) at ""'],
    ['a\n"b"c\n', 'parse error (endOfInput) at "c\\n"'],
  ])("says of %j what is wrong", (text, message) => {
    expect(refusal(text, "text/csv")).toBe(`PGRST102 ${message}`);
  });
});

it("reads forms as one row, or as arguments that may repeat", () => {
  const form = "application/x-www-form-urlencoded";
  expect(read("a=1&b=x+y&a=2", form)).toMatchObject({ text: '{"a":"2","b":"x y"}', keys: ["a", "b"] });
  expect(read("a=1&a=2", form, "function")).toEqual({
    kind: "arguments",
    pairs: [
      ["a", "1"],
      ["a", "2"],
    ],
  });
});

it("takes raw bodies for functions only", () => {
  expect(read("x", "text/plain", "function")).toMatchObject({ kind: "raw", type: "text" });
  expect(refusal("x", "text/plain")).toBe("PGRST102 Content-Type not acceptable: text/plain");
  expect(refusal("x", "image/png", "function")).toBe("PGRST102 Content-Type not acceptable: image/png");
});

describe("texts in headers", () => {
  it("travel as UTF-8 and come back", () => {
    expect(readText(wireText("Ünï 圍"))).toBe("Ünï 圍");
    expect(wireText("plain")).toBe("plain");
  });
  it("cannot break out of their line", () => {
    expect(wireText("a\r\nX-Evil: 1")).toBe("a  X-Evil: 1");
    expect(HEADER_NAME.test("x-a\r\n")).toBe(false);
  });
});

describe("statuses of raised errors", () => {
  const status = (code: string) => fromPostgres({ code, message: "m" }, false).status;
  it.each([
    ["PT200", 200],
    ["PT999", 999],
    ["PT100", 500],
    ["PT000", 500],
    ["PTABC", 500],
  ])("%s is answered with %s", (code, expected) => {
    expect(status(code)).toBe(expected);
  });
  it.each(['{"status":99,"headers":{}}', '{"status":200.5,"headers":{}}', '{"status":200,"headers":[]}'])(
    "does not take %s for an answer",
    (detail) => {
      const raised = fromPostgres({ code: "PGRST", message: '{"code":"1","message":"m"}', detail }, false);
      expect([raised.status, raised.code]).toEqual([500, "PGRST121"]);
    },
  );
});
