/** Owns: what the board and the list of times are given. */
import type { Ballot } from "../../plans/mutations.ts";
import type { Plan } from "../../plans/schema.ts";

export interface TimesProps {
  plan: Plan;
  me: string;
  now: number;
  /** Whose clock the times are read on. */
  zone: string;
  /** Whether answers are taken now. */
  open: boolean;
  host: boolean;
  /** Others' answers are kept from this person until they have answered. */
  hidden: boolean;
  /** Only this person's answers are shown. */
  only: string | null;
  /** Options at which the viewer's own calendar is taken. */
  busy: ReadonlySet<string>;
  answer: (times: Ballot, spoken?: string) => void;
}
