/** Owns: what each tab of a plan is given. */
import type { Plan } from "./schema.ts";

export interface TabProps {
  plan: Plan;
  me: string;
  now: number;
  viewerZone: string;
  host: boolean;
}
