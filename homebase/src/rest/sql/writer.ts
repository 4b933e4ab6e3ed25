/** Owns a statement being written: its text is made of names and keywords, its values are parameters. */
import type { Utf8Text } from "../../postgres/pipeline/wire.ts";

export class SqlWriter {
  readonly values: (string | Buffer | Utf8Text)[] = [];

  /** A parameter of unspecified type, so that Postgres infers it from its place. */
  value(value: string | Buffer | Utf8Text): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /**
   * A number of rows, as part of the text: with a parameter in its place, Postgres would plan each run
   * anew. Texts stay few, because pages have few sizes.
   */
  limit(rows: number): string {
    return Number.isSafeInteger(rows) ? String(rows) : this.value(String(rows));
  }
}
