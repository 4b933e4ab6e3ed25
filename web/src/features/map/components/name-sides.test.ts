/** Tests name-sides.ts. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NamedMarker, type NamePlace, placesOf } from "./name-sides.ts";

const phone = { width: 390, height: 320 };
const sidesOf = (markers: readonly NamedMarker[]) => placesOf(markers, phone).map(({ side }) => side);
const at = (x: number, y: number, nameWidth = 120): NamedMarker => ({ x, y, size: 32, nameWidth });

/** The pixels of a name, from its own definition: 24 high, 4 away from the marker. */
function nameOf({ x, y, size }: NamedMarker, { side, width: nameWidth }: NamePlace) {
  const half = size / 2;
  if (side === "below" || side === "above") {
    const top = side === "below" ? y + half + 4 : y - half - 4 - 24;
    return { left: x - nameWidth / 2, right: x + nameWidth / 2, top, bottom: top + 24 };
  }
  const left = side === "right" ? x + half + 4 : x - half - 4 - nameWidth;
  return { left, right: left + nameWidth, top: y - 12, bottom: y + 12 };
}

describe("the names on a map", () => {
  it("stand below their markers where there is room", () => {
    expect(sidesOf([at(80, 50), at(300, 50), at(80, 200)])).toEqual(["below", "below", "below"]);
  });

  it("of four close places stand on different sides", () => {
    expect(sidesOf([at(100, 100), at(150, 110), at(120, 150), at(170, 160)])).not.toContain("hidden");
  });

  it("stand within the map where they can", () => {
    expect(sidesOf([at(30, 100), at(200, 305), at(380, 20)])).toEqual(["right", "above", "left"]);
  });

  it("are cut where the map ends beside the only side with room", () => {
    const [name] = placesOf([at(120, 100), at(120, 60), at(120, 140), at(160, 100)], phone);
    expect(name).toEqual({ side: "left", width: 100 });
  });

  it("are hidden where no side has room", () => {
    const around = [at(-40, 0), at(40, 0), at(0, -40), at(0, 40)];
    expect(sidesOf([...around, at(0, 0)]).at(-1)).toBe("hidden");
  });

  it("never cover a marker or each other", () => {
    const marker = fc.record({
      x: fc.integer({ min: 0, max: 390 }),
      y: fc.integer({ min: 0, max: 320 }),
      size: fc.constantFrom(24, 32, 36),
      nameWidth: fc.integer({ min: 20, max: 160 }),
    });
    fc.assert(
      fc.property(fc.array(marker, { maxLength: 8 }), (markers) => {
        const places = placesOf(markers, phone);
        const names = markers.flatMap((one, index) => {
          const place = places[index];
          return !place || place.side === "hidden" ? [] : [{ index, box: nameOf(one, place) }];
        });
        for (const { index, box } of names) {
          const others = [
            ...markers.flatMap(({ x, y, size }, other) =>
              other === index
                ? []
                : [{ left: x - size / 2, right: x + size / 2, top: y - size / 2, bottom: y + size / 2 }],
            ),
            ...names.flatMap((name) => (name.index === index ? [] : [name.box])),
          ];
          for (const other of others) {
            const apart =
              box.right <= other.left ||
              other.right <= box.left ||
              box.bottom <= other.top ||
              other.bottom <= box.top;
            expect(apart).toBe(true);
          }
        }
      }),
    );
  });
});
