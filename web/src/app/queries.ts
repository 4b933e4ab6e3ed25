/** Owns: the cache of what was read, for the whole app, and what becomes of errors in it. */
import { MutationCache, type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { toAppError } from "../lib/errors.ts";

/** Only what nobody foresaw goes to the log; the other kinds are shown where they arose. */
function report(error: unknown): void {
  if (toAppError(error).kind === "unexpected") console.error(error);
}

/** Reading anew that fails for want of a connection does not take away what was read before. */
function keepWhatWasRead(error: Error, query: Query<unknown, unknown>): void {
  report(error);
  if (query.state.data !== undefined && toAppError(error).kind === "network") {
    query.setState({ status: "success", error: null });
  }
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: keepWhatWasRead }),
  mutationCache: new MutationCache({ onError: report }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 2 && toAppError(error).kind === "network",
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: "always" },
  },
});
