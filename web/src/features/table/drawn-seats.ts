/** Owns: converting a plan's people to seats of the drawing. */
import { faceOf } from "../people/queries.ts";
import { cardState } from "../plans/cards/card.ts";
import type { Card } from "../plans/cards/schema.ts";
import { type SeatLook, seatOf } from "../plans/domain.ts";

export interface DrawnSeat {
  id: string;
  /** Null for a person whose name may not be shown: they are drawn, and counted in the text. */
  name: string | null;
  picture: string | null;
  look: SeatLook;
  /** "can come 3 times" */
  words: string;
  /** Whether they have the plan open right now. */
  present?: boolean;
}

export function drawnSeats(
  card: Pick<Card, "status" | "ends_at" | "moved" | "people">,
  now: number,
  present?: ReadonlySet<string>,
): DrawnSeat[] {
  const state = cardState(card, now);
  return card.people.map((person) => {
    const { user_id, display_name, avatar_path } = person;
    const face = faceOf(user_id, display_name === null ? null : { display_name, avatar_path });
    return { ...face, ...seatOf(person, state, card.moved), present: present?.has(user_id) ?? false };
  });
}
