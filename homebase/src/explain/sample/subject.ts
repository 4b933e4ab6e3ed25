/** Owns what a kind of request, to a table, a function or an upload, gives to its test. */
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import type { ApiSettings } from "../asked-tables.ts";
import type { WithTrace } from "../database/explanation-transaction.ts";
import { keyFromText } from "../database/written-rows.ts";
import type { Explanation } from "../explanation.ts";
import type { Collect } from "../look.ts";
import type { Explained } from "../why.ts";
import type { MadeTest } from "./made.ts";

/** What a kind of request adds to its test. */
export interface TestSubject {
  explanation: Explanation;
  asserted: Omit<MadeTest, "comments" | "statements" | "role" | "claims" | "address" | "searchPath">;
  /** The rows that it is about. */
  needs: { table: QualifiedName; columns: readonly string[]; values: readonly string[] }[];
}

export interface SubjectOptions {
  api: ApiSettings;
  row: string | undefined;
  collect: Collect;
  withTrace?: WithTrace;
}

/** The rows of tables that were judged: the first of each group. */
export function judgedNeeds(
  judged: readonly { table: QualifiedName; explained?: Explained | undefined }[],
): TestSubject["needs"] {
  return judged.flatMap(({ table, explained }) => {
    const { key: columns = [], groups = [] } = explained?.judgement ?? {};
    const keys = columns.length === 0 ? [] : groups.flatMap((group) => group.keys);
    return keys.map((text) => ({ table, columns, values: keyFromText(text, columns.length) }));
  });
}
