/** Tests directions.ts. */
import { expect, it } from "vitest";
import { directionsTo, hasDirections, platformOf } from "./directions.ts";

const place = { name: "Sal & Limão (Bica)", address: "Rua da Bica 1", latitude: 38.7128, longitude: -9.1474 };
const unplaced = { ...place, latitude: null, longitude: null };

it("knows whose map app is at hand", () => {
  expect(platformOf("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)")).toBe("apple");
  expect(platformOf("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)")).toBe("apple");
  expect(platformOf("Mozilla/5.0 (Linux; Android 16; Pixel 10)")).toBe("android");
  expect(platformOf("Mozilla/5.0 (X11; Linux x86_64)")).toBe("other");
});

it("leads each to the same door", () => {
  expect(directionsTo(place, "apple")).toBe(
    "https://maps.apple.com/?daddr=38.7128,-9.1474&q=Sal%20%26%20Lim%C3%A3o%20(Bica)",
  );
  expect(directionsTo(place, "android")).toBe(
    "geo:38.7128,-9.1474?q=38.7128,-9.1474(Sal%20%26%20Lim%C3%A3o%20%20Bica%20)",
  );
  expect(directionsTo(place, "other")).toBe(
    "https://www.openstreetmap.org/directions?to=38.7128%2C-9.1474#map=16/38.7128/-9.1474",
  );
});

it("leads to an address whose position is not known", () => {
  const at = "Sal%20%26%20Lim%C3%A3o%20(Bica)%2C%20Rua%20da%20Bica%201";
  expect(directionsTo(unplaced, "apple")).toBe(`https://maps.apple.com/?daddr=${at}`);
  expect(directionsTo(unplaced, "android")).toBe(`geo:0,0?q=${at}`);
  expect(directionsTo(unplaced, "other")).toBe(`https://www.google.com/maps/dir/?api=1&destination=${at}`);
  expect(hasDirections(unplaced)).toBe(true);
  expect(hasDirections({ ...unplaced, address: "" })).toBe(false);
});
