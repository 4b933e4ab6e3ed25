// @vitest-environment jsdom
/** Older messages that cannot be loaded, and trying it again. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { MessageList } from "./message-list.tsx";
import type { RowActions } from "./message-row.tsx";

// A busy machine needs longer to load a part than a second.
configure({ asyncUtilTimeout: 20_000 });
beforeEach(() => {
  // jsdom has no layout, and so no observer of it.
  class Observer {
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  vi.stubGlobal("ResizeObserver", Observer);
  vi.stubGlobal("IntersectionObserver", Observer);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("loads older messages again when asked to, without another scroll", async () => {
  const older = vi.fn(() => Promise.reject(new TypeError("Failed to fetch")));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MessageList
        messages={[]}
        hasOlder
        older={older}
        unreadKey={null}
        target={null}
        photos={new Map()}
        people={{ of: () => null, nameOf: () => "Ben" }}
        me="me"
        zone="Europe/Lisbon"
        online
        actions={{} as RowActions}
        onEnd={() => {}}
      />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(older).toHaveBeenCalledTimes(2);
});
