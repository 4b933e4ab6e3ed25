/** Owns: receiving others' live positions while a screen that shows them is open. */
import { useEffect, useMemo, useRef, useState } from "react";
import { usePlanLive } from "../plans/realtime.tsx";
import type { Plan } from "../plans/schema.ts";
import { afterEnd, afterPosition, noPositions, type Positions, stillShared } from "./position.ts";
import { POSITION, POSITION_END, POSITION_WANTED } from "./sharing.ts";

/** What the screens of the day show. */
export interface BoardProps {
  plan: Plan;
  me: string;
  now: number;
  positions: Positions;
}

/** How often expired positions are removed. */
const LOOK_AGAIN_MS = 2_000;

export function usePositions(plan: Plan, me: string): Positions {
  const { connected, present, broadcast, onBroadcast } = usePlanLive();
  const wasPresent = useRef(present);
  const [positions, setPositions] = useState(noPositions);
  const people = useMemo(
    () => new Set(plan.plan_members.map((member) => member.user_id).filter((person) => person !== me)),
    [plan.plan_members, me],
  );
  useEffect(() => {
    const stops = [
      onBroadcast(POSITION, (payload, sender) =>
        setPositions((before) => afterPosition(before, sender, payload, Date.now())),
      ),
      onBroadcast(POSITION_END, (_payload, sender) => setPositions((before) => afterEnd(before, sender))),
    ];
    return () => {
      for (const stop of stops) stop();
      setPositions(noPositions);
    };
  }, [onBroadcast]);
  // A page that closes may fail to send its end; presence shows that the person has left.
  useEffect(() => {
    const gone = [...wasPresent.current].filter((person) => !present.has(person));
    wasPresent.current = present;
    if (!connected) return;
    for (const person of gone) setPositions((before) => afterEnd(before, person));
  }, [present, connected]);
  useEffect(() => {
    if (connected) broadcast(POSITION_WANTED, {});
  }, [connected, broadcast]);
  useEffect(() => {
    const timer = setInterval(
      () => setPositions((before) => stillShared(before, people, Date.now())),
      LOOK_AGAIN_MS,
    );
    return () => clearInterval(timer);
  }, [people]);
  return useMemo(() => stillShared(positions, people, Date.now()), [positions, people]);
}
