/** The names of cuisines. */
import { afterEach, expect, test } from "vitest";
import { speak } from "../../lib/i18n/language.ts";
import { cuisineName, cuisineNames } from "./cuisines.ts";
import { cuisines } from "./words/cuisines.de.ts";

afterEach(() => speak({ language: "en", locale: "en-GB", catalogue: {} }));

test("a name has a capital, whatever was typed", () => {
  expect(cuisineNames(["portuguese", "home cooking", "Sushi bar", "écailler", " bbq"])).toEqual([
    "Portuguese",
    "Home cooking",
    "Sushi bar",
    "Écailler",
    "BBQ",
  ]);
  expect(cuisineName("")).toBe("");
});

test("known ones are in the app's language", () => {
  speak({ language: "de", locale: "de-DE", catalogue: { cuisines } });
  expect(cuisineNames(["Portuguese", "home cooking", "momo"])).toEqual([
    "Portugiesisch",
    "Hausmannskost",
    "Momo",
  ]);
});
