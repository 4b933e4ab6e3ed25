/** Tests addresses.ts. */
import { describe, expect, it } from "vitest";
import { addressesIn, isAddress } from "./addresses.ts";

describe("addresses for invitations", () => {
  it("are read from lists as people write and paste them", () => {
    expect(addressesIn("Ana@nosh.test, ben@nosh.test;chiara@nosh.test\ndev@nosh.test")).toEqual([
      "ana@nosh.test",
      "ben@nosh.test",
      "chiara@nosh.test",
      "dev@nosh.test",
    ]);
    expect(addressesIn("Ana Silva <ana@nosh.test>, Ben <ben@nosh.test>")).toEqual([
      "ana@nosh.test",
      "ben@nosh.test",
    ]);
  });

  it("count once, whatever their case", () => {
    expect(addressesIn("ana@nosh.test ANA@nosh.test")).toEqual(["ana@nosh.test"]);
  });

  it("keep what is not one, so that it can be mended", () => {
    expect(addressesIn("ana@nosh.test ben@")).toEqual(["ana@nosh.test", "ben@"]);
    expect(isAddress("ben@")).toBe(false);
    expect(isAddress("ben@nosh.test")).toBe(true);
  });
});
