/** Tests names.ts. */
import { expect, it } from "vitest";
import { firstName } from "./names.ts";
import type { Member } from "./schema.ts";

const member = (user_id: string, display_name: string) => ({ user_id, profiles: { display_name } }) as Member;
const plan = {
  plan_members: [member("a", "Ana Duarte"), member("b", "Ben Okafor"), member("c", "Ana Ricci")],
};

it("calls people by their first name, and by the whole one where two share the first", () => {
  expect(["a", "b", "c"].map((id) => firstName(plan, id))).toEqual(["Ana Duarte", "Ben", "Ana Ricci"]);
});

it("numbers people who share the whole name, in the table's order", () => {
  const bens = { plan_members: [member("a", "Ben"), member("b", "Ben"), member("c", "Ben Ode")] };
  expect(["a", "b", "c"].map((id) => firstName(bens, id))).toEqual(["Ben (1)", "Ben (2)", "Ben Ode"]);
});

it("has a word for who is not at the table any more", () => {
  expect([firstName(plan, "z"), firstName(plan, null)]).toEqual(["Someone", "Someone"]);
});
