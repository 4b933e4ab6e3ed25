/** Tests gazetteer.ts. */
import { expect, test } from "vitest";
import { cityIn, matching } from "./gazetteer.ts";

const spot = (name: string, address: string) => ({ name, address, latitude: 1, longitude: 2 });
const spots = [
  spot("Graça", "Lisbon"),
  spot("Rua da Graça", "Lisbon"),
  spot("Campo de Ourique", "Lisbon"),
  spot("Lisbon", "Portugal"),
  spot("München", "Deutschland"),
];
const found = (words: string) => matching(spots, words).map(({ name }) => name);

test("a name is found by the beginnings of its words, without accents, the closest match first", () => {
  expect(found("graca")).toEqual(["Graça", "Rua da Graça"]);
  expect(found("rua da gra")).toEqual(["Rua da Graça"]);
  expect(found("ourique, lisbon")).toEqual(["Campo de Ourique"]);
  expect(found("MUNCHEN")).toEqual(["München"]);
});

test("a city's name finds the city only, and an empty query finds nothing", () => {
  expect(found("lisbon")).toEqual(["Lisbon"]);
  expect(found("  ,")).toEqual([]);
  expect(found("zzz")).toEqual([]);
});

test("an address whose street is unknown finds the city with which it ends, and no other", () => {
  const cities = ["York", "New York", "Kassel"].map((name) => ({ ...spot(name, ""), city: true as const }));
  const city = (words: string) => cityIn([...spots, ...cities], words).map(({ name }) => name);
  expect(city("Friedrichsplatz, Kassel")).toEqual(["Kassel"]);
  expect(city("friedrichsplatz 34117 kassel")).toEqual(["Kassel"]);
  expect(city("Broadway, New York")).toEqual(["New York"]);
  expect(city("Kassel Street 3")).toEqual([]);
  // A district is no city.
  expect(city("Rua 3, Graça")).toEqual([]);
});
