/** Tests seating.ts. */
import { describe, expect, it } from "vitest";
import { layOut } from "./seating.ts";

describe("layOut", () => {
  it.each(Array.from({ length: 19 }, (_, index) => index + 2))("seats %i people without overlap", (count) => {
    const { seats, chair } = layOut(count);
    expect(seats).toHaveLength(count);
    for (const [index, seat] of seats.entries()) {
      for (const other of seats.slice(index + 1)) {
        expect(Math.hypot(seat.x - other.x, seat.y - other.y)).toBeGreaterThan(chair * 2);
      }
    }
  });

  it("keeps every chair inside the drawing", () => {
    for (let count = 1; count <= 20; count++) {
      const { seats, chair, width, height } = layOut(count);
      for (const seat of seats) {
        expect(Math.abs(seat.x) + chair).toBeLessThanOrEqual(width / 2);
        expect(Math.abs(seat.y) + chair).toBeLessThanOrEqual(height / 2);
      }
    }
  });

  it("is round for a few and long for many", () => {
    expect(layOut(6).rx).toBe(layOut(6).ry);
    expect(layOut(20).rx).toBeGreaterThan(layOut(20).ry * 1.5);
  });
});
