/** Owns: the names of the people in a conversation. */
import { useMemo } from "react";
import { firstName } from "../plans/names.ts";
import type { Member } from "../plans/schema.ts";
import { chatWords } from "./words.ts";

export interface People {
  of: (id: string | null) => Member["profiles"];
  /** A first name, or "Someone who left". */
  nameOf: (id: string | null) => string;
}

export function usePeople(members: readonly Member[]): People {
  return useMemo(() => {
    const profiles = new Map(members.map((member) => [member.user_id, member.profiles]));
    return {
      of: (id) => (id ? (profiles.get(id) ?? null) : null),
      nameOf: (id) => firstName({ plan_members: members }, id, chatWords().gone),
    };
  }, [members]);
}
