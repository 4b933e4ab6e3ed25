/**
 * Owns the explanation of a missing event: what a change of a table has to pass until a subscriber hears of it
 * (docs/compat/realtime.md 13 and 14): publication, primary key, grants, the subscription's filter, row security.
 */
import type { ChangeHappening, ReadHappening } from "../core/happenings.ts";
import { quote, quoteLiteral, quoteName } from "../postgres/quoting.ts";
import { type Filter, parseFilters, SubscriptionFault } from "../realtime/changes/subscription-filter.ts";
import type { QualifiedName } from "../rest/schema/schema-cache.ts";
import { type Asked, type KeyFilter, metBy } from "./asked-tables.ts";
import { readAccess, readTable, type Table } from "./database/before-policies.ts";
import { ExplainError, type Session } from "./database/explanation-transaction.ts";
import type { Delivery } from "./explanation.ts";
import type { Where } from "./judge.ts";
import type { Rules } from "./rules.ts";
import type { Label } from "./verdicts.ts";
import { listed } from "./words.ts";

const PUBLICATION = "supabase_realtime";
const ACTIONS = ["INSERT", "UPDATE", "DELETE"] as const;

/**
 * Explains events of `schema.table?filter`. DELETE is apart: it goes to every subscriber of the table, with the key.
 * @param keyOf the row in question. @param happened changes of the running stack, in order. @throws ExplainError for a table or filter that nobody can subscribe to.
 */
export async function explainEvent(
  rules: Rules,
  asked: Asked,
  keyOf: (table: Table) => KeyFilter | undefined,
  happened: readonly ReadHappening[] = [],
): Promise<Delivery> {
  const { session } = rules;
  const [address = "", filter = ""] = asked.path.split(/\?(.*)/s);
  const name = nameOf(address);
  const table = await readTable(session, name);
  if (table.kind !== "table") {
    throw new ExplainError(
      `${name.name} is no table, and only tables have events: listen to the tables that it reads.`,
    );
  }
  const delivery = await readDelivery(session, table);
  sayPublication(rules, name, delivery);
  const filters = filtersOf(filter);
  await checkFilters(rules, table, filters);
  const key = keyOf(table);
  await judgeRow(rules, table, key, filters, delivery);
  if (delivery.published) rules.say("note", deleteSentence(name, delivery, filters));
  sayLast(rules, name, key, happened);
  return delivery;
}

/** The gates of the last change that the stack has sent, and whether the caller's channels were among the refused. */
function sayLast(
  rules: Rules,
  name: QualifiedName,
  key: KeyFilter | undefined,
  happened: readonly ReadHappening[],
): void {
  const { caller, asker } = rules;
  const last = happened.findLast(
    (one): one is ChangeHappening & ReadHappening =>
      one.kind === "change" &&
      one.schema === name.schema &&
      one.table === name.name &&
      (key === undefined || key.values.every((value, at) => one.key[at] === value)),
  );
  if (!last) return;
  const own = last.refused.find(
    ({ receiver }) => receiver.role === caller.role && receiver.user === asker.user,
  );
  const gates = [
    [last.otherAction, "listened to other kinds of change"],
    [last.filtered, "had a filter that it did not meet"],
    [last.unauthorized, "may not select its key"],
    [last.hidden, "may not see the row"],
  ] as const;
  const refused = gates.flatMap(([count, text]) => (count > 0 ? [`${count} ${text}`] : []));
  rules.say(
    "note",
    `The last change (${last.action}, ${last.at.slice(11, 23)}) was sent to ${last.sent} of ${last.subscribed} subscriptions${refused.length > 0 ? `: ${listed(refused)}` : ""}${own ? `. ${caller.role} ${asker.user ?? ""} was stopped by the ${own.gate}` : ""}.`,
  );
}

/** @throws ExplainError for what is no name of a table. */
function nameOf(address: string): QualifiedName {
  const [first = "", second, ...more] = address.split(".");
  if (first === "" || second === "" || more.length > 0)
    throw new ExplainError(
      "Name the table, with its schema and the filter of the subscription: public.notes?team_id=eq.1",
    );
  return second === undefined ? { schema: "public", name: first } : { schema: first, name: second };
}

