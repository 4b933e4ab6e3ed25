/** Owns: the props of each tab of a plan. */
import type { Plan } from "./schema.ts";

export interface TabProps {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  host: boolean;
}
