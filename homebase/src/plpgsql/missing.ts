/** Owns what a body may name although it is missing now: tables that it makes, and objects whose absence it handles. */

/** Conditions by which a body says that an object may be missing, by the SQLSTATE. */
const EXPECTED_BY: Record<string, string> = {
  "42P01": "undefined_table",
  "42703": "undefined_column",
  "42883": "undefined_function",
  "42704": "undefined_object",
  "3F000": "invalid_schema_name",
};
/** Looking for what is there before it is used. */
const ASKS_CATALOGUE =
  /\b(?:to_reg\w+|information_schema|pg_(?:extension|available_extensions|class|tables|views|proc|namespace|type|attribute))\b/i;
const MADE_TABLE =
  /\bcreate\s+(?:(?:global|local)\s+)?(?:temp|temporary|unlogged)?\s*table\s+(?:if\s+not\s+exists\s+)?(?:[\w$"]+\.)?"?([\w$]+)|\binto\s+temp(?:orary)?\s+(?:table\s+)?"?([\w$]+)/gi;

/** A table whose name is put together. */
const MADE_BY_TEXT =
  /\bcreate\s+(?:(?:global|local)\s+)?(?:temp|temporary|unlogged)?\s*table\s+(?:if\s+not\s+exists\s+)?[^\s(]*(?:%|'\s*\|\|)/i;

export class Missing {
  readonly #makesByText: boolean;
  readonly #madeTables: Set<string>;
  readonly #asksCatalogue: boolean;

  constructor(source: string) {
    this.#makesByText = MADE_BY_TEXT.test(source);
    this.#asksCatalogue = ASKS_CATALOGUE.test(source);
    this.#madeTables = new Set(
      [...source.matchAll(MADE_TABLE)].map(([, one, other]) => (one ?? other ?? "").toLowerCase()),
    );
  }

  /**
   * @param caught the conditions that the blocks around the statement handle. @param isDynamic whether it is a text of
   * EXECUTE, which bodies use for what may be missing
   */
  isExpected(
    { sqlState, message }: { sqlState: string; message: string },
    caught: readonly string[],
    isDynamic = false,
  ): boolean {
    if (isDynamic && (sqlState === "3F000" || (this.#asksCatalogue && EXPECTED_BY[sqlState]))) return true;
    if (caught.includes(EXPECTED_BY[sqlState] ?? "") || caught.includes(sqlState)) return true;
    const [, relation] = /^relation "(?:[^"]+\.)?([^".]+)" does not exist$/.exec(message) ?? [];
    if (relation === undefined) return false;
    return this.#makesByText || this.#madeTables.has(relation.toLowerCase());
  }
}
