// @vitest-environment jsdom
/** When the entries of the activity screen count as read. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { type Notification, notificationQueries } from "../../features/notifications/queries.ts";
import { Notifications } from "./notifications.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const entry = (id: string, created_at: string): Notification => ({
  id,
  kind: "plan_confirmed",
  plan_id: "p",
  created_at,
  read_at: null,
  plans: null,
  actor: null,
  actor_id: null,
});

it("leaves entries new while it is open, also when another arrives, and marks all when it is left", async () => {
  const sent: string[] = [];
  // A read that another file's component has begun may be repeated meanwhile.
  vi.stubGlobal("fetch", async (address: URL | string, { method }: RequestInit = {}) => {
    if (method === "PATCH") sent.push(new URL(address).search);
    return new Response(null, { status: 204 });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const { queryKey } = notificationQueries.all();
  const first = entry("1", "2026-11-20T10:00:00Z");
  queries.setQueryData(queryKey, [first]);
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  const { unmount } = render(
    <QueryClientProvider client={queries}>
      <RouterContextProvider router={router}>
        <Notifications />
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  act(() => {
    queries.setQueryData(queryKey, [entry("2", "2026-11-20T11:00:00Z"), first]);
  });
  await vi.waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(2), 20_000);
  unmount();
  await vi.waitFor(() => expect(sent).not.toEqual([]), 20_000);
  expect(sent).toEqual(["?read_at=is.null&created_at=lte.2026-11-20T11%3A00%3A00Z"]);
});
