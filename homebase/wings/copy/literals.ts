/** Owns Postgres's text of arrays and of rows, read into their elements and written again. */

export type Item = string | null | Item[];

class Malformed extends Error {}

/** @throws for text that is no array's: the other server may be anybody's. */
export function readArray(text: string, delimiter: string): Item[] {
  let at = text.indexOf("{");
  const read = (): Item[] => {
    const items: Item[] = [];
    at += 1;
    while (text[at] !== "}") {
      if (at < 0 || at >= text.length) throw new Malformed("An array has no end.");
      if (text[at] === "{") items.push(read());
      else if (text[at] === '"') items.push(quoted());
      else {
        const from = at;
        while (at < text.length && text[at] !== delimiter && text[at] !== "}") at += 1;
        const word = text.slice(from, at);
        items.push(word.toUpperCase() === "NULL" ? null : word);
      }
      if (text[at] === delimiter) at += 1;
    }
    at += 1;
    return items;
  };
  const quoted = (): string => {
    let value = "";
    for (at += 1; text[at] !== '"'; at += 1) {
      if (text[at] === "\\") at += 1;
      if (at >= text.length) throw new Malformed("A quoted element has no end.");
      value += text[at];
    }
    at += 1;
    return value;
  };
  return read();
}

export function writeArray(items: readonly Item[], delimiter: string): string {
  const texts = items.map((item) => {
    if (item === null) return "NULL";
    return Array.isArray(item) ? writeArray(item, delimiter) : `"${item.replace(/["\\]/g, "\\$&")}"`;
  });
  return `{${texts.join(delimiter)}}`;
}

/** The fields of a row, e.g. `(1,"a ""b""",)`. */
export function readRow(text: string): (string | null)[] {
  const fields: (string | null)[] = [];
  let value: string | null = null;
  let within = false;
  for (let at = 1; at < text.length; at += 1) {
    const one = text[at] ?? "";
    if (!within && (one === "," || one === ")")) {
      fields.push(value);
      value = null;
    } else if (one === '"' && text[at + 1] === '"' && within) {
      value += one;
      at += 1;
    } else if (one === '"') {
      within = !within;
      value ??= "";
    } else {
      if (one === "\\") at += 1;
      value = (value ?? "") + (text[at] ?? "");
    }
  }
  return fields;
}

export function writeRow(fields: readonly (string | null)[]): string {
  const texts = fields.map((field) => (field === null ? "" : `"${field.replace(/["\\]/g, "$&$&")}"`));
  return `(${texts.join(",")})`;
}
