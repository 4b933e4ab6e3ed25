/** Owns: what a link tells before it is used. Signed out, it is asked for without the client. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { callAnonymously } from "../../lib/backend/anonymous-rpc.ts";
import { loadClient } from "../../lib/backend/load-client.ts";

export interface Preview {
  kind: "plan" | "circle";
  title: string;
  host_name: string | null;
  people: number;
  plan_state: "polling" | "confirmed" | "done" | "cancelled" | null;
  joined: boolean;
  target: string | null;
  /** Start of the decided meal and the plan's zone. */
  starts_at: string | null;
  time_zone: string | null;
}

/** @param me who is signed in; null asks as nobody */
export async function readPreview(token: string, me: string | null, signal: AbortSignal): Promise<Preview> {
  const rows =
    me === null ? await callAnonymously("preview_invite", { token }, signal) : await readAs(token, signal);
  const [row] = Array.isArray(rows) ? rows : [];
  if (!isPreview(row)) throw new Error("preview_invite gave no preview");
  return row;
}

async function readAs(token: string, signal: AbortSignal): Promise<unknown> {
  const [supabase, { orThrow }] = await Promise.all([loadClient(), import("../../lib/errors.ts")]);
  return orThrow(await supabase.rpc("preview_invite", { token }).abortSignal(signal));
}

const kinds: unknown[] = ["plan", "circle"];
const states: unknown[] = ["polling", "confirmed", "done", "cancelled", null];

function isPreview(row: unknown): row is Preview {
  const { kind, title, host_name, people, plan_state, joined, target, starts_at, time_zone } = (row ??
    {}) as Partial<Record<string, unknown>>;
  return (
    kinds.includes(kind) &&
    typeof title === "string" &&
    (host_name === null || typeof host_name === "string") &&
    Number.isInteger(people) &&
    states.includes(plan_state) &&
    typeof joined === "boolean" &&
    [target, starts_at, time_zone].every((text) => text === null || typeof text === "string")
  );
}

/** `me` is part of the key: the answer says whether this person has joined already. */
export const previewQuery = (token: string, me: string | null) =>
  queryOptions({
    queryKey: ["invite", token, me],
    queryFn: ({ signal }) => readPreview(token, me, signal),
    retry: false,
    // Joining changes who is signed in; the preview that is on the screen stays.
    placeholderData: keepPreviousData,
    // Other people may join while the preview is open.
    refetchInterval: 10_000,
  });
