// @vitest-environment jsdom
/** Which diets of a place are shown as safe, by whose word, and what a person can say to each. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Claim } from "../schema.ts";
import { DietClaims } from "./diet-claims.tsx";

afterEach(cleanup);

const claim = (diet: Claim["diet"], holds: boolean, more: Partial<Claim> = {}): Claim => ({
  diet,
  holds,
  made_by: "ben",
  from_source: false,
  made_at: "2026-11-02T12:00:00Z",
  profiles: { display_name: "Ben" },
  ...more,
});

function claims(safe: Claim["diet"][], given: Claim[]) {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  queries.setQueryData(["place", "p", "claims"], given);
  render(
    <QueryClientProvider client={queries}>
      <DietClaims
        place={{ id: "p", safe_diets: safe }}
        me="ana"
        now={Date.parse("2026-11-27T12:00Z")}
        zone="UTC"
      />
    </QueryClientProvider>,
  );
}
/** The row of a diet: its text, and the names of its buttons. */
const row = (text: RegExp) => {
  const found = screen.getAllByRole("listitem").find((item) => text.test(item.textContent ?? ""));
  if (!found) throw new Error(`No row ${text}`);
  return {
    text: found.textContent,
    buttons: within(found)
      .queryAllByRole("button")
      .map((one) => one.textContent),
  };
};

it("offers to confirm and to doubt what others said, and names them", () => {
  claims(["halal"], [claim("halal", true), claim("kosher", false, { profiles: null })]);
  expect(row(/halal/i)).toEqual({
    text: expect.stringContaining("confirmed by Ben in"),
    buttons: ["Confirm", "I doubt it"],
  });
  expect(row(/kosher/i).text).toContain("doubted by someone in");
});

it("offers to clear one's own word, and only the other one beside it", () => {
  claims(["halal"], [claim("halal", true, { made_by: "ana" }), claim("kosher", false, { made_by: "ana" })]);
  expect(row(/halal/i).text).toContain("confirmed by you in");
  expect(row(/halal/i).buttons).toEqual(["I doubt it", "Clear"]);
  expect(row(/kosher/i).buttons).toEqual(["Confirm", "Clear"]);
});

it("says which diet another follows from, without buttons as nobody spoke about it", () => {
  claims(["vegan"], [claim("vegan", true, { made_by: null, from_source: true })]);
  expect(row(/^vegan/i).text).toContain("confirmed by OpenStreetMap in");
  expect(row(/^vegetarian/i)).toEqual({ text: expect.stringMatching(/follows from vegan/i), buttons: [] });
});
