/**
 * Owns: real-time updates of one plan for its screens: the database reports changes, presence shows who is
 * here, broadcasts show who is typing. Each list decides what a change means for it.
 */
import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import * as z from "zod/mini";
import { supabase, whenRealtime } from "../../lib/backend/supabase.ts";
import { PlanChannels } from "./plan-channels.ts";
import { planQueries } from "./queries.ts";
import type { Plan } from "./schema.ts";

/** The triggers' payload: the changed row, or, for data read with the plan, the plan's new revision. */
const changeSchema = z.object({
  table: z.string(),
  operation: z.enum(["INSERT", "UPDATE", "DELETE"]),
  record: z.nullish(z.record(z.string(), z.unknown())),
  old_record: z.nullish(z.record(z.string(), z.unknown())),
  revision: z.nullish(z.number()),
});
export type Change = z.infer<typeof changeSchema>;

type Listener = (change: Change) => void;

interface Live {
  /** Whether changes arrive in real time; otherwise the app still works and refetches on return. */
  connected: boolean;
  present: ReadonlySet<string>;
  typing: ReadonlySet<string>;
  setTyping: (typing: boolean) => void;
  /** Calls the listener for every change; calls `missed` when the channel is joined, for what came before. */
  listen: (listener: Listener, missed: () => void) => () => void;
  /** Broadcasts a screen's own event; false, and nothing is sent, without a connection. */
  broadcast: (event: string, payload: Record<string, unknown>) => boolean;
  /** Calls the listener for every broadcast of that event, until `closed` aborts. */
  onBroadcast: (event: string, listener: BroadcastListener, closed?: () => void) => () => void;
  /** This person's topic; null before the channels are joined. */
  ownTopic: () => string | null;
}

/** `sender` is the member's id in the database. */
type BroadcastListener = (payload: unknown, sender: string) => void;

interface BroadcastEntry {
  event: string;
  listener: BroadcastListener;
  closed?: (() => void) | undefined;
}

const typingSchema = z.object({ typing: z.boolean() });

/** Timeout of a typing indicator, for people who disconnect while typing. */
const TYPING_ENDS_MS = 6000;

const nobody: ReadonlySet<string> = new Set();
const LiveContext = createContext<Live>({
  connected: false,
  present: nobody,
  typing: nobody,
  setTyping: () => undefined,
  listen: () => () => undefined,
  broadcast: () => false,
  onBroadcast: () => () => undefined,
  ownTopic: () => null,
});

/** One vote can change many rows; refetch them once. */
const SETTLE_MS = 50;
/**
 * Changes are reported from the write-ahead log, slightly before other sessions can read the commit: further
 * reads follow an early one.
 */
const TOO_EARLY_MS = [60, 300, 600] as const;

