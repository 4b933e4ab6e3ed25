// @vitest-environment jsdom
/** Turning two-step verification off without a connection. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { cleanup, configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { securityQueries } from "../queries.ts";
import { TwoFactor } from "./two-factor.tsx";

// A busy machine needs longer to load a part than a second.
configure({ asyncUtilTimeout: 20_000 });
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("does not call a code wrong that could not be checked", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const user = userEvent.setup();
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(securityQueries.factor().queryKey, "f1");
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  render(
    <QueryClientProvider client={queries}>
      <RouterContextProvider router={router}>
        <TwoFactor />
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  await user.click(screen.getByRole("button", { name: "Turn off" }));
  await user.type(await screen.findByRole("textbox", { name: "Six-digit code" }), "123456{Enter}");
  expect((await screen.findByRole("alert")).textContent).toContain("We can't reach Nosh.");
  expect(screen.queryByText("That code is wrong or has expired.")).toBeNull();
});
