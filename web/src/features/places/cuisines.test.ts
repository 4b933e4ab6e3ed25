/** Tests cuisines.ts. */
import { afterEach, expect, test } from "vitest";
import { speak } from "../../lib/i18n/language.ts";
import { cuisineName, cuisineNames } from "./cuisines.ts";
import { cuisines } from "./words/cuisines.de.ts";

afterEach(() => speak({ language: "en", locale: "en-GB", catalogue: {} }));

test("a name begins with a capital letter", () => {
  expect(cuisineNames(["portuguese", "home cooking", "Sushi bar", "écailler", " bbq"])).toEqual([
    "Portuguese",
    "Home cooking",
    "Sushi bar",
    "Écailler",
    "BBQ",
  ]);
  expect(cuisineName("")).toBe("");
});

test("known cuisines are named in the app's language", () => {
  speak({ language: "de", locale: "de-DE", catalogue: { cuisines } });
  expect(cuisineNames(["Portuguese", "home cooking", "momo"])).toEqual([
    "Portugiesisch",
    "Hausmannskost",
    "Momo",
  ]);
});
