/**
 * Owns: the columns of a plan that the app reads, with their shapes, the fields that hosts set, with the values of a new
 * plan, and the lengths of texts. The query, the schema, editing, merging, validation and the sample plan follow from these.
 */
import * as z from "zod/mini";
import { undecidedReasons } from "../../../../supabase/functions/_shared/ranking/undecided.ts";
import type { Database } from "../../lib/backend/database.types.ts";

/** Without the columns that only the database needs. */
type Column = Exclude<
  keyof Database["public"]["Tables"]["plans"]["Row"],
  "proposed_at" | "vetoed_at" | "decided_deadline" | "standing_on"
>;

export const planColumns = {
  id: z.uuid(),
  circle_id: z.nullable(z.uuid()),
  title: z.string(),
  note: z.string(),
  status: z.enum(["polling", "confirmed", "cancelled"]),
  /** Grows with every change that calendars hear of. */
  revision: z.int(),
  time_zone: z.string(),
  vote_deadline: z.nullable(z.string()),
  capacity: z.nullable(z.int()),
  guests_may_propose: z.boolean(),
  results_hidden: z.boolean(),
  /** Whether the best pair is proposed at the deadline, and confirmed unless a member objects. */
  decides_itself: z.boolean(),
  proposed_time_id: z.nullable(z.uuid()),
  proposed_place_id: z.nullable(z.uuid()),
  veto_until: z.nullable(z.string()),
  vetoed_by: z.nullable(z.uuid()),
  veto_reason: z.string(),
  /** Why nothing was proposed. */
  undecided: z.nullable(z.enum(undecidedReasons)),
  /** The standing dinner that the plan was made for. */
  standing_id: z.nullable(z.uuid()),
  chosen_time_id: z.nullable(z.uuid()),
  chosen_place_id: z.nullable(z.uuid()),
  /** The pair before the hosts' last change; null as long as the choice is the one that was voted for. */
  moved_from_time_id: z.nullable(z.uuid()),
  moved_from_place_id: z.nullable(z.uuid()),
  /** When the chosen table was announced ready, and by which host. */
  ready_at: z.nullable(z.string()),
  ready_by: z.nullable(z.uuid()),
  /** When people with an open answer were last asked to vote. */
  nudged_at: z.nullable(z.string()),
  /** Whether the plan's own link takes a seat for anybody with a name, without asking the hosts. */
  joins_by_link: z.boolean(),
  /** For how many people, and under which name, a host has booked the chosen place. */
  booked_seats: z.nullable(z.int()),
  booked_name: z.nullable(z.string()),
  created_at: z.string(),
  updated_at: z.string(),
} satisfies Record<Column, z.ZodMiniType>;

/** What hosts set, and may change at any time. */
export const settings: PlanEdit = {
  title: "",
  note: "",
  vote_deadline: null,
  capacity: null,
  guests_may_propose: true,
  results_hidden: false,
  decides_itself: false,
};
export type PlanEdit = Pick<
  { [C in Column]: z.infer<(typeof planColumns)[C]> },
  PlanText | "vote_deadline" | "capacity" | PlanOption
>;
export type PlanField = keyof PlanEdit;
/** The fields that are on or off. */
export type PlanOption = "guests_may_propose" | "results_hidden" | "decides_itself";

/** The texts, in the form's order, with their lengths; the database has the same. */
export const planTexts = {
  title: { min: 1, max: 80 },
  note: { min: 0, max: 1000 },
} as const satisfies Partial<Record<Column, { min: 0 | 1; max: number }>>;
export type PlanText = keyof typeof planTexts;
export const textFields = Object.keys(planTexts) as PlanText[];

export const planFields = Object.keys(settings) as PlanField[];
