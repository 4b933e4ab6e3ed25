/**
 * Owns: the live channel of one plan, `plan:<id>`. Row changes are broadcast by database triggers, presence
 * says who is here, a broadcast who types. What a change means for a list is decided where the list is.
 */
import type { RealtimeChannel } from "@supabase/supabase-js";
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

/** What the triggers send: the changed row, or, for votes, only that something changed and by whom. */
const changeSchema = z.object({
  table: z.string(),
  operation: z.enum(["INSERT", "UPDATE", "DELETE"]),
  record: z.nullish(z.record(z.string(), z.unknown())),
  old_record: z.nullish(z.record(z.string(), z.unknown())),
  user_id: z.nullish(z.string()),
});
export type Change = z.infer<typeof changeSchema>;

type Listener = (change: Change) => void;

interface Live {
  /** Whether changes arrive as they happen; while not, the app still works and reads anew on return. */
  connected: boolean;
  present: ReadonlySet<string>;
  typing: ReadonlySet<string>;
  setTyping: (typing: boolean) => void;
  /** Calls the listener for every change and after every reconnection gap (`missed`). */
  listen: (listener: Listener, missed: () => void) => () => void;
  /** Broadcasts a screen's own event; false, and nothing is sent, while there is no connection. */
  say: (event: string, payload: Record<string, unknown>) => boolean;
  /** Calls the listener for every broadcast of that event, until the channel is closed, of which `closed` tells. */
  hear: (event: string, listener: (payload: unknown) => void, closed?: () => void) => () => void;
}

interface Hearer {
  event: string;
  listener: (payload: unknown) => void;
  closed?: (() => void) | undefined;
}

const presenceSchema = z.object({ user_id: z.string() });
const typingSchema = z.object({ user_id: z.string(), typing: z.boolean() });

/** Someone who vanished while typing is not typing forever. */
const TYPING_ENDS_MS = 6000;

const nobody: ReadonlySet<string> = new Set();
const LiveContext = createContext<Live>({
  connected: false,
  present: nobody,
  typing: nobody,
  setTyping: () => undefined,
  listen: () => () => undefined,
  say: () => false,
  hear: () => () => undefined,
});

/** Tables whose changes are part of the plan as it is read in one piece. */
const planTables = new Set([
  "plans",
  "plan_members",
  "time_options",
  "place_options",
  "time_votes",
  "place_votes",
  "arrivals",
]);
/** One vote can change many rows; they are read again once. */
const SETTLE_MS = 50;
/**
 * Changes are told from the write-ahead log, where a commit can be seen a moment before others can read it.
 * A read that was too early is followed by one that is not.
 */
const SURE_MS = 600;

export function PlanLive({ planId, me, children }: { planId: string; me: string; children: ReactNode }) {
  const queries = useQueryClient();
  const channel = useRef<RealtimeChannel | null>(null);
  const listeners = useRef(new Set<{ listener: Listener; missed: () => void }>());
  const hearers = useRef(new Set<Hearer>());
  const joinedNow = useRef(false);
  const [connected, setConnected] = useState(false);
  const [present, setPresent] = useState(nobody);
  const [typing, setTypingPeople] = useState(nobody);

  useEffect(() => {
    let settle: ReturnType<typeof setTimeout> | undefined;
    let joinedBefore = false;
    const stops = new Map<string, ReturnType<typeof setTimeout>>();
    const hearTyping = (person: string, isTyping: boolean) => {
      clearTimeout(stops.get(person));
      if (isTyping)
        stops.set(
          person,
          setTimeout(() => hearTyping(person, false), TYPING_ENDS_MS),
        );
      setTypingPeople((before) => {
        if (before.has(person) === isTyping) return before;
        const after = new Set(before);
        if (isTyping) after.add(person);
        else after.delete(person);
        return after;
      });
    };
    let sure: ReturnType<typeof setTimeout> | undefined;
    const readPlan = () => void queries.invalidateQueries({ queryKey: ["plan", planId], exact: true });
    const readAgain = () => {
      settle ??= setTimeout(() => {
        settle = undefined;
        readPlan();
      }, SETTLE_MS);
      clearTimeout(sure);
      sure = setTimeout(() => {
        readPlan();
        void queries.invalidateQueries({ queryKey: ["plans"] });
      }, SURE_MS);
    };

    const stop = whenRealtime(() => {
      // One key for each connection and one `track`: the client library (2.109) forgets the reference of a
      // presence that is tracked again or shares its key, and would then show it after it has left.
      const joined = supabase.channel(`plan:${planId}`, {
        config: { private: true, presence: { key: crypto.randomUUID() } },
      });
      channel.current = joined;
      joined
        .on("broadcast", { event: "*" }, (message) => {
          const typed = message.event === "typing" ? typingSchema.safeParse(message.payload) : null;
          if (typed?.success) hearTyping(typed.data.user_id, typed.data.typing);
          for (const { event, listener } of hearers.current) {
            if (event === message.event) listener(message.payload);
          }
          const change = changeSchema.safeParse(message.payload);
          if (!change.success) return;
          if (planTables.has(change.data.table)) readAgain();
          if (change.data.table === "ratings") void queries.invalidateQueries({ queryKey: ["ratings"] });
          if (change.data.table === "place_options") {
            void queries.invalidateQueries({ queryKey: ["plan", planId, "trips"] });
          }
          for (const { listener } of listeners.current) listener(change.data);
        })
        .on("presence", { event: "sync" }, () => {
          const entries = Object.values(joined.presenceState()).flat();
          setPresent(
            new Set(
              entries.flatMap((entry) => {
                const who = presenceSchema.safeParse(entry);
                return who.success ? [who.data.user_id] : [];
              }),
            ),
          );
        })
        .subscribe((status) => {
          joinedNow.current = status === "SUBSCRIBED";
          setConnected(joinedNow.current);
          if (status !== "SUBSCRIBED") return;
          void joined.track({ user_id: me });
          // Whatever happened between the first read and now, or during a gap, was not told.
          readAgain();
          if (joinedBefore) for (const { missed } of listeners.current) missed();
          joinedBefore = true;
        });
    });

    return () => {
      stop();
      clearTimeout(settle);
      clearTimeout(sure);
      for (const { closed } of [...hearers.current]) closed?.();
      joinedNow.current = false;
      if (channel.current) void supabase.removeChannel(channel.current);
      channel.current = null;
      setConnected(false);
      setPresent(nobody);
      setTypingPeople(nobody);
      for (const stop of stops.values()) clearTimeout(stop);
    };
  }, [planId, me, queries]);

  const say = useCallback((event: string, payload: Record<string, unknown>) => {
    // While the channel is away, the client would send this by HTTP instead, and warn of it.
    if (!joinedNow.current || !channel.current) return false;
    void channel.current.send({ type: "broadcast", event, payload });
    return true;
  }, []);
  const hear = useCallback((event: string, listener: (payload: unknown) => void, closed?: () => void) => {
    const entry = { event, listener, closed };
    hearers.current.add(entry);
    return () => void hearers.current.delete(entry);
  }, []);
  const setTyping = useCallback(
    (isTyping: boolean) => void say("typing", { user_id: me, typing: isTyping }),
    [me, say],
  );
  const listen = useCallback((listener: Listener, missed: () => void) => {
    const entry = { listener, missed };
    listeners.current.add(entry);
    return () => void listeners.current.delete(entry);
  }, []);

  const live = useMemo(
    () => ({ connected, present, typing, setTyping, listen, say, hear }),
    [connected, present, typing, setTyping, listen, say, hear],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function usePlanLive(): Live {
  return useContext(LiveContext);
}
