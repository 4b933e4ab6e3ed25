/** Tests directions.ts. */
import { expect, it } from "vitest";
import { directionsTo, platformOf } from "./directions.ts";

const place = { name: "Sal & Limão (Bica)", latitude: 38.7128, longitude: -9.1474 };

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
