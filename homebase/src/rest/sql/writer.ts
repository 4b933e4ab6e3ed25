/** Owns a statement under construction: its text has names and keywords, its values are parameters. */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";

export class SqlWriter {
  readonly values: (string | Buffer | Utf8Text)[] = [];

  /** A parameter of unspecified type, so that Postgres infers it from the context. */
  value(value: string | Buffer | Utf8Text): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /**
   * A number of rows, inlined in the text: with a parameter, Postgres would plan each run anew. There are few
   * distinct texts, because pages have few sizes.
   */
  limit(rows: number): string {
    return Number.isSafeInteger(rows) ? String(rows) : this.number(rows);
  }

  /** A number of any size as a parameter, in digits. */
  number(value: number): string {
    return this.value(String(BigInt(value)));
  }
}
