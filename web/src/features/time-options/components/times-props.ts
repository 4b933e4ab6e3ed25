/** Owns: the props of the board and of the list of times. */
import type { Ballot } from "../../plans/answers.ts";
import type { Plan } from "../../plans/schema.ts";

export interface TimesProps {
  plan: Plan;
  me: string;
  now: number;
  /** The zone that times are shown in. */
  zone: string;
  /** Whether answers are accepted now. */
  open: boolean;
  host: boolean;
  /** Whether others' answers are hidden until this person has answered. */
  hidden: boolean;
  /** Shows only this person's answers. */
  only: string | null;
  /** Options that collide with the viewer's own calendar. */
  busy: ReadonlySet<string>;
  answer: (times: Ballot, spoken?: string) => void;
  /** Whether the board shows who answered what to the focused time; it does by default. */
  details?: boolean;
}
