/** Owns the sentences of an explanation: why the asker does not get a table's rows, and the change that would show them. */
import { quote, quoteName } from "../postgres/quoting.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import type { Command } from "./database/before-policies.ts";
import type { TableExplanation } from "./explanation.ts";
import { hiddenSentences, withoutRepeats } from "./hidden.ts";
import type { Label, Sentence, SentenceKind } from "./verdicts.ts";
import type { Explained } from "./why.ts";
import { listed, rows } from "./words.ts";
import type { WriteExplanation } from "./writes.ts";

export interface Asker {
  role: string;
  user: string | undefined;
  /** Whether the request fails, where its record or Postgres says so. */
  failed?: boolean;
}

/** The sentences about one table of a request. */
export function sentencesOf(one: TableExplanation, asker: Asker): Sentence[] {
  if (one.write) return writeSentences(one, one.write, asker);
  const { table } = one;
  const refused = refusal(one, asker.role, "select");
  if (refused) return [refused];
  if (one.view) return viewSentences(one, asker);
  if (!one.explained) return [];
  const { judgement } = one.explained;
  const sentences: Sentence[] = [];
  const say = (kind: SentenceKind, text: string) => sentences.push({ text, kind, table });
  if (judgement.cut !== undefined && judgement.candidates === 0) {
    say("unknown", `Not judged: ${judgement.cut}.`);
    return sentences;
  }
  if (one.row) {
    const told = rowSentences(one);
    if (told.length > 0) sentences.push(...told);
    if (!one.row.exists) return sentences;
  } else if (judgement.candidates === 0) {
    const which = one.embed === undefined ? "meets the request's filters" : "belongs to the rows above it";
    say(
      "absent",
      `No row of ${named(one)} ${which}${asker.failed ? "" : ", whoever asks: nothing is hidden"}.`,
    );
    return sentences;
  }
  sentences.push(...rowSecurity(one.explained, named(one), asker));
  if (one.inner && judgement.groups.some(({ visible }) => !visible)) {
    say(
      "hidden",
      `The embed is an inner one: rows above without a visible row of ${named(one)} are left out.`,
    );
  }
  sentences.push(...paging(one, judgement.passed.length));
  if (judgement.cut !== undefined) say("unknown", `Not all rows were judged: ${judgement.cut}.`);
  return sentences;
}

function named({ embed, table }: TableExplanation): string {
  return embed === undefined || embed === table.name ? table.name : `${table.name} (embedded as ${embed})`;
}

/** @param answer what a missing grant is answered with; by default REST's. */
export function refusal(
  { table, access }: Pick<TableExplanation, "table" | "access">,
  role: string,
  command: Command,
  answer = `: the answer is ${role === "anon" ? 401 : 403} with code 42501${command === "select" ? ", not an empty list" : ""}`,
): Sentence | undefined {
  const refused = (what: string, grant: string, advice = "To allow it"): Sentence => ({
    text: `Refused: ${role} may not ${what}${answer}. ${advice}: ${grant}`,
    kind: "refused",
    table,
    sql: grant,
  });
  if (!access.schema)
    return refused(`use schema ${table.schema}`, `grant usage on schema ${quote(table.schema)} to ${role};`);
  if (access.granted) return undefined;
  if (access.missingColumns.length > 0) {
    const columns = access.missingColumns.map(quote).join(", ");
    const what = `${command === "select" ? "read" : command} ${listed(access.missingColumns)} of ${table.name}`;
    const grant = `grant ${command} (${columns}) on ${quoteName(table)} to ${role};`;
    return refused(what, grant, "Leave them out, or");
  }
  return refused(
    `${command.toUpperCase()} ${PREPOSITION[command]}${table.name}, before any policy`,
    `grant ${command} on ${quoteName(table)} to ${role};`,
  );
}

function rowSentences({
  row,
  table,
  explained,
}: Pick<TableExplanation, "row" | "table" | "explained">): Sentence[] {
  if (!row) return [];
  if (!row.exists)
    return [{ text: `There is no row ${row.key} in ${table.name}, for anybody.`, kind: "absent", table }];
  const unmet = row.filters.filter(({ met }) => met !== true).map(({ text }) => text);
  if (unmet.length === 0) return [];
  const hidden = explained?.judgement.groups.some(({ visible }) => !visible);
  const more = hidden ? " It would be hidden without that, too." : "";
  const text = `Filtered: row ${row.key} does not meet ${listed(unmet)}.${more}`;
  return [{ text, kind: "filtered", table }];
}

function rowSecurity(explained: Explained, name: string, { user }: Asker): Sentence[] {
  const { judgement } = explained;
  const { access, candidates, table } = judgement;
  const count = rows(candidates);
  if (access.rowSecurity !== "on") {
    const why = {
      off: `${name} has no row security`,
      bypassed: `${judgement.role} has BYPASSRLS`,
      owner: `${judgement.role} owns ${name}, and its row security is not forced`,
    }[access.rowSecurity];
    return [{ text: `Visible: ${why}, so policies hide nothing of ${count}.`, kind: "allowed", table }];
  }
  const visible = judgement.passed.length;
  const sentences = hiddenSentences(explained, { kind: "hidden", text: "Hidden" }, user);
  const text = `Visible: row security lets ${judgement.role} see ${visible} of ${count} of ${name}.`;
  if (visible > 0) sentences.push({ text, kind: "allowed", table });
  return sentences;
}

const PREPOSITION: Record<Command, string> = {
  select: "from ",
  insert: "into ",
  update: "",
  delete: "from ",
};

const DONE = { select: "read", insert: "inserted", update: "updated", delete: "deleted" };

