/**
 * Owns CSV bodies: RFC 4180 to the JSON that Postgres reads, line by line, so that a large body needs little more memory
 * than its text and its JSON (PostgREST documentation, "Insert").
 */
import { Utf8Text } from "../../postgres/pipeline/wire.ts";
import { restErrors } from "../errors.ts";

/** An empty line counts as one. */
const MOST_CELLS = 1_000_000;
/** Characters that end a value without quotes: a comma, LF, CR. */
const ENDS = new Set([0x2c, 0x0a, 0x0d]);
/** The JSON repeats the names in each row, so a small body could become any size. */
const MOST_JSON_BYTES = 96 * 1024 * 1024;
/** A text this long is written to bytes, which takes less memory than joining it. */
const PART_LENGTH = 64 * 1024;
const REST_SHOWN = 100;

/** The rows as JSON text, and the names of their columns. */
interface CsvPayload {
  kind: "json";
  text: string | Utf8Text;
  keys: readonly string[];
  shape: "array";
  csv: true;
}

/** @throws RestError PGRST102, 413 for too many values. */
export function parseCsv(text: string): CsvPayload {
  const lines = readCsv(text);
  const names = lines.next().value ?? [];
  const json = new JsonText();
  let width: number | undefined;
  let uneven = false;
  // Fields beyond the header's are dropped; lines may be shorter than the header, but all alike.
  const head: string[] = [];
  for (const line of lines) {
    const own = Math.min(line.length, names.length);
    if (width === undefined) {
      width = own;
      for (const name of names.slice(0, own)) head.push(`${JSON.stringify(name)}:`);
    }
    // An unreadable line further down is the error to report.
    uneven ||= own !== width;
    if (!uneven) json.row(head, line);
  }
  if (uneven) throw restErrors.unevenLines();
  // Of several columns with one name the last applies, as in the JSON.
  const keys = [...new Set(names.slice(0, width ?? 0))];
  return { kind: "json", text: json.end(), keys, shape: "array", csv: true };
}

/** The JSON array of rows. */
class JsonText {
  #text = "[";
  #bytes: Buffer | undefined;
  #size = 0;

  row(head: readonly string[], line: readonly string[]): void {
    const start = this.#size + this.#text.length > 1 ? ",{" : "{";
    let row = start;
    for (const [at, name] of head.entries()) {
      const value = line[at];
      row += `${at > 0 ? "," : ""}${name}${value === "NULL" ? "null" : JSON.stringify(value ?? "")}`;
      if (row.length > MOST_JSON_BYTES) throw restErrors.tooManyValues(MOST_CELLS);
    }
    this.#text += `${row}}`;
    if (this.#text.length > PART_LENGTH) this.#flush();
  }

  end(): string | Utf8Text {
    this.#text += "]";
    if (!this.#bytes) return this.#text;
    this.#flush();
    return new Utf8Text(this.#bytes.subarray(0, this.#size));
  }

  #flush(): void {
    const length = Buffer.byteLength(this.#text);
    const needed = this.#size + length;
    if (needed > MOST_JSON_BYTES) throw restErrors.tooManyValues(MOST_CELLS);
    if (!this.#bytes || needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(MOST_JSON_BYTES, Math.max(1024 * 1024, needed * 2)));
      this.#bytes?.copy(grown, 0, 0, this.#size);
      this.#bytes = grown;
    }
    this.#size += this.#bytes.write(this.#text, this.#size);
    this.#text = "";
  }
}

/** The CSV error, with the offending text, as PostgREST's parser words it. */
function unreadable(why: string, rest: string) {
  const shown = rest.length > REST_SHOWN ? `${rest.slice(0, REST_SHOWN)} (truncated)` : JSON.stringify(rest);
  return restErrors.invalidCsv(`parse error (${why}) at ${shown}`);
}

/** RFC 4180, with LF or CRLF; blank lines are skipped. The header line must be terminated. */
function* readCsv(text: string): Generator<string[], undefined> {
  let line: string[] = [];
  let first = true;
  let at = 0;
  let cells = 0;
  let ended = false;
  while (at < text.length) {
    let value = "";
    if (text[at] === '"') {
      at += 1;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote < 0) throw unreadable("not enough input", "");
        value += text.slice(at, quote);
        at = quote + 1;
        if (text[at] !== '"') break;
        value += '"';
        at += 1;
      }
    } else {
      const from = at;
      while (at < text.length && !ENDS.has(text.charCodeAt(at))) at += 1;
      value = text.slice(from, at);
    }
    line.push(value);
    cells += 1;
    if (cells > MOST_CELLS) throw restErrors.tooManyValues(MOST_CELLS);
    if (text[at] === ",") {
      at += 1;
      if (at === text.length) line.push("");
      continue;
    }
    if (text[at] === "\r") at += 1;
    if (at < text.length && text[at] !== "\n")
      throw unreadable("endOfInput", text.slice(at, at + REST_SHOWN + 1));
    ended ||= text[at] === "\n";
    at += 1;
    if (line.length > 1 || line[0] !== "" || first) {
      yield line;
      first = false;
    }
    line = [];
  }
  if (!ended) throw unreadable("not enough input", "");
  if (line.length > 0) yield line;
  return undefined;
}
