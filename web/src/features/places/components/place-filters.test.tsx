// @vitest-environment jsdom
/** The panel of filters on a phone. */
import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { PlacesSearch } from "../search.ts";
import { PlaceFilters } from "./place-filters.tsx";

afterEach(cleanup);

const filters = (search: PlacesSearch) => (
  <PlaceFilters
    search={search}
    plan={null}
    near={{ position: null, from: null, pending: false, asking: false, failed: false, ask: () => {} }}
    viewerZone="UTC"
    wide={false}
    onChange={() => {}}
  />
);

it("stays open when its last filter is cleared, as the cleared control has the focus", () => {
  const { rerender } = render(filters({ saved: true }));
  const open = () => screen.getByRole<HTMLDetailsElement>("group").open;
  expect(open()).toBe(true);
  rerender(filters({}));
  expect(open()).toBe(true);
});
