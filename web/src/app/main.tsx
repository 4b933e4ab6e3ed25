/** Owns: putting the app on the page, with its providers. */
import fraunces from "@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2?url";
import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, startTransition, useSyncExternalStore } from "react";
import { preload } from "react-dom";
import { createRoot } from "react-dom/client";
import { SessionProvider } from "../features/session/session.tsx";
import { whenClient } from "../lib/backend/client.ts";
import { fetchClient } from "../lib/backend/load-client.ts";
import { storedSession } from "../lib/backend/stored-session.ts";
import { holdInstallQuestion } from "../lib/device/install.ts";
import { isOnline, onConnectionChange } from "../lib/device/online.ts";
import { AnnouncerProvider } from "../ui/announcer.tsx";
import "../ui/theme/styles.css";
import { removeSnapshot } from "./home-snapshot-key.ts";
import { currentLanguage, onLanguage, startLanguage } from "./languages/language.ts";
import { NewVersion } from "./new-version.tsx";
import { startWorker } from "./pwa.ts";
import { queries } from "./queries.ts";
import { router } from "./router.tsx";
import { applyTheme } from "./theme.ts";
import { quietViewTransitions } from "./view-transitions.ts";

// While the first screen is made; the browser itself would ask for the font only when it draws that.
preload(fraunces, { as: "font", type: "font/woff2", crossOrigin: "" });
applyTheme();
quietViewTransitions();
holdInstallQuestion();

/** Removes the stored cache and the push subscription on sign-out: they must not reach the next person on this device. */
function forgetPerson(): void {
  removeSnapshot();
  void import("../features/push/device.ts").then(({ forgetDevice }) => forgetDevice());
  void import("./persisted-cache.ts").then(({ clearPersistedCache }) => clearPersistedCache());
}

/** Persists the cache for the signed-in person; a signed-out first view does not load this module. */
async function remember(person: string | null): Promise<void> {
  const { persistCache, restoreCache } = await import("./persisted-cache.ts");
  await restoreCache(queries, person);
  persistCache(queries, () => storedSession()?.user.id ?? null);
}

/** Mounts the tree again when the language changes, so that no sentence of the previous language is left. */
function App() {
  const language = useSyncExternalStore(onLanguage, currentLanguage);
  return (
    <QueryClientProvider client={queries}>
      <AnnouncerProvider key={language}>
        <SessionProvider onLeave={forgetPerson}>
          <RouterProvider router={router} />
        </SessionProvider>
        <NewVersion />
      </AnnouncerProvider>
    </QueryClientProvider>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
startWorker((path) => router.history.push(path));
// React Query assumes a connection until an event says otherwise; a page may load without one.
onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isOnline())));
onlineManager.setOnline(isOnline());
const session = storedSession();
// Begun when everything for the first paint is here; it runs after that (features/session/session.tsx).
if (session) fetchClient().catch(() => undefined);
// The route is loaded first, so that the first paint is the screen and not an empty frame.
// The stored cache is restored before the route reads, which then waits only for what is missing.
await Promise.all([startLanguage(), session ? remember(session.user.id) : undefined]);
await router.load();
if (!session) whenClient(() => void remember(null));
const screen = createRoot(root);
// In slices: a tap on the page that is being drawn is answered in between.
startTransition(() =>
  screen.render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
);
