/** Tests merge-found.ts. */
import { expect, it } from "vitest";
import { mergeFound } from "./merge-found.ts";
import type { FoundPlace } from "./schema.ts";

const found = (name: string, more: Partial<FoundPlace> = {}): FoundPlace => ({
  id: null,
  source: "openstreetmap",
  external_id: "node/1",
  name,
  about: "",
  cuisines: [],
  address: "",
  latitude: 52.52,
  longitude: 13.4,
  price: null,
  safe_diets: [],
  hours: null,
  ...more,
});
const spot = (name: string, more = {}) => ({
  name,
  address: "Waisenstraße 14, 10179 Berlin",
  latitude: 52.5201,
  longitude: 13.4,
  food: true,
  ...more,
});

it("adds the geocoder's places to eat, without streets and duplicates", () => {
  const names = mergeFound(
    [found("Café Mitte")],
    [
      spot("cafe mitte"),
      spot("Café Mitte", { latitude: 52.6 }),
      spot("Mittestraße", { food: undefined }),
      spot("Zur Mitte"),
    ],
  ).map(({ name, latitude }) => `${name} ${latitude}`);
  expect(names).toEqual(["Café Mitte 52.52", "Café Mitte 52.6", "Zur Mitte 52.5201"]);
});

it("leaves room for three of the geocoder's places, and fills the rest with the others", () => {
  const many = [1, 2, 3, 4, 5, 6, 7].map((number) => found(`Known ${number}`));
  const spots = [1, 2, 3, 4].map((number) => spot(`Further ${number}`));
  expect(mergeFound(many, spots).map(({ name }) => name)).toEqual([
    "Known 1",
    "Known 2",
    "Known 3",
    "Further 1",
    "Further 2",
    "Further 3",
  ]);
  expect(mergeFound(many, [])).toHaveLength(6);
  expect(mergeFound([], spots)).toHaveLength(4);
});

it("gives name, address, position and cuisines, and the place is the person's own", () => {
  const [chosen] = mergeFound([], [spot("Zur Letzten Instanz", { cuisines: ["german"] })]);
  expect(chosen).toMatchObject({
    name: "Zur Letzten Instanz",
    address: "Waisenstraße 14, 10179 Berlin",
    latitude: 52.5201,
    longitude: 13.4,
    cuisines: ["german"],
    source: "member",
    external_id: null,
  });
});
