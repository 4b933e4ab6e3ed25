/** Owns: the app's query client, and which errors of queries and mutations are logged. */
import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { probe } from "../lib/backend/watched-fetch.ts";
import { toAppError } from "../lib/errors.ts";

/** Logs unexpected errors only; the other kinds are shown on the screen where they occur. */
function report(error: unknown): void {
  if (toAppError(error).kind === "unexpected") console.error(error);
}

/** A refetch that fails without a connection leaves the earlier data on the screen. */
function keepWhatWasRead(error: Error, query: Query<unknown, unknown>): void {
  report(error);
  if (toAppError(error).kind === "network") {
    lost.add(query.queryHash);
    scheduleRecovery();
  }
  if (query.state.data !== undefined && toAppError(error).kind === "network") {
    query.setState({ status: "success", error: null });
  }
}

/** The code of a request that got no answer and failed at once (lib/errors.ts). */
const OFFLINE = "offline";

/** Queries whose last reading got no answer. */
const lost = new Set<string>();
const PROBE_EVERY_MS = 2_000;
let recovering: ReturnType<typeof setTimeout> | undefined;

/** Asks now and then whether the backend is back, and then reads again what could not be read. */
function scheduleRecovery(): void {
  if (recovering !== undefined) return;
  recovering = setTimeout(() => {
    recovering = undefined;
    probe().then(recover, scheduleRecovery);
  }, PROBE_EVERY_MS);
}

function recover(): Promise<void> {
  const again = new Set(lost);
  lost.clear();
  return queries.refetchQueries({ predicate: (query) => query.isActive() && again.has(query.queryHash) });
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: keepWhatWasRead }),
  mutationCache: new MutationCache({ onError: report }),
  defaultOptions: {
    queries: {
      // A second try is for a line that broke for a moment; a server that is down or hangs is said within seconds.
      retry: (failures, error) => failures < 1 && toAppError(error).code === OFFLINE,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: "always" },
  },
});
