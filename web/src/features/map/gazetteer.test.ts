/** Finding a spot by its name in the map's own ground. */
import { expect, test } from "vitest";
import { matching } from "./gazetteer.ts";

const spot = (name: string, address: string) => ({ name, address, latitude: 1, longitude: 2 });
const spots = [
  spot("Graça", "Lisbon"),
  spot("Rua da Graça", "Lisbon"),
  spot("Campo de Ourique", "Lisbon"),
  spot("Lisbon", "Portugal"),
  spot("München", "Deutschland"),
];
const found = (words: string) => matching(spots, words).map(({ name }) => name);

test("a name is found by beginnings of its words, without accents, the closest first", () => {
  expect(found("graca")).toEqual(["Graça", "Rua da Graça"]);
  expect(found("rua da gra")).toEqual(["Rua da Graça"]);
  expect(found("ourique, lisbon")).toEqual(["Campo de Ourique"]);
  expect(found("MUNCHEN")).toEqual(["München"]);
});

test("the city alone is the city, and nothing is found by nothing", () => {
  expect(found("lisbon")).toEqual(["Lisbon"]);
  expect(found("  ,")).toEqual([]);
  expect(found("zzz")).toEqual([]);
});
