/** Tests that every language has every word, and that replaced words stay replaced. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { chooseLanguage, chooseLocale, type Language, languages, speak } from "../../lib/i18n/language.ts";
import { listOf, plural } from "../../lib/i18n/words.ts";
import { formatRelative, formatTime, instantOf, wallClockOf } from "../../lib/time.ts";
import { de } from "./de.ts";

const sources = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, sources), "utf8");
const wordFiles = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((path) =>
  /(^|\/)words(\/[a-z-]+)?\.ts$/.test(path),
);
/** Every noun that some `words.ts` defines. */
const nouns = wordFiles.flatMap((path) =>
  [...read(path).matchAll(/defineWords\(\s*"([a-z-]+)"/g)].map(([, noun]) => noun ?? ""),
);

function inLanguage<Result>(
  language: Language,
  locale: string,
  catalogue: object,
  run: () => Result,
): Result {
  speak({ language, locale, catalogue: { ...catalogue } });
  try {
    return run();
  } finally {
    speak({ language: "en", locale: "en-GB", catalogue: {} });
  }
}

describe("every language", () => {
  it("has each noun of the app once", () => {
    expect(nouns.length).toBeGreaterThan(3);
    expect(new Set(nouns).size).toBe(nouns.length);
    expect(Object.keys(de).toSorted()).toEqual(nouns.toSorted());
  });

  it("leaves no text empty", () => {
    const empty: string[] = [];
    const walk = (value: unknown, path: string) => {
      if (value === "") empty.push(path);
      if (typeof value === "object" && value !== null) {
        for (const [key, inner] of Object.entries(value)) walk(inner, `${path}.${key}`);
      }
    };
    walk(de, "de");
    expect(empty).toEqual([]);
  });

  it("can say every refusal of the database", () => {
    const sql = readFileSync(new URL("../../../../supabase/rows/errors.sql", import.meta.url), "utf8");
    const codes = [...sql.matchAll(/^\s*\('([a-z_]+)', 4\d\d, '/gm)].map(([, code]) => code ?? "");
    expect(codes.length).toBeGreaterThan(39);
    expect(Object.keys(de.errors.refusals).toSorted()).toEqual(codes.toSorted());
  });

  it("is spoken through the words alone: no attribute of a screen has its own (text is the linter's)", () => {
    const spoken =
      /\b(?:aria-label|aria-description|label|title|placeholder|alt|help|what)="([^"]*[A-Za-z]{2}[^"]*)"/g;
    // Example addresses are not translated.
    const own = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".tsx") && !path.endsWith(".test.tsx"))
      .flatMap((path) =>
        [...read(path).matchAll(spoken)]
          .filter(([, said]) => !said?.startsWith("https:"))
          .map(([found]) => `${path}: ${found}`),
      );
    expect(own).toEqual([]);
  });

  it("speaks plainly: no exclamation marks, and none of the wordings that were replaced", () => {
    const replaced = [
      ...["put up", "put it up", "lay my calendar", "take back", "taken back", "silent", "from – to"],
      ...["on the clock of", "what is it", "many at once", "begin anew", "gives something up"],
      ...[
        "to pair",
        "not known to be safe",
        "very dear",
        "kitchen",
        "what is said here",
        "what happened",
        "all seen",
      ],
      ...["bring it", "as the system", "set out from", "forgot it", "two steps to sign in", "takes one over"],
      ...[
        "that are out",
        "withdraw",
        "no invitations by mail",
        "is there already",
        "do not belong together",
        "oops",
      ],
      ...["waits for the connection", "being decided", "not the mean", "cannot be reached"],
      ...["diät", "paaren", "das beste paar", "uhr des tisches", "was war", "wem der", "hoppla"],
    ];
    // Harmless within a longer sentence.
    const replacedAlone = new Set(["keep it", "keep it so", "answers until"]);
    // A string literal that is not an import; comments are cut off first.
    const literal = /"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
    const wrong = readdirSync(sources, { recursive: true, encoding: "utf8" })
      .filter((path) => /(^|\/)words(\/[a-z-]+)?(\.de)?\.ts$/.test(path))
      .flatMap((path) =>
        [
          ...read(path)
            .replace(/\/\*[\s\S]*?\*\/|^import .*$/gm, "")
            .matchAll(literal),
        ]
          .map(([, quoted, template]) => (quoted ?? template ?? "").replace(/\$\{[^}]*\}/g, "…"))
          .filter(
            (said) =>
              said.includes("!") ||
              replacedAlone.has(said.toLowerCase()) ||
              replaced.some((old) => said.toLowerCase().includes(old)),
          )
          .map((said) => `${path}: ${said}`),
      );
    expect(wrong).toEqual([]);
  });

  it("is known by its own name", () => {
    expect(languages).toEqual({ en: "English", de: "Deutsch" });
  });
});

describe("whom we speak which language with", () => {
  it("is what was chosen, then what the browser asks for, then English", () => {
    expect(chooseLanguage("de", ["en-GB"])).toBe("de");
    expect(chooseLanguage(null, ["pt-PT", "de-AT", "en"])).toBe("de");
    expect(chooseLanguage("xx", ["fr"])).toBe("en");
    expect(chooseLanguage(null, [])).toBe("en");
  });

  it("takes the browser's own kind of it, and never one of another language", () => {
    expect(chooseLocale("de", ["ne-NP", "de-AT"])).toBe("de-AT");
    expect(chooseLocale("en", ["ne-NP", "fa-IR"])).toBe("en-GB");
    expect(chooseLocale("en", ["en-US"])).toBe("en-US");
    expect(chooseLocale("en", ["en-not a tag"])).toBe("en-GB");
  });
});

describe("locales with rules of their own", () => {
  it("pluralises by the locale, not by one and many", () => {
    const forms = { one: "# plik", few: "# pliki", many: "# plików", other: "# pliku" };
    const polish = (count: number) => inLanguage("en", "pl-PL", {}, () => plural(count, forms));
    expect([1, 2, 5, 22, 1.5].map(polish)).toEqual([
      "1 plik",
      "2 pliki",
      "5 plików",
      "22 pliki",
      "1,5 pliku",
    ]);
  });

  it("joins names as the language does", () => {
    expect(listOf(["Ana", "Bo", "Chiara"])).toBe("Ana, Bo and Chiara");
    expect(inLanguage("de", "de-DE", de, () => listOf(["Ana", "Bo", "Chiara"]))).toBe("Ana, Bo und Chiara");
  });

  it("says times in German, with a quarter-hour zone beside it", () => {
    const dinner = "2026-11-27T19:30:00Z";
    inLanguage("de", "de-AT", de, () => {
      expect(formatTime(dinner, "Europe/Vienna", "Asia/Kathmandu")).toMatch(
        /^Fr\.?,? 27\. Nov\.?, 20:30, bei dir Sa\.?,? 01:15$/,
      );
      expect(formatRelative(dinner, Date.parse("2026-11-25T12:00:00Z"), "Europe/Vienna")).toBe("in 2 Tagen");
    });
  });

  it("reads walls right where digits and calendar are others (fa-IR, +5:45)", () => {
    inLanguage("en", "fa-IR", {}, () => {
      const instant = instantOf("2026-11-27", "19:30", "Asia/Kathmandu");
      expect(instant).toBe("2026-11-27T13:45:00.000Z");
      expect(wallClockOf(instant, "Asia/Kathmandu")).toBe("19:30");
    });
  });
});