/** @throws ExplainError with Realtime's message for a filter that it refuses. */
function filtersOf(text: string): Filter[] {
  try {
    return parseFilters(text.replace(/^filter=/, ""));
  } catch (error) {
    if (!(error instanceof SubscriptionFault)) throw error;
    throw new ExplainError(`Realtime refuses this filter, so the subscription fails: ${error.message}`);
  }
}

async function readDelivery(session: Session, { oid, key }: Table): Promise<Delivery> {
  const [row] = await session.rows<Omit<Delivery, "key">>(
    `select p.oid is not null as publication,
       case when t.tablename is null then '{}' else array_remove(array[case when p.pubinsert then 'INSERT' end,
         case when p.pubupdate then 'UPDATE' end, case when p.pubdelete then 'DELETE' end], null) end as actions,
       t.tablename is not null as published, t.rowfilter as "rowFilter",
       case when t.attnames is null then '{}'
         when (select pg_catalog.count(*) from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0
           and not a.attisdropped and a.attgenerated = '') > pg_catalog.cardinality(t.attnames)
         then t.attnames::text[] else '{}' end as columns,
       case c.relreplident when 'f' then 'full' when 'n' then 'nothing' when 'i' then 'index' else 'default' end
         as "replicaIdentity",
       array(select a.attname::text from pg_catalog.pg_index i join pg_catalog.pg_attribute a
           on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
         where i.indrelid = c.oid and case c.relreplident when 'i' then i.indisreplident when 'd' then i.indisprimary end)
         as identity
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
       left join pg_catalog.pg_publication p on p.pubname = $2
       left join pg_catalog.pg_publication_tables t
         on t.pubname = p.pubname and t.schemaname = n.nspname and t.tablename = c.relname
     where c.oid = $1`,
    [oid, PUBLICATION],
  );
  if (!row) throw new ExplainError("The table is gone.");
  return { ...row, key };
}

function sayPublication(rules: Rules, name: QualifiedName, delivery: Delivery): void {
  const { publication, published, actions, key, replicaIdentity, identity } = delivery;
  if (!publication) {
    const sql = `create publication ${PUBLICATION} for table ${quoteName(name)};`;
    rules.say("absent", `No event of any table: there is no publication ${PUBLICATION}. To make it: ${sql}`, {
      sql,
    });
  } else if (!published) {
    const sql = `alter publication ${PUBLICATION} add table ${quoteName(name)};`;
    rules.say(
      "absent",
      `No event of ${name.name} at all: it is not in publication ${PUBLICATION}. To add it: ${sql}`,
      { sql },
    );
  } else if (actions.length < ACTIONS.length) {
    const missing = ACTIONS.filter((one) => !actions.includes(one));
    const sql = `alter publication ${PUBLICATION} set (publish = 'insert, update, delete, truncate');`;
    rules.say(
      "absent",
      `No event of ${listed(missing)}: publication ${PUBLICATION} leaves it out. To publish all: ${sql}`,
      { sql },
    );
  }
  if (published && key.length === 0) {
    rules.say(
      "refused",
      `Without its record: ${name.name} has no primary key, so an INSERT or UPDATE arrives with "Error 400: Bad Request, no primary key" and nothing else.`,
    );
  }
  if (published && replicaIdentity !== "full" && identity.length === 0) {
    const sql = `alter table ${quoteName(name)} replica identity full;`;
    rules.say(
      "refused",
      `UPDATE and DELETE of ${name.name} fail with 55000 while it is published, because nothing identifies its rows. Add a primary key, or: ${sql}`,
      { sql },
    );
  }
}

/** @throws ExplainError for a column that the subscriber may not filter by. */
async function checkFilters(
  { session, caller }: Rules,
  table: Table,
  filters: readonly Filter[],
): Promise<void> {
  for (const { column } of filters) {
    const found = table.columns.some(({ name }) => name === column);
    if (found && (await readAccess(session, caller.role, table, "select", [column])).granted) continue;
    const why = found ? `${caller.role} may not SELECT it` : `${table.name.name} has no such column`;
    throw new ExplainError(
      `Realtime refuses the subscription: invalid column for filter ${column}, because ${why}.`,
    );
  }
}

