/**
 * Owns: registering the service worker, noticing its new versions, and opening the path of a clicked notification. It
 * never reloads a page without a click.
 */

/** A page that becomes visible checks for a new version if the last check is this long ago. */
const ASK_AGAIN_MS = 30 * 60_000;

let ready: (() => void) | null = null;
const listeners = new Set<() => void>();

/** Installs the new version; null while there is none. */
export function newVersion(): (() => void) | null {
  return ready;
}

export function onNewVersion(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function offer(bring: () => void): void {
  ready = bring;
  for (const listener of listeners) listener();
}

/**
 * Registers the worker of a built app. In development none is registered until notifications are turned on, because
 * Vite serves each file itself.
 * @param open shows a path of the app
 */
export function startWorker(open: (path: string) => void): void {
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ open?: unknown } | null>) => {
    if (typeof data?.open === "string" && data.open.startsWith("/")) open(data.open);
  });
  if (import.meta.hot) return;
  const hadOne = serviceWorker.controller !== null;
  let asked = false;
  serviceWorker.addEventListener("controllerchange", () => {
    // The first worker takes over a page of its own version; a later one was requested here or in another tab.
    if (!hadOne) return;
    if (asked) location.reload();
    else offer(() => location.reload());
  });
  // The host no longer has a module of this version, so only a reload with the new version helps. Without a connection
  // nothing is known of the host.
  addEventListener("vite:preloadError", () => {
    if (navigator.onLine) offer(() => location.reload());
  });
  const bring = (waiting: ServiceWorker) => () => {
    asked = true;
    waiting.postMessage("take over");
  };
  addEventListener("load", () => {
    void serviceWorker.register("/service-worker.js").then(
      (registration) => {
        if (!registration) return;
        if (registration.waiting && hadOne) offer(bring(registration.waiting));
        registration.addEventListener("updatefound", () => {
          const next = registration.installing;
          next?.addEventListener("statechange", () => {
            if (next.state === "installed" && serviceWorker.controller) offer(bring(next));
          });
        });
        lookAgain(registration);
      },
      // Without a worker the app works as long as there is a connection.
      (cause: unknown) => console.info("No service worker here.", cause),
    );
  });
}

function lookAgain(registration: ServiceWorkerRegistration): void {
  let last = Date.now();
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState !== "visible" || Date.now() - last < ASK_AGAIN_MS) return;
    last = Date.now();
    registration.update().catch(() => undefined); // no connection: next time
  });
}
