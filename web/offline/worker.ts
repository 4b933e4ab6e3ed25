/**
 * Owns: the app's shell without a connection. It caches this version's own files and nothing else; requests to
 * the backend never go through it. A new version waits until the person asks for it.
 */

/** Put in by the build (shell.ts): the version, and the paths of its files. */
declare const VERSION: string;
declare const FILES: string[];

/** The part of ServiceWorkerGlobalScope that is used; the library of types for workers excludes that of pages. */
interface Worker {
  location: Location;
  clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetched) => void): void;
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetched {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}

const worker = self as unknown as Worker;
const PREFIX = "nosh-shell-";
const CACHE = PREFIX + VERSION;
/** How long the page may take to load before the cached one is shown; the data follows. */
const PATIENCE_MS = 4000;

worker.addEventListener("install", (event) => {
  const fresh = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(fresh)));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => names.filter((name) => name.startsWith(PREFIX) && name !== CACHE))
      .then((old) => Promise.all(old.map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  );
});

worker.addEventListener("message", ({ data }) => {
  if (data === "take over") void worker.skipWaiting();
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = new URL(request.url);
  if (request.method !== "GET" || address.origin !== worker.location.origin) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (FILES.includes(address.pathname) || address.pathname.startsWith("/assets/"))
    event.respondWith(file(request));
});

/** The page from the network, else the cached one: every path of the app is the same page. */
async function page(request: Request): Promise<Response> {
  const kept = () => caches.match("/index.html", { cacheName: CACHE });
  try {
    return await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
  } catch (unreachable) {
    const shell = await kept();
    if (shell) return shell;
    throw unreachable;
  }
}

/** File names contain a hash of the content, so a cached file is never stale. Files that were too large to precache are cached here. */
async function file(request: Request): Promise<Response> {
  const kept = await caches.match(request, { cacheName: CACHE, ignoreVary: true });
  if (kept) return kept;
  const fresh = await fetch(request);
  // For a missing file many hosts answer with the page, which must not be cached as that file.
  const isFile = fresh.ok && !(fresh.headers.get("content-type") ?? "").startsWith("text/html");
  if (isFile) await (await caches.open(CACHE)).put(request, fresh.clone());
  return fresh;
}
