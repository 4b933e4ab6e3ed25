/** Owns: the tabs of a plan in their order, and the props of each. */
import type { Plan } from "./schema.ts";

export const planTabs = ["when", "where", "best", "chat", "photos", "day"] as const;
export type PlanTab = (typeof planTabs)[number];

export interface TabProps {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  host: boolean;
}
