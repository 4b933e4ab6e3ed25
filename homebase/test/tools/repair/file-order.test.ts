/** An order of files: each runs after those that it needs, and the others stay where they are. */
import { expect, test } from "vitest";
import { FileOrder } from "../../../src/tools/repair/file-order.ts";

const files = ["1_a.sql", "2_b.sql", "3_c.sql", "4_d.sql"].map((path) => ({
  path,
  version: path.slice(0, 1),
  name: path.slice(2, 3),
  sql: "",
}));
const names = (order: FileOrder) =>
  order
    .files()
    .map(({ name }) => name)
    .join("");

test("a file that is needed comes right before the first that needs it", () => {
  const order = new FileOrder(files);
  expect(order.require("4_d.sql", "2_b.sql")).toBe(true);
  expect(order.require("4_d.sql", "2_b.sql")).toBe(false);
  expect(names(order)).toBe("adbc");
  expect(order.reason("4_d.sql")).toBe("2_b.sql needs it");
  expect(order.reason("2_b.sql")).toBe("it needs 4_d.sql");
  expect(order.reason("3_c.sql")).toBeUndefined();
  expect(order.require("3_c.sql", "4_d.sql")).toBe(true);
  expect(names(order)).toBe("acdb");
});

test("files that need each other, themselves or no migration stay where they are", () => {
  const order = new FileOrder(files);
  expect(order.require("2_b.sql", "1_a.sql")).toBe(true);
  expect(order.require("1_a.sql", "2_b.sql")).toBe(true);
  expect(names(order)).toBe("abcd");
  for (const [file, before] of [
    ["2_b.sql", "1_a.sql"],
    ["1_a.sql", "2_b.sql"],
    ["1_a.sql", "1_a.sql"],
    ["seed.sql", "1_a.sql"],
  ] as const)
    expect(order.require(file, before)).toBe(false);
  expect(names(order)).toBe("abcd");
});
