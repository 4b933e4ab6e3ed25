/**
 * Owns: whether there is a connection. `navigator.onLine` is not enough: right after a reload it can be
 * wrong. Until the backend's first response, a failed request counts as no connection.
 */
import { useSyncExternalStore } from "react";

/** "unknown" until the backend's first response; "unreachable" if a request failed before one. */
let backend: "unknown" | "answered" | "unreachable" = "unknown";
const listeners = new Set<() => void>();
let probing: ReturnType<typeof setTimeout> | undefined;

const PROBE_MS = 1_500;

export function isOnline(): boolean {
  return navigator.onLine && backend !== "unreachable";
}

/** Calls the listener when a connection may have come or gone. Returns a function that unsubscribes. */
export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Records that the backend responded, with any status. */
export function backendAnswered(): void {
  const before = backend;
  backend = "answered";
  clearTimeout(probing);
  if (before === "unreachable") notify();
}

/**
 * Records that a request to the backend got no response.
 * @param probe sends any request to the backend; it is called until one is answered
 */
export function backendFailed(probe: () => Promise<unknown>): void {
  if (backend !== "unknown") return;
  backend = "unreachable";
  notify();
  const again = () => {
    probe().then(backendAnswered, () => {
      probing = setTimeout(again, PROBE_MS);
    });
  };
  probing = setTimeout(again, PROBE_MS);
}

export function useOnline(): boolean {
  return useSyncExternalStore(onConnectionChange, isOnline);
}

function notify(): void {
  for (const listener of listeners) listener();
}

addEventListener("online", notify);
addEventListener("offline", notify);
