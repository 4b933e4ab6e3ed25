/** Owns: a plan and its members for tests and examples, with plain defaults; a test sets only what it is about. */
import { settings } from "./fields.ts";
import type { Member, Plan } from "./schema.ts";

const LONG_AGO = "2026-11-01T00:00:00Z";

/** A guest who has not answered. */
export function sampleMember(id: string, more: Partial<Member> = {}): Member {
  return {
    user_id: id,
    role: "guest",
    rsvp: "pending",
    plus_ones: 0,
    waitlisted_at: null,
    answered_at: null,
    times_answered: false,
    places_answered: false,
    required: false,
    joined_at: LONG_AGO,
    profiles: null,
    arrivals: null,
    ...more,
  };
}

/**
 * A plan in voting, in Kathmandu, with one time (Friday 19:30 there, two hours and a quarter) and no members.
 */
export function samplePlan(more: Partial<Plan> = {}): Plan {
  return {
    ...settings,
    id: "plan",
    circle_id: null,
    title: "Dinner",
    status: "polling",
    revision: 0,
    time_zone: "Asia/Kathmandu",
    proposed_time_id: null,
    proposed_place_id: null,
    veto_until: null,
    vetoed_by: null,
    veto_reason: "",
    undecided: null,
    standing_id: null,
    chosen_time_id: null,
    chosen_place_id: null,
    moved_from_time_id: null,
    moved_from_place_id: null,
    ready_at: null,
    ready_by: null,
    nudged_at: null,
    joins_by_link: false,
    booked_seats: null,
    booked_name: null,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    plan_channels: { epoch: 0, revision: 0 },
    plan_members: [],
    time_options: [
      {
        id: "time",
        starts_at: "2026-11-27T13:45:00Z",
        ends_at: "2026-11-27T16:00:00Z",
        proposed_by: null,
        time_votes: [],
      },
    ],
    place_options: [],
    ...more,
  };
}
