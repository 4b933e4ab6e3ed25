// @vitest-environment jsdom
/** Moving between photos, and which one is shown when the open one is deleted. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterContextProvider,
} from "@tanstack/react-router";
import { cleanup, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import type { Photo } from "../queries.ts";
import { PhotoViewer } from "./photo-viewer.tsx";

afterEach(cleanup);

const photo = (id: string): Photo => ({
  id,
  plan_id: "p",
  author_id: "a",
  path: `${id}.jpg`,
  width: 4,
  height: 3,
  caption: id,
  created_at: "2026-11-27T12:00:00Z",
  url: `http://127.0.0.1/${id}.jpg`,
});

function viewer(ids: string, opened: string) {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() });
  const queries = new QueryClient();
  let at: string | null = opened;
  function Page({ photos }: { photos: string }) {
    const [shown, setShown] = useState<string | null>(opened);
    at = shown;
    return (
      <RouterContextProvider router={router}>
        <QueryClientProvider client={queries}>
          {shown === null ? null : (
            <PhotoViewer
              photos={[...photos].map(photo)}
              at={shown}
              setAt={setShown}
              nameOf={() => "Ana"}
              zone="UTC"
            />
          )}
        </QueryClientProvider>
      </RouterContextProvider>
    );
  }
  const { rerender } = render(<Page photos={ids} />);
  return {
    user: userEvent.setup(),
    at: () => at,
    remain: (left: string) => rerender(<Page photos={left} />),
  };
}

it("goes on by the arrow keys, and stays at both ends", async () => {
  const { user, at } = viewer("abc", "b");
  await user.keyboard("{ArrowRight}");
  expect(at()).toBe("c");
  await user.keyboard("{ArrowRight}");
  expect(at()).toBe("c");
  expect(screen.getByText("3 of 3")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Next photo" })).toBeNull();
  await user.keyboard("{ArrowLeft}{ArrowLeft}{ArrowLeft}");
  expect(at()).toBe("a");
});

it("shows the next photo when the open one is deleted, the one before the last, and closes after all", () => {
  const { at, remain } = viewer("abcd", "b");
  remain("acd");
  expect(at()).toBe("c");
  remain("ad");
  expect(at()).toBe("d");
  remain("a");
  expect(at()).toBe("a");
  remain("");
  expect(at()).toBeNull();
});

it("stays on the open photo when another one is deleted or added", () => {
  const { at, remain } = viewer("abc", "b");
  remain("bc");
  remain("xbc");
  expect(at()).toBe("b");
  expect(screen.getByText("2 of 3")).toBeDefined();
});
