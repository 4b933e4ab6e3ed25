/** Tests claims.ts. */
import { describe, expect, it } from "vitest";
import { dietStatuses } from "./claims.ts";
import type { Claim } from "./schema.ts";

const claim = (diet: Claim["diet"], made_by: string | null, holds = true): Claim => ({
  diet,
  made_by,
  holds,
  from_source: made_by === null,
  made_at: "2026-05-03T12:00:00Z",
  profiles: null,
});
const of = (...given: Parameters<typeof dietStatuses>) =>
  Object.fromEntries(dietStatuses(...given).map((standing) => [standing.diet, standing]));

describe("dietStatuses", () => {
  it("says what is concluded, and from what", () => {
    const { vegan, vegetarian, halal } = of(["vegan"], [claim("vegan", "ana")], "ben");
    expect([vegan?.safe, vegan?.from, vegan?.mine]).toEqual([true, null, null]);
    expect([vegetarian?.safe, vegetarian?.from]).toEqual([true, "vegan"]);
    expect([halal?.safe, halal?.from, halal?.claims]).toEqual([false, null, []]);
  });

  it("keeps every word on a diet, and finds one's own", () => {
    const { vegan } = of(
      [],
      [claim("vegan", "ana"), claim("vegan", "ben", false), claim("halal", "ben")],
      "ben",
    );
    expect(vegan).toMatchObject({ safe: false, mine: false });
    expect(vegan?.claims.map(({ made_by }) => made_by)).toEqual(["ana", "ben"]);
  });
});
