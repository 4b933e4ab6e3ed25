/** Owns: putting the app on the page, with its providers. */
import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { SessionProvider } from "../features/session/session.tsx";
import { whenClient } from "../lib/backend/client.ts";
import { storedSession } from "../lib/backend/stored-session.ts";
import { isOnline, onConnectionChange } from "../lib/device/online.ts";
import { AnnouncerProvider } from "../ui/announcer.tsx";
import "../ui/styles.css";
import { currentLanguage, onLanguage, startLanguage } from "./languages/language.ts";
import { NewVersion } from "./new-version.tsx";
import { startWorker } from "./pwa.ts";
import { queries } from "./queries.ts";
import { router } from "./router.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();

/** What one person saw is not for the next one on this device. */
function forgetPerson(): void {
  void import("./persisted-cache.ts").then(({ clearPersistedCache }) => clearPersistedCache());
}

/** What was seen is kept for who is signed in; a signed-out first view brings none of that along. */
async function remember(person: string | null): Promise<void> {
  const { persistCache, restoreCache } = await import("./persisted-cache.ts");
  await restoreCache(queries, person);
  persistCache(queries, () => storedSession()?.user.id ?? null);
}

/** Mounted anew in another language, so that no sentence of the last one is left. */
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
startWorker();
// React Query believes that there is a connection until it hears otherwise; a page may begin without.
onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isOnline())));
onlineManager.setOnline(isOnline());
const kept = storedSession();
// What the address leads to is fetched meanwhile, so that the first thing drawn is the screen and not its frame.
await Promise.all([startLanguage(), kept ? remember(kept.user.id) : undefined, router.load()]);
if (!kept) whenClient(() => void remember(null));
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
