/**
 * Owns: the app's shell without a connection, and showing notifications. It caches this version's own files and nothing
 * else; requests to the backend never go through it. A new version waits until the person asks for it.
 */

/** Put in by the build (shell.ts): the version, and the paths of its files. */
declare const VERSION: string;
declare const FILES: string[];

/** The part of ServiceWorkerGlobalScope that is used; the library of types for workers excludes that of pages. */
interface Worker {
  location: Location;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window"; includeUncontrolled: boolean }): Promise<Page[]>;
    openWindow(address: string): Promise<unknown>;
  };
  registration: Pick<ServiceWorkerRegistration, "showNotification" | "pushManager">;
  skipWaiting(): Promise<void>;
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(type: "message", listener: (event: MessageEvent) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetched) => void): void;
  addEventListener(type: "push", listener: (event: Pushed) => void): void;
  addEventListener(type: "notificationclick", listener: (event: Clicked) => void): void;
  addEventListener(type: "pushsubscriptionchange", listener: (event: Changed) => void): void;
}
interface Page {
  url: string;
  focus(): Promise<unknown>;
  postMessage(message: { open: string }): void;
}
interface Extendable {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetched {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Pushed extends Extendable {
  data: { json(): unknown } | null;
}
interface Clicked extends Extendable {
  notification: Notification;
}
interface Changed extends Extendable {
  oldSubscription: PushSubscription | null;
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

// ---------------------------------------------------------------------------------------------------------
// Notifications

/** What the function web-push sends (supabase/functions/_shared/push/push_words.ts). */
interface PushMessage {
  title: string;
  body: string;
  path: string;
  tag: string;
  lang: string;
}

worker.addEventListener("push", (event) => {
  event.waitUntil(show(messageIn(event.data)));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(String((event.notification.data as { path?: unknown } | null)?.path ?? "/home")));
});

// The browser has ended the subscription. The app sends the new one to the server at its next start (push/refresh.ts).
worker.addEventListener("pushsubscriptionchange", (event) => {
  const options = event.oldSubscription?.options;
  if (options) event.waitUntil(worker.registration.pushManager.subscribe(options));
});

/** Browsers require that every push shows a notification, so an unreadable one leads to the activity screen. */
function messageIn(data: Pushed["data"]): PushMessage {
  const unread = { title: "Nosh", body: "", path: "/notifications", tag: "nosh", lang: "en" };
  try {
    const given = data?.json() as Partial<Record<keyof PushMessage, unknown>> | null | undefined;
    const text = (name: keyof PushMessage) =>
      typeof given?.[name] === "string" ? given[name] : unread[name];
    return {
      title: text("title"),
      body: text("body"),
      path: text("path"),
      tag: text("tag"),
      lang: text("lang"),
    };
  } catch {
    return unread;
  }
}

function show({ title, body, path, tag, lang }: PushMessage): Promise<void> {
  const options: NotificationOptions & { renotify: boolean } = {
    body,
    tag,
    lang,
    // A newer message of a plan replaces the one before, and alerts again.
    renotify: true,
    icon: "/icon-192.png",
    badge: "/icon-192.png",
    data: { path },
  };
  return worker.registration.showNotification(title, options);
}

/** Shows a path in the app's window that has it open, else in another of its windows, else in a new one. */
async function open(path: string): Promise<void> {
  const { origin } = worker.location;
  const target = new URL(path, origin);
  if (target.origin !== origin) return;
  const pages = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === target.pathname) ?? pages[0];
  if (!page) return void (await worker.clients.openWindow(target.href));
  // A browser may refuse to focus the window; the window shows the path nevertheless.
  await page.focus().catch(() => undefined);
  page.postMessage({ open: target.pathname + target.search });
}
