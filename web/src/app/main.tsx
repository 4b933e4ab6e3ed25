/** Owns: putting the app on the page, with its providers. */
import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { SessionProvider } from "../features/session/session.tsx";
import { toAppError } from "../lib/errors.ts";
import { AnnouncerProvider } from "../ui/announcer.tsx";
import "../ui/styles.css";
import { currentLanguage, onLanguage, startLanguage } from "./languages/language.ts";
import { router } from "./router.tsx";
import { applyTheme } from "./theme.ts";

applyTheme();

/** Only what nobody foresaw goes to the log; the other kinds are shown where they arose. */
function report(error: unknown): void {
  if (toAppError(error).kind === "unexpected") console.error(error);
}

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: report }),
  mutationCache: new MutationCache({ onError: report }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && toAppError(error).kind === "network",
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: "always" },
  },
});

/** Mounted anew in another language, so that no sentence of the last one is left. */
function App() {
  const language = useSyncExternalStore(onLanguage, currentLanguage);
  return (
    <QueryClientProvider client={queries}>
      <AnnouncerProvider key={language}>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </AnnouncerProvider>
    </QueryClientProvider>
  );
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
await startLanguage();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
