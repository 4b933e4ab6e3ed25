/** What the bench says of its figures: losses against the last release, and how a cost grows. */
import { describe, expect, it } from "vitest";
import { bend, type Curve, exponent, page, picture } from "../../homebase/bench/curves.ts";
import { figure, losses, sharesOf } from "../../homebase/bench/figures.ts";

const plain = { name: "the driver", values: [1_000, 1_000, 1_000] };

describe("against the last release", () => {
  const release = sharesOf([
    figure("reads", "requests/s", [780, 800, 820], undefined, plain),
    figure("memory", "MB", [200], undefined, { name: "Deno alone", values: [100] }),
    figure("starts", "ms", [500]),
  ]);

  it("a figure without the plain way has no share", () => {
    expect(release).toEqual({ reads: 0.8, memory: 2 });
  });

  it("a loss is one of the best run", () => {
    const now = (...rates: number[]) =>
      losses([figure("reads", "requests/s", rates, undefined, plain)], release);
    expect(now(600, 650, 730)).toEqual([]);
    expect(now(600, 650, 700)).toEqual(["reads: 70 % of the driver at best, 80 % in the last release."]);
  });

  it("of a cost more is a loss", () => {
    const now = (megabytes: number) =>
      losses(
        [figure("memory", "MB", [megabytes], undefined, { name: "Deno alone", values: [100] })],
        release,
      );
    expect(now(190)).toEqual([]);
    expect(now(230)).toHaveLength(1);
  });
});

describe("a curve", () => {
  const curve = (cost: (size: number) => number): Curve => ({
    name: "a <cost>",
    of: "rows",
    points: [1e3, 1e4, 1e5, 1e6].map((size) => ({ size, milliseconds: cost(size), megabytes: 100 })),
  });

  it("that stays has no exponent and no bend", () => {
    expect(exponent(curve(() => 2))).toBe(0);
    expect(bend(curve(() => 2))).toBeUndefined();
  });

  it("that doubles with its data has 1 in its larger half, and bends where it begins to", () => {
    const late = curve((size) => Math.max(1, size / 1e4));
    expect(exponent(late)).toBeCloseTo(1);
    expect(bend(late)).toBe(1e4);
  });

  it("is drawn as text that a browser reads", () => {
    const drawn = picture([curve((size) => size / 100)]);
    expect(drawn).toContain("a &lt;cost>");
    expect(drawn.match(/<circle/g)).toHaveLength(4);
    expect(page([curve((size) => size / 100)])).toContain("| 1.00 |");
  });
});
