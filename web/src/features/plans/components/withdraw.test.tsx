// @vitest-environment jsdom
/** Removing a suggested time or place, by keyboard. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import { Withdraw } from "./withdraw.tsx";

afterEach(cleanup);

it("keeps the focus on its buttons when it asks and when it is cancelled", async () => {
  const words = { open: "Remove this time", title: "Remove this time?", done: "Time removed." };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Withdraw planId="p" withdraw={() => Promise.resolve()} votes={2} words={words} />
    </QueryClientProvider>,
  );
  const focused = () => document.activeElement?.textContent;
  await userEvent.click(screen.getByRole("button", { name: "Remove this time" }));
  expect(screen.getByText(/2 answers to it will be removed/)).toBeDefined();
  expect(focused()).toBe("Cancel");
  await userEvent.keyboard("{Enter}");
  expect(focused()).toBe("Remove this time");
});
