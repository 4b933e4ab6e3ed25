/** Owns: the hosts' requests: reading which people no message reaches, and nudging people to vote. */
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import * as z from "zod/mini";
import { parsed } from "../../lib/backend/parsed.ts";
import { rpc } from "../../lib/backend/rpc.ts";
import { supabase } from "../../lib/backend/supabase.ts";
import type { Plan } from "../plans/schema.ts";

/** A nudge is possible again after this time; the database has the same limit (`nudge_hours`). */
const NUDGE_PAUSE_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

export function nudgedToday(nudgedAt: string | null, now: number): boolean {
  return nudgedAt !== null && Date.parse(nudgedAt) > now - NUDGE_PAUSE_MS;
}

/** Returns how many people were asked. Throws an AppError. */
export const nudgeVoters = (plan: string) => rpc("nudge_voters", { plan });

const unreachable = (plan: string) =>
  queryOptions({
    queryKey: ["plan", plan, "unreachable"],
    queryFn: ({ signal }) =>
      parsed(z.array(z.uuid()), supabase.rpc("plan_unreachable", { plan }).abortSignal(signal)),
    staleTime: MINUTE_MS,
    refetchInterval: MINUTE_MS,
  });

/**
 * The ids of the people who get neither mail nor push; undefined until they are known. Only hosts may ask. It is read
 * again once a minute, as the database does not report a person's address or device.
 */
export function useUnreached(plan: Plan, asks: boolean): readonly string[] | undefined {
  const { data = NONE, isPending, refetch } = useQuery({ ...unreachable(plan.id), enabled: asks });
  const people = plan.plan_members.map((member) => member.user_id).join();
  // Of a person who has just joined the last answer knows nothing.
  useEffect(() => {
    if (asks && people) void refetch({ cancelRefetch: false });
  }, [asks, people, refetch]);
  return asks && isPending ? undefined : data;
}

const NONE: readonly string[] = [];
