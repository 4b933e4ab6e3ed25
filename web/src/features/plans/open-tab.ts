/** Owns: going to a tab of a plan, in place of the one that is open. */
import { useNavigate } from "@tanstack/react-router";
import type { PlanTab } from "./tab-props.ts";

export function useOpenTab(id: string): (tab: PlanTab) => Promise<void> {
  const navigate = useNavigate();
  const still = { replace: true, resetScroll: false, viewTransition: false };
  return (tab) => navigate({ to: "/plans/$id", params: { id }, search: { tab }, ...still });
}
