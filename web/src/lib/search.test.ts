/** Tests search.ts. */
import { describe, expect, it } from "vitest";
import { nextPath, oneOf, text, uuid } from "./search.ts";

describe("the search part of an address", () => {
  it("leads only within the app", () => {
    expect(nextPath("/plans/1?tab=when#x")).toBe("/plans/1?tab=when#x");
    for (const foreign of [
      "//evil.test",
      "/\\evil.test",
      "https://evil.test",
      "javascript:x",
      "",
      7,
      null,
      ["/x"],
    ]) {
      expect(nextPath(foreign)).toBeUndefined();
    }
  });

  it("takes what is there, and nothing for what is not as it should be", () => {
    expect(uuid("00000000-0000-4000-8000-0000000000B1")).toBe("00000000-0000-4000-8000-0000000000B1");
    expect(uuid("1")).toBeUndefined();
    expect(oneOf(["when", "where"], "where")).toBe("where");
    expect(oneOf(["when", "where"], "constructor")).toBeUndefined();
    expect([text("x"), text(1)]).toEqual(["x", undefined]);
  });
});