export function PlanLive({ plan, me, children }: { plan: Plan; me: string; children: ReactNode }) {
  const queries = useQueryClient();
  const planId = plan.id;
  const { epoch } = plan.plan_channels;
  const people = useMemo(() => plan.plan_members.map((member) => member.user_id), [plan.plan_members]);
  const latestPeople = useRef(people);
  const channels = useRef<PlanChannels | null>(null);
  const listeners = useRef(new Set<{ listener: Listener; missed: () => void }>());
  const broadcastListeners = useRef(new Set<BroadcastEntry>());
  const [connected, setConnected] = useState(false);
  const [present, setPresent] = useState(nobody);
  const [typing, setTypingPeople] = useState(nobody);

  useEffect(() => {
    latestPeople.current = people;
    channels.current?.seat(people);
  }, [people]);

  useEffect(() => {
    let closed = false;
    let readTimer: ReturnType<typeof setTimeout> | undefined;
    let heardOf = 0;
    const key = planQueries.one(planId).queryKey;
    const isBehind = () => (queries.getQueryData(key)?.plan_channels.revision ?? 0) < heardOf;
    const readAgain = async (tries: readonly number[] = TOO_EARLY_MS) => {
      readTimer = undefined;
      await queries.invalidateQueries({ queryKey: key, exact: true });
      void queries.invalidateQueries({ queryKey: ["plans"] });
      const [wait, ...rest] = tries;
      if (!closed && wait !== undefined && isBehind()) {
        readTimer ??= setTimeout(() => void readAgain(rest), wait);
      }
    };
    const scheduleRead = () => {
      readTimer ??= setTimeout(() => void readAgain(), SETTLE_MS);
    };
    const stops = new Map<string, ReturnType<typeof setTimeout>>();
    const showTyping = (person: string, isTyping: boolean) => {
      clearTimeout(stops.get(person));
      if (isTyping)
        stops.set(
          person,
          setTimeout(() => showTyping(person, false), TYPING_ENDS_MS),
        );
      setTypingPeople((before) => {
        if (before.has(person) === isTyping) return before;
        const after = new Set(before);
        if (isTyping) after.add(person);
        else after.delete(person);
        return after;
      });
    };

    let opened: PlanChannels | null = null;
    const stop = whenRealtime(() => {
      opened = new PlanChannels(supabase, { id: planId, epoch, people: latestPeople.current }, me, {
        changed: (payload) => {
          const change = changeSchema.safeParse(payload);
          if (!change.success) return;
          const { table, revision } = change.data;
          if (revision != null && revision > heardOf) {
            heardOf = revision;
            if (isBehind()) scheduleRead();
          }
          if (table === "ratings") void queries.invalidateQueries({ queryKey: ["ratings"] });
          if (table === "photos") void queries.invalidateQueries({ queryKey: ["place-photos"] });
          if (table === "place_options") {
            void queries.invalidateQueries({ queryKey: ["plan", planId, "trips"] });
          }
          for (const { listener } of listeners.current) listener(change.data);
        },
        broadcast: (event, payload, sender) => {
          const typed = event === "typing" ? typingSchema.safeParse(payload) : null;
          if (typed?.success) showTyping(sender, typed.data.typing);
          for (const one of broadcastListeners.current)
            if (one.event === event) one.listener(payload, sender);
        },
        present: setPresent,
        connected: (isConnected) => {
          setConnected(isConnected);
          if (!isConnected) return;
          // Changes between the first read and now, or during a gap, were not reported.
          scheduleRead();
          for (const { missed } of listeners.current) missed();
        },
        refused: scheduleRead,
      });
      channels.current = opened;
    });

    return () => {
      closed = true;
      stop();
      clearTimeout(readTimer);
      opened?.close();
      if (channels.current === opened) channels.current = null;
      for (const timer of stops.values()) clearTimeout(timer);
      setTypingPeople(nobody);
    };
  }, [planId, epoch, me, queries]);

  // Not at the end of each epoch: a page's presence continues when another member leaves.
  useEffect(() => {
    const all = broadcastListeners.current;
    return () => {
      for (const { closed } of [...all]) closed?.();
      setConnected(false);
      setPresent(nobody);
    };
  }, []);

  const broadcast = useCallback(
    (event: string, payload: Record<string, unknown>) => channels.current?.send(event, payload) ?? false,
    [],
  );
  const ownTopic = useCallback(() => channels.current?.ownTopic ?? null, []);
  const onBroadcast = useCallback((event: string, listener: BroadcastListener, closed?: () => void) => {
    const entry = { event, listener, closed };
    broadcastListeners.current.add(entry);
    return () => void broadcastListeners.current.delete(entry);
  }, []);
  const setTyping = useCallback(
    (isTyping: boolean) => void broadcast("typing", { typing: isTyping }),
    [broadcast],
  );
  const listen = useCallback((listener: Listener, missed: () => void) => {
    const entry = { listener, missed };
    listeners.current.add(entry);
    return () => void listeners.current.delete(entry);
  }, []);

  const live = useMemo(
    () => ({ connected, present, typing, setTyping, listen, broadcast, onBroadcast, ownTopic }),
    [connected, present, typing, setTyping, listen, broadcast, onBroadcast, ownTopic],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function usePlanLive(): Live {
  return useContext(LiveContext);
}