function writeSentences(
  { table, command, access }: TableExplanation,
  { returns, reading, seen, before, after, returned, conflict, replaced, notes }: WriteExplanation,
  { role, user, failed }: Asker,
): Sentence[] {
  const refused =
    refusal({ table, access }, role, command) ??
    (reading && refusal({ table, access: reading }, role, "select"));
  if (refused) return [refused];
  if (seen?.judgement.cut !== undefined && seen.judgement.candidates === 0)
    return [{ text: `Not judged: ${seen.judgement.cut}.`, kind: "unknown", table }];
  if (seen && seen.judgement.candidates === 0) {
    const text = `No row of ${table.name} meets the request's filters, whoever asks.`;
    return [{ text, kind: "absent", table }];
  }
  const done = DONE[command];
  const unreached: Label = {
    kind: "hidden",
    text: failed ? `Without the error it would not be ${done}` : `Not ${done}, without an error`,
  };
  const reached = [seen, before].flatMap((one) => (one ? hiddenSentences(one, unreached, user) : []));
  const reaches = [seen, before].every((one) => !one || one.judgement.passed.length > 0);
  const error = `Refused with ${role === "anon" ? 401 : 403}, code 42501`;
  const refusedBy = (text: string): Label => ({ kind: "refused", text });
  const checked = after && reaches ? hiddenSentences(after, refusedBy(error), user) : [];
  // The filters of an UPDATE, and an upsert, read the row: the new one has to be visible even when it is not returned.
  const reads = command === "update" || conflict !== undefined || returns;
  const asking = "return=representation (supabase-js: .select())";
  const label = reads ? error : `Refused with ${asking}`;
  const raised = reads ? undefined : `With ${asking} it fails with an error`;
  const read =
    returned && reaches ? hiddenSentences(returned, refusedBy(label), user, undefined, raised) : [];
  const there = replaced ? replacedSentences(replaced, table, { role, user }) : [];
  const refuses = there.some(({ kind }) => kind === "refused");
  const told = [...reached, ...checked];
  if (
    !refuses &&
    checked.length === 0 &&
    (reached.length === 0 || reaches) &&
    (!reads || read.length === 0)
  ) {
    const lets = failed ? `Judged by its values alone, row security would let` : "Row security lets";
    const text = `${lets} ${role} ${command.toUpperCase()} ${seen ? "rows" : "this row"} of ${table.name}.`;
    told.push({ text, kind: "allowed", table });
  }
  told.push(...read, ...there);
  const isError = ({ text }: Sentence) => text.startsWith(error);
  const more = notes.map((note): Sentence => ({ ...note, kind: "note", table }));
  return withoutRepeats([...told.filter(isError), ...told.filter((one) => !isError(one)), ...more]);
}

/** The sentences about rows of an upsert that are there already. Any that fails a rule is an error. */
function replacedSentences(
  { access, seen, before, after, returned }: NonNullable<WriteExplanation["replaced"]>,
  table: QualifiedName,
  { role, user }: Asker,
): Sentence[] {
  const refused = refusal({ table, access }, role, "update");
  if (refused) return [refused];
  const text = `Refused with ${role === "anon" ? 401 : 403}, code 42501, as the row is there already`;
  const told = [seen, before, after, returned].flatMap((one) =>
    one ? hiddenSentences(one, { kind: "refused", text }, user) : [],
  );
  if (told.length > 0) return told;
  return [{ text: `Row security lets ${role} UPDATE what is there already.`, kind: "allowed", table }];
}

function paging({ page, embed, table }: TableExplanation, visible: number): Sentence[] {
  const { limit, offset = 0 } = page ?? {};
  const last = limit === undefined ? undefined : offset + limit;
  if (embed !== undefined || visible === 0 || (offset === 0 && (last === undefined || visible <= last)))
    return [];
  const to = last === undefined ? "on" : `to ${Math.min(last, visible)}`;
  const text = `Not on this page: ${rows(visible)} are visible, and the request asks for ${offset + 1} ${to}.`;
  return [{ text, kind: "filtered", table }];
}

function viewSentences({ table, view, row }: TableExplanation, asker: Asker): Sentence[] {
  if (!view) return [];
  const { name } = table;
  const sentence = (kind: SentenceKind, text: string): Sentence => ({ text, kind, table });
  const as = sentence(
    "note",
    view.invoker
      ? `${name} is a view with security_invoker: it reads its tables as ${asker.role}.`
      : `${name} is a view: it reads its tables as its owner ${view.owner}, whoever asks. With security_invoker it would read them as ${asker.role}.`,
  );
  if (view.refused) {
    const { table: base, role, access } = view.refused;
    const refused = refusal({ table: base, access }, role, "select");
    return refused ? [refused, as] : [as];
  }
  if (view.error !== undefined)
    return [sentence("answer", `Reading ${name} raises an error, ${view.error}.`), as];
  const all = view.withoutRowSecurity;
  if (all === 0) {
    const which = row ? `row ${row.key}` : "row";
    const text = `${name} has no ${which} that meets the request, whoever asks: its own conditions or the filters leave it out, and row security hides nothing.`;
    return [sentence("absent", text), as];
  }
  const filtered = row ? rowSentences({ row, table }) : [];
  const told = view.tables.flatMap(({ table, explained }) =>
    rowSecurity(explained, table.name, asker).map((one) => ({ ...one, text: `${table.name}: ${one.text}` })),
  );
  const counts =
    view.cut !== undefined
      ? [sentence("unknown", `Its rows were not counted: ${view.cut}.`)]
      : view.rows === all
        ? []
        : [
            sentence(
              "hidden",
              `The view returns ${rows(view.rows ?? 0)}, and would return ${all} without row security.`,
            ),
          ];
  return [...filtered, as, ...counts, ...told];
}
