/** Looking up addresses: the requests to a geocoder with Photon's API, the cache, and the response without a geocoder. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createBackend, type TestBackend } from "../../target/integration.ts";
import { guest, type NoshClient, signedIn } from "../people.ts";

/** As Photon describes a restaurant. */
const inn = {
  type: "Feature",
  geometry: { type: "Point", coordinates: [13.413, 52.518] },
  properties: {
    osm_key: "amenity",
    osm_value: "restaurant",
    type: "house",
    name: "Zur Letzten Instanz",
    street: "Waisenstraße",
    housenumber: "14",
    postcode: "10179",
    city: "Berlin",
    country: "Germany",
    extra: { cuisine: "german" },
  },
};
const asked: URL[] = [];
const agents: (string | undefined)[] = [];
let works = true;
let backend: TestBackend;
let without: TestBackend;
let ana: NoshClient;

const geocoder = createServer((request, response) => {
  asked.push(new URL(request.url ?? "", "http://geocoder"));
  agents.push(request.headers["user-agent"]);
  response.writeHead(works ? 200 : 503, { "content-type": "application/json" }).end(
    JSON.stringify({
      type: "FeatureCollection",
      features: [
        {
          type: "Feature",
          geometry: { type: "Point", coordinates: [13.4, 52.53] },
          properties: {
            osm_key: "place",
            type: "house",
            street: "Torstraße",
            housenumber: "1",
            city: "Berlin",
            country: "Germany",
            countrycode: "DE",
          },
        },
        ...(/letzte/i.test(request.url ?? "") ? [inn] : []),
      ],
    }),
  );
});
beforeAll(async () => {
  await new Promise<void>((resolve) => geocoder.listen(0, "127.0.0.1", resolve));
  const { port } = geocoder.address() as AddressInfo;
  [backend, without] = await Promise.all([
    createBackend({
      config: { edge_runtime: { secrets: { GEOCODER_URL: `http://127.0.0.1:${port}/api/` } } },
    }),
    createBackend(),
  ]);
  ana = await signedIn(backend, "ana");
});
afterAll(async () => {
  await Promise.all([backend?.drop(), without?.drop()]);
  geocoder?.close();
});

const lookUp = async (client: NoshClient, body: object) => {
  const { data, error } = await client.functions.invoke("look-up", { body });
  return error ? { status: error.context?.status, ...(await error.context?.json()) } : data;
};
const torstrasse = { name: "Torstraße 1", address: "Berlin, Germany", latitude: 52.53, longitude: 13.4 };

test("an address is looked up once for everybody, and the geocoder is sent only a region", async () => {
  const near = { latitude: 52.5231, longitude: 13.4111 };
  expect(await lookUp(ana, { words: " Torstraße  1 ", near, language: "de" })).toEqual({
    spots: [torstrasse],
    configured: true,
  });
  expect(asked.at(-1)?.search).toBe("?q=Torstra%C3%9Fe+1&lang=de&limit=6&lat=52.5&lon=13.4");
  expect(agents.at(-1)).toMatch(/^Nosh/);
  const before = asked.length;
  const other = await signedIn(backend, "ben");
  const again = { words: "torstraße 1", near: { latitude: 52.51, longitude: 13.44 }, language: "de" };
  expect(await lookUp(other, again)).toEqual({ spots: [torstrasse], configured: true });
  expect(asked.length).toBe(before);
  // An expired answer is looked up again.
  await backend.sql("update private.look_ups set asked_at = now() - interval '31 days'");
  expect(await lookUp(other, again)).toEqual({ spots: [torstrasse], configured: true });
  expect(asked.length).toBe(before + 1);
});

test("a place to eat is found by its name and marked as one, also from the cache", async () => {
  const found = {
    name: "Zur Letzten Instanz",
    address: "Waisenstraße 14, 10179 Berlin, Germany",
    latitude: 52.518,
    longitude: 13.413,
    food: true,
    cuisines: ["german"],
  };
  const question = { words: "Zur letzten", language: "de" };
  const first = await lookUp(ana, question);
  expect(first).toEqual({ spots: [torstrasse, found], configured: true });
  expect(await lookUp(ana, question)).toEqual(first);
});

test("the look-up of a starting point is not cached", async () => {
  const [before] = await backend.sql("select count(*) from private.look_ups");
  expect(await lookUp(ana, { words: "Meine Straße 5", keep: false })).toEqual({
    spots: [torstrasse],
    configured: true,
  });
  expect(await backend.sql("select count(*) from private.look_ups")).toEqual([before]);
});

test("guests may look addresses up, and invalid requests are refused", async () => {
  const { client } = await guest(backend, "Gast");
  expect(await lookUp(client, { words: "Torstraße" })).toEqual({ spots: [torstrasse], configured: true });
  for (const body of [
    {},
    { words: "ab" },
    { words: 7 },
    { words: "x".repeat(161) },
    { words: "Torstraße", near: { latitude: 91, longitude: 0 } },
    { words: "Torstraße", language: "fr" },
    { link: "https://example.org/" },
    { link: "http://169.254.169.254/latest/meta-data" },
  ]) {
    expect(await lookUp(ana, body)).toMatchObject({ status: 400, code: "invalid_request" });
  }
});

test("a geocoder that fails is an error, and a missing one is not", async () => {
  works = false;
  expect(await lookUp(ana, { words: "Neue Straße" })).toMatchObject({
    status: 502,
    code: "geocoder_unavailable",
  });
  works = true;
  expect(await lookUp(await signedIn(without, "ana"), { words: "Torstraße" })).toEqual({
    spots: [],
    configured: false,
  });
});
