/**
 * Owns: sharing the person's live position. It continues when another tab of the plan is opened, but not on another
 * page. It is broadcast on the person's own channel of the plan and never stored. It ends when it is stopped, when
 * its time is over, on arrival, or when the channel or the page closes; the end is broadcast too.
 */
import { useSyncExternalStore } from "react";
import type { Position } from "../map/geometry.ts";
import { broadcastOnClose } from "./last-broadcast.ts";
import { extended, POSITION_INTERVAL_MS, positionMessage, SHARE_MINUTES } from "./position.ts";

export const POSITION = "position";
export const POSITION_END = "position_end";
/** A board that opens sends this request, and gets the positions without waiting for the next repetition. */
export const POSITION_WANTED = "position_wanted";

/** The part of the plan's channel that sharing needs. */
export interface Channel {
  /** False, and nothing is sent, without a connection. */
  broadcast: (event: string, payload: Record<string, unknown>) => boolean;
  onBroadcast: (event: string, listener: () => void, closed?: () => void) => () => void;
  /** The topic on which this person sends; null while there is none. */
  ownTopic: () => string | null;
}

export type Ended = "denied" | "unavailable" | null;

export interface Sharing {
  plan: string;
  until: number;
  /** Null until the device has reported a position. */
  at: Position | null;
}

interface State {
  sharing: Sharing | null;
  /** Why sharing ended without the person stopping it, until the next start. */
  ended: Ended;
}

let state: State = { sharing: null, ended: null };
let stopAll: (() => void) | null = null;
const listeners = new Set<() => void>();

function become(next: State): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Starts sharing once the browser has permission. Sharing with another plan ends first. */
export function startSharing(plan: string, channel: Channel): void {
  stopSharing();
  become({ sharing: { plan, until: Date.now() + SHARE_MINUTES * 60_000, at: null }, ended: null });
  if (!("geolocation" in navigator)) {
    end("unavailable");
    return;
  }

  const sendPosition = () => {
    const sharing = state.sharing;
    if (!sharing?.at) return;
    if (Date.now() >= sharing.until) end(null);
    else channel.broadcast(POSITION, positionMessage(sharing.at, sharing.until));
  };
  const watch = navigator.geolocation.watchPosition(
    ({ coords }) => {
      if (!state.sharing) return;
      const first = state.sharing.at === null;
      const { latitude, longitude } = coords;
      become({ ...state, sharing: { ...state.sharing, at: { latitude, longitude } } });
      if (first) sendPosition();
    },
    (error) => {
      // A missing signal does not stop the sharing; a refused permission does.
      if (error.code === error.PERMISSION_DENIED) end("denied");
      else if (state.sharing?.at === null) end("unavailable");
    },
    { enableHighAccuracy: true, maximumAge: POSITION_INTERVAL_MS, timeout: 30_000 },
  );
  const timer = setInterval(sendPosition, POSITION_INTERVAL_MS);
  const over = setInterval(() => {
    if (state.sharing && Date.now() >= state.sharing.until) end(null);
  }, 1000);
  const stopListening = channel.onBroadcast(POSITION_WANTED, sendPosition, () => end(null));
  const leave = () => {
    const topic = channel.ownTopic();
    if (state.sharing && topic !== null) broadcastOnClose(topic, POSITION_END, {});
    end(null);
  };
  addEventListener("pagehide", leave);
  stopAll = () => {
    navigator.geolocation.clearWatch(watch);
    clearInterval(timer);
    clearInterval(over);
    removeEventListener("pagehide", leave);
    stopListening();
    channel.broadcast(POSITION_END, {});
  };
}

function end(ended: Ended): void {
  const stop = stopAll;
  stopAll = null;
  stop?.();
  if (state.sharing || ended) become({ sharing: null, ended });
}

export function stopSharing(): void {
  end(null);
}

export function extendSharing(): void {
  if (!state.sharing) return;
  const { sharing } = state;
  become({ ...state, sharing: { ...sharing, until: extended(sharing.until, Date.now()) } });
}

/** What the person shares with this plan, and why it ended if they did not stop it. */
export function useSharing(plan: string): State {
  const now = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
  return now.sharing && now.sharing.plan !== plan ? { sharing: null, ended: null } : now;
}
