/** Tests photon.ts, throttle.ts and short_link.ts. */
import { describe, expect, it } from "vitest";
import type { Network } from "../network/https_get.ts";
import { photonUrl, spotsOf } from "./photon.ts";
import { isShortMapLink, longLink } from "./short_link.ts";
import { throttle } from "./throttle.ts";

describe("Photon", () => {
  it("is asked in the person's language, and is sent only a region", () => {
    const near = { latitude: 38.71694, longitude: -9.13987 };
    expect(photonUrl("https://geo.example/api/", { words: "Rua & Praça", near, language: "de" }).href).toBe(
      "https://geo.example/api/?q=Rua+%26+Pra%C3%A7a&lang=de&limit=6&lat=38.7&lon=-9.1",
    );
  });

  it("answers with names and addresses", () => {
    const feature = (coordinates: unknown, properties: object) => ({
      type: "Feature",
      geometry: { type: "Point", coordinates },
      properties: { osm_id: 1, osm_type: "N", osm_key: "amenity", ...properties },
    });
    expect(
      spotsOf({
        type: "FeatureCollection",
        features: [
          feature([-9.15, 38.71], {
            name: "Momo Sete",
            street: "Rua do Poço dos Negros",
            housenumber: "77",
            postcode: "1200-337",
            city: "Lisboa",
            country: "Portugal",
            osm_value: "restaurant",
            extra: { cuisine: "nepali; Middle_Eastern;" },
          }),
          feature([13.4, 52.5], {
            street: "Torstraße",
            housenumber: "1",
            city: "Berlin",
            country: "Germany",
          }),
          feature([1, 2], {}),
          feature(["x", 2], { name: "Nowhere" }),
          feature([1, 200], { name: "Off the Earth" }),
        ],
      }),
    ).toEqual([
      {
        name: "Momo Sete",
        address: "Rua do Poço dos Negros 77, 1200-337 Lisboa, Portugal",
        latitude: 38.71,
        longitude: -9.15,
        food: true,
        cuisines: ["nepali", "middle eastern"],
      },
      { name: "Torstraße 1", address: "Berlin, Germany", latitude: 52.5, longitude: 13.4 },
    ]);
    expect(() => spotsOf([])).toThrow("features");
  });
});

it("the throttle lets one request through in an interval, in order, and refuses those that would wait too long", async () => {
  let now = 0;
  const waits: number[] = [];
  const turns = throttle(1000, 2500, {
    now: () => now,
    wait: async (ms) => void waits.push(ms),
  });
  expect(await Promise.all([turns.acquire(), turns.acquire(), turns.acquire(), turns.acquire()])).toEqual([
    true,
    true,
    true,
    false,
  ]);
  expect(waits).toEqual([1000, 2000]);
  now = 5000;
  expect(await turns.acquire()).toBe(true);
  expect(waits).toHaveLength(2);
});

describe("a short map link", () => {
  it.each([
    ["https://maps.app.goo.gl/AbC", true],
    ["https://goo.gl/maps/AbC", true],
    ["https://goo.gl/AbC", false],
    ["https://www.bing.com/maps/short/x", true],
    ["https://www.bing.com/search?q=x", false],
    ["http://maps.app.goo.gl/AbC", false],
    ["https://maps.app.goo.gl.example.org/AbC", false],
    ["https://user@example.org/maps.app.goo.gl", false],
    ["no link", false],
  ])("%s: %s", (link, is) => expect(isShortMapLink(link)).toBe(is));

  /** A network that answers with these redirects, and the host names that were asked. */
  function network(locations: Record<string, string | null>): { asked: string[]; net: Network } {
    const asked: string[] = [];
    const net: Network = {
      resolve: async () => ["142.250.1.1"],
      connect: async (_address, name) => {
        asked.push(name);
        const location = locations[name];
        const text = location
          ? `HTTP/1.1 302 Found\r\nLocation: ${location}\r\n\r\n`
          : "HTTP/1.1 200 OK\r\n\r\nhello";
        return {
          readable: new Blob([text]).stream(),
          write: async () => undefined,
          close: () => undefined,
        };
      },
    };
    return { asked, net };
  }

  it("is followed by its own hosts only", async () => {
    const { asked, net } = network({
      "goo.gl": "https://maps.app.goo.gl/x",
      "maps.app.goo.gl": "https://www.google.com/maps/place/Momo+Sete/",
    });
    expect(await longLink("https://goo.gl/maps/x", net)).toBe("https://www.google.com/maps/place/Momo+Sete/");
    expect(asked).toEqual(["goo.gl", "maps.app.goo.gl"]);
  });

  it("is not followed if it leads nowhere, to a private address, or in a circle", async () => {
    expect(await longLink("https://osm.org/go/x", network({}).net)).toBeNull();
    const inside = network({ "osm.org": "https://127.0.0.1/admin" });
    expect(await longLink("https://osm.org/go/x", inside.net)).toBe("https://127.0.0.1/admin");
    expect(inside.asked).toEqual(["osm.org"]);
    const circle = network({ "osm.org": "https://osm.org/go/x" });
    await expect(longLink("https://osm.org/go/x", circle.net)).rejects.toThrow("redirects too often");
  });
});
