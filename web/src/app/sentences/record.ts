/** Owns: noting which words are read while sentences are made, with the values that they were given. */

/** A word that was read: its path ("table.seats.going") and, of a function, its arguments. */
export interface Said {
  path: string;
  values: readonly unknown[];
}

/** The same words; each function that is called and each text that is read is noted. */
export function recording<Words extends object>(
  words: Words,
  path: string,
  note: (said: Said) => void,
): Words {
  return new Proxy(words, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof key === "symbol") return value;
      const at = `${path}.${key}`;
      if (typeof value === "function")
        return (...values: unknown[]) => {
          note({ path: at, values });
          return value(...values);
        };
      if (typeof value === "object" && value !== null) return recording(value, at, note);
      note({ path: at, values: [] });
      return value;
    },
  });
}

/** The same values, each replaced by another that is not so. */
export function otherValues(values: readonly unknown[]): unknown[] {
  return values.map((value) => {
    if (typeof value === "number") return value + 1;
    if (typeof value === "string") return `${value} not`;
    if (typeof value === "boolean") return !value;
    if (Array.isArray(value)) return [...value, "Never"];
    return value && Object.fromEntries(Object.keys(value).map((key) => [key, "Never"]));
  });
}

/** The paths of all functions in some words. */
export function functionsOf(words: object, path: string): string[] {
  return Object.entries(words).flatMap(([key, value]) =>
    typeof value === "function"
      ? [`${path}.${key}`]
      : typeof value === "object" && value !== null
        ? functionsOf(value, `${path}.${key}`)
        : [],
  );
}
