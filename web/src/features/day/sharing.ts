/**
 * Owns: sharing the person's live position. It continues when another tab of the plan is opened, but not on another
 * page. It is broadcast on the person's own channel of the plan and never stored. It ends when it is stopped, when
 * its time is over, on arrival, or when the channel or the page closes; the end is broadcast too.
 */
import { createStore } from "../../lib/store.ts";
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

const state = createStore<State>({ sharing: null, ended: null });
let stopAll: (() => void) | null = null;

/** Starts sharing once the browser has permission. Sharing with another plan ends first. */
export function startSharing(plan: string, channel: Channel): void {
  stopSharing();
  state.set({ sharing: { plan, until: Date.now() + SHARE_MINUTES * 60_000, at: null }, ended: null });
  if (!("geolocation" in navigator)) {
    end("unavailable");
    return;
  }

  const sendPosition = () => {
    const { sharing } = state.get();
    if (!sharing?.at) return;
    if (Date.now() >= sharing.until) end(null);
    else channel.broadcast(POSITION, positionMessage(sharing.at, sharing.until));
  };
  const watch = navigator.geolocation.watchPosition(
    ({ coords }) => {
      const { sharing } = state.get();
      if (!sharing) return;
      const first = sharing.at === null;
      const { latitude, longitude } = coords;
      state.set({ ...state.get(), sharing: { ...sharing, at: { latitude, longitude } } });
      if (first) sendPosition();
    },
    (error) => {
      // A missing signal does not stop the sharing; a refused permission does.
      if (error.code === error.PERMISSION_DENIED) end("denied");
      else if (state.get().sharing?.at === null) end("unavailable");
    },
    { enableHighAccuracy: true, maximumAge: POSITION_INTERVAL_MS, timeout: 30_000 },
  );
  const timer = setInterval(sendPosition, POSITION_INTERVAL_MS);
  const over = setInterval(() => {
    if (Date.now() >= (state.get().sharing?.until ?? Number.POSITIVE_INFINITY)) end(null);
  }, 1000);
  const stopListening = channel.onBroadcast(POSITION_WANTED, sendPosition, () => end(null));
  const leave = () => {
    const topic = channel.ownTopic();
    if (state.get().sharing && topic !== null) broadcastOnClose(topic, POSITION_END, {});
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
  if (state.get().sharing || ended) state.set({ sharing: null, ended });
}

export function stopSharing(): void {
  end(null);
}

export function extendSharing(): void {
  const { sharing } = state.get();
  if (!sharing) return;
  state.set({ ...state.get(), sharing: { ...sharing, until: extended(sharing.until, Date.now()) } });
}

/** What the person shares with this plan, and why it ended if they did not stop it. */
export function useSharing(plan: string): State {
  const now = state.useValue();
  return now.sharing && now.sharing.plan !== plan ? { sharing: null, ended: null } : now;
}
