/** Tests schema.ts. */
import { expect, it } from "vitest";
import { readEntry } from "./schema.ts";

const mutation = {
  kind: "rsvp",
  plan_id: "00000000-0000-4000-8000-0000000000b1",
  answer: "going",
  plus_ones: 0,
};
const entry = {
  id: "00000000-0000-4000-8000-0000000000c1",
  person: "00000000-0000-4000-8000-0000000000a1",
  madeAt: 1,
  refused: null,
};

it("reads back what waits on the device", () => {
  expect(readEntry({ ...entry, mutation })).toEqual({ ...entry, mutation });
});

it("leaves what this version cannot send", () => {
  expect(readEntry({ ...entry, mutation: { kind: "unknown" } })).toBeNull();
  expect(readEntry("nothing")).toBeNull();
});
