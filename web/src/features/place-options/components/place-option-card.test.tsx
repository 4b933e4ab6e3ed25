// @vitest-environment jsdom
/** Removing a suggested place, by keyboard. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { samplePlan } from "../../plans/sample-plan.ts";
import type { PlaceOption } from "../../plans/schema.ts";
import { PlaceOptionCard } from "./place-option-card.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("keeps the focus on its buttons when removing is asked for and when it is cancelled", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  const user = userEvent.setup();
  const places = {
    id: "p",
    name: "Momo Sete",
    about: "",
    address: "",
    cuisines: [],
    price: null,
    safe_diets: [],
    place_hours: [],
    time_zone: "UTC",
  };
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterContextProvider router={router}>
        <PlaceOptionCard
          option={{ id: "o", proposed_by: null, place_votes: [], places } as unknown as PlaceOption}
          plan={samplePlan()}
          me="ana"
          trips={[]}
          marked={false}
          mayWithdraw
          toggle={null}
        />
      </RouterContextProvider>
    </QueryClientProvider>,
  );
  const focused = () => document.activeElement?.textContent;
  await user.click(screen.getByRole("button", { name: "Remove Momo Sete" }));
  expect(focused()).toBe("Cancel");
  await user.keyboard("{Enter}");
  expect(focused()).toBe("Remove");
});
