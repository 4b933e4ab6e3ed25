/** Owns what a test says that the caller of a request to a table or view gets. */
import type { QualifiedName } from "../../rest/schema/schema-cache.ts";
import type { Asked } from "../asked-tables.ts";
import { ExplainError } from "../database/explanation-transaction.ts";
import type { TableExplanation } from "../explanation.ts";
import type { Explained } from "../why.ts";
import type { MadeTest } from "./made.ts";

/** What the caller gets, and a sentence about it. */
export function expectedOf(
  own: TableExplanation,
  { role }: Asked,
  values: string[],
): Pick<MadeTest, "title" | "outcome" | "message"> {
  const name = `${own.table.schema}.${own.table.name}`;
  const { write, view } = own;
  const row = `row ${values.join(", ")} of ${name}`;
  if (view?.refused) {
    const { access, table } = view.refused;
    return { title: `${role} may not read ${name}`, outcome: "refused", message: notGranted(access, table) };
  }
  if (view?.error !== undefined) throw new ExplainError(`Reading ${name} raises an error, ${view.error}.`);
  if (!write) {
    if (!own.access.granted) {
      return {
        title: `${role} may not read ${name}`,
        outcome: "refused",
        message: notGranted(own.access, own.table),
      };
    }
    const group = own.explained?.judgement.groups.find(({ keys }) => keys.includes(values.join(",")));
    const judged = (group ?? own.explained?.judgement.groups[0])?.visible ?? false;
    const seen = view ? (view.rows ?? 0) > 0 : judged;
    return { title: `${role} ${seen ? "sees" : "does not see"} ${row}`, outcome: seen ? "seen" : "empty" };
  }
  if (write.conflict)
    throw new ExplainError("No test is made of an upsert: make one of the INSERT, or of the UPDATE.");
  const who = `${role}'s ${own.command} of ${name}`;
  const access = own.access.granted ? write.reading : own.access;
  if (access)
    return { title: `${who} is refused`, outcome: "refused", message: notGranted(access, own.table) };
  if (!(every(write.seen) && every(write.before)))
    return { title: `${who} reaches no row`, outcome: "empty" };
  const refusing = [write.after, ...(own.command === "update" ? [write.returned] : [])].find(
    (one) => !every(one),
  );
  if (!refusing) return { title: `${who} is allowed`, outcome: "allowed" };
  return { title: `${who} is refused`, outcome: "refused", message: refusedBy(refusing, own.table.name) };
}

/** Postgres's message where a right on the table or its schema is missing. */
function notGranted({ schema: usage }: { schema: boolean }, { schema, name }: QualifiedName): string {
  return usage ? `permission denied for table ${name}` : `permission denied for schema ${schema}`;
}

/** Postgres's message, which names a restrictive policy where it is what refuses; undefined where that is not known. */
function refusedBy({ judgement }: Explained, table: string): string | undefined {
  const reason = judgement.groups.find(({ visible }) => !visible)?.reason ?? [];
  const names = new Set(reason.map(({ leaf }) => leaf.policy));
  const refusing = judgement.policies.filter(({ name }) => names.has(name));
  // Without one that allows, Postgres does not go on to those that restrict.
  const allowed = judgement.policies.some(({ permissive }) => permissive);
  if (reason.length === 0 && allowed) return undefined;
  const [first] = refusing;
  const named = allowed && first && refusing.every(({ permissive }) => !permissive) ? ` "${first.name}"` : "";
  return `new row violates row-level security policy${named} for table "${table}"`;
}

/** Whether a rule lets all rows through; one that does not apply does. */
function every(explained: Explained | undefined): boolean {
  return explained?.judgement.groups.every(({ visible }) => visible) ?? true;
}