async function judgeRow(
  rules: Rules,
  table: Table,
  key: KeyFilter | undefined,
  filters: readonly Filter[],
  { published, rowFilter, key: keyColumns, actions }: Delivery,
): Promise<void> {
  const { name } = table;
  const label: Label = { kind: "hidden", text: "Not delivered" };
  // Row security is asked by a statement that names the primary key only.
  const rule = {
    table: name,
    about: "the changed row",
    command: "select",
    columns: keyColumns,
    label,
  } as const;
  const conditions = filters.map((one) => filterText(one, table));
  const where = whereOf(name.name, key, key ? [] : conditions);
  const { candidates, passed, sentences } = await rules.apply({ ...rule, selection: { where } });
  if (sentences.length > 0 && passed + candidates === 0) return;
  if (candidates === 0) {
    rules.say(
      "absent",
      key
        ? `There is no row ${key.values.join(",")} in ${name.name}: it may have been deleted since.`
        : `No row of ${name.name} ${filters.length > 0 ? "meets the filter" : "is there"}, so no change of today's rows is heard.`,
    );
    return;
  }
  let heard = passed > 0 && published && keyColumns.length > 0;
  if (key) {
    const texts = [...filters.map(describe), ...(rowFilter ? [`the publication's WHERE ${rowFilter}`] : [])];
    const asked = [...conditions, ...(rowFilter ? [rowFilter] : [])];
    const met = await metBy(rules.session, rules.caller, name, where, asked);
    const unmet = texts.filter((_, at) => met[at] !== true);
    if (unmet.length > 0) {
      heard = false;
      rules.say("filtered", `Filtered: row ${key.values.join(",")} does not meet ${listed(unmet)}.`);
    }
  } else if (rowFilter) {
    rules.say("note", `Only rows with ${rowFilter} are published.`);
  }
  const heardActions = actions.filter((one) => one !== "DELETE");
  if (heard && heardActions.length > 0) {
    const which = candidates === 1 ? "this row" : `${passed} of ${candidates} rows`;
    rules.say(
      "allowed",
      `Delivered: ${listed(heardActions)} of ${which} of ${name.name} to ${rules.caller.role}.`,
    );
  }
}

function whereOf(alias: string, key: KeyFilter | undefined, conditions: readonly string[]): Where {
  const keys = (key?.columns ?? []).map((column, at) => `${quote(alias)}.${quote(column)} = $${at + 1}`);
  return { alias, text: [...keys, ...conditions].join(" and "), values: key?.values ?? [] };
}

/** A filter as Realtime compares it: by the texts of both values. */
function filterText({ column, operator, value, negate }: Filter, { name, columns }: Table): string {
  const known = columns.find((one) => one.name === column)?.type ?? "text";
  const [op, type, compared] = [operator, known, value].map((one) => quoteLiteral(one));
  return `coalesce(realtime.check_equality_op(${op}::realtime.equality_op, ${type}::pg_catalog.regtype, (${quote(name.name)}.${quote(column)})::pg_catalog.text, ${compared}), false) = ${!negate}`;
}

function describe({ column, operator, value, negate }: Filter): string {
  return `${column}=${negate ? "not." : ""}${operator}.${value}`;
}

/** Nothing is asked for a deleted row: it is not there any more. */
function deleteSentence(
  { name, schema }: QualifiedName,
  delivery: Delivery,
  filters: readonly Filter[],
): string {
  const { actions, identity, replicaIdentity } = delivery;
  if (!actions.includes("DELETE")) return `DELETE of ${name} is not published.`;
  const everybody = `DELETE goes to everybody who listens to ${name}, whatever the policies say`;
  const lost =
    replicaIdentity === "full"
      ? []
      : filters.map(({ column }) => column).filter((one) => !identity.includes(one));
  if (lost.length === 0) return `${everybody}.`;
  return `DELETE never meets this filter, because a deleted row has no ${listed(lost)} in the log. For that: alter table ${quoteName({ schema, name })} replica identity full;`;
}
