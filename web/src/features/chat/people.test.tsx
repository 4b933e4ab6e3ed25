// @vitest-environment jsdom
/** The names in a conversation. */
import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Member } from "../plans/schema.ts";
import { usePeople } from "./people.ts";

const member = (user_id: string, display_name: string) => ({ user_id, profiles: { display_name } }) as Member;
const members = [member("a", "Ana Duarte"), member("b", "Ben Okafor"), member("c", "Ana Ricci")];

it("tells two people of one first name apart, and has a word for people who left", () => {
  const { result } = renderHook(() => usePeople(members));
  expect(["a", "b", "c", "z", null].map((id) => result.current.nameOf(id))).toEqual([
    "Ana Duarte",
    "Ben",
    "Ana Ricci",
    "Someone who left",
    "Someone who left",
  ]);
});
