/**
 * Owns the way of a batch of committed changes to its subscribers: candidates, column rights, filters,
 * row security, JSON, delivery in commit order (compat/realtime.md 14).
 */
import type pg from "pg";
import type { Log } from "../../service/log.ts";
import { passes } from "./comparison.ts";
import type { Filter } from "./filter.ts";
import { type Relation, selectableBy } from "./relation.ts";
import { changeJson, errorJson, filterValue, type RowChange, unconverted } from "./rows.ts";
import type { Listener, Subscription } from "./subscriptions.ts";
import { type Group, type Question, visibleRows } from "./visibility.ts";

const NO_PRIMARY_KEY = "Error 400: Bad Request, no primary key";
const UNAUTHORIZED = "Error 401: Unauthorized";

/** What became of one change for one subscription. */
type Verdict = "deliver" | typeof NO_PRIMARY_KEY | typeof UNAUTHORIZED | Question;

interface Candidate {
  subscription: Subscription;
  verdict: Verdict;
}

/** Delivers `changes` to `subscriptions`; resolves when every frame is on its way. */
export async function deliverChanges(
  client: pg.ClientBase,
  changes: readonly RowChange[],
  subscriptions: readonly Subscription[],
  changeBytes: number,
  log: Log,
): Promise<void> {
  const wanted = await candidates(client, changes, subscriptions, log);
  await convert(client, [...wanted.keys()]);
  const questions = [...wanted.values()].flatMap((list) =>
    list.flatMap(({ verdict }) => (typeof verdict === "string" ? [] : [verdict])),
  );
  const visible = await visibleRows(client, [...new Set(questions)], log);
  for (const [change, list] of wanted) deliver(change, list, visible, changeBytes);
}

/** A list of filters that some subscriptions share, and whether the change passes it. */
interface Judgement {
  passed: boolean;
  candidates: Candidate[];
}

interface OpenComparison {
  filter: Filter;
  value: string | null;
  type: string;
  judgement: Judgement;
}

async function candidates(
  client: pg.ClientBase,
  changes: readonly RowChange[],
  subscriptions: readonly Subscription[],
  log: Log,
): Promise<Map<RowChange, Candidate[]>> {
  const interested = new Map<Relation, Subscription[]>();
  const open: OpenComparison[] = [];
  const judged = new Map<RowChange, { refused: Candidate[]; judgements: Iterable<Judgement> }>();
  for (const change of changes) {
    const { relation } = change;
    let ofRelation = interested.get(relation);
    if (!ofRelation) {
      ofRelation = subscriptions.filter((one) => one.matches(relation.schema, relation.table));
      await Promise.all(
        [...new Set(ofRelation.map((one) => one.role))].map((role) => selectableBy(client, relation, role)),
      );
      interested.set(relation, ofRelation);
    }
    if (ofRelation.length > 0) judged.set(change, judge(change, ofRelation, open));
  }
  await settleFilters(client, open, log);
  const result = new Map<RowChange, Candidate[]>();
  for (const [change, { refused, judgements }] of judged) {
    const passed = [...judgements].flatMap((one) => (one.passed ? one.candidates : []));
    if (refused.length + passed.length > 0) result.set(change, [...refused, ...passed]);
  }
  return result;
}

/** Sorts one change's subscriptions by their filters; comparisons that Postgres must make go to `open`. */
function judge(
  change: RowChange,
  subscriptions: readonly Subscription[],
  open: OpenComparison[],
): { refused: Candidate[]; judgements: Iterable<Judgement> } {
  const refused: Candidate[] = [];
  const groups = new Map<string, Question>();
  const judgements = new Map<string, Judgement>();
  for (const subscription of subscriptions) {
    if (subscription.action !== "*" && subscription.action !== change.action) continue;
    const verdict = verdictFor(change, subscription, groups);
    const candidate = { subscription, verdict };
    if (verdict === NO_PRIMARY_KEY || verdict === UNAUTHORIZED) {
      refused.push(candidate);
      continue;
    }
    // Equal filters are evaluated once a change, however many subscribers have them.
    const key = subscription.filters.length === 0 ? "" : JSON.stringify(subscription.filters);
    let judgement = judgements.get(key);
    if (!judgement) {
      judgement = { passed: true, candidates: [] };
      judgements.set(key, judgement);
      for (const filter of subscription.filters) compare(change, filter, judgement, open);
    }
    judgement.candidates.push(candidate);
  }
  return { refused, judgements: judgements.values() };
}

function compare(change: RowChange, filter: Filter, judgement: Judgement, open: OpenComparison[]): void {
  const index = change.relation.columns.findIndex((column) => column.name === filter.column);
  const type = change.relation.columns[index]?.type;
  const value = index < 0 ? undefined : filterValue(change, index);
  // A column that the change does not have passes nothing.
  const passed = value === undefined || !type ? false : passes(filter, value, type);
  if (passed === false) judgement.passed = false;
  else if (passed === undefined && type)
    open.push({ filter, value: value ?? null, type: type.sql, judgement });
}

function verdictFor(
  change: RowChange,
  { role, claims }: Subscription,
  groups: Map<string, Question>,
): Verdict {
  const { relation, action } = change;
  if (action === "DELETE") return "deliver";
  if (relation.primaryKey.length === 0) return NO_PRIMARY_KEY;
  const selectable = relation.selectable.get(role);
  if (!relation.primaryKey.every((index) => selectable?.has(relation.columns[index]?.name ?? "")))
    return UNAUTHORIZED;
  if (!relation.rowSecurity) return "deliver";
  const key = `${role}\n${claims}`;
  let question = groups.get(key);
  if (!question) {
    const group: Group = { role, claims };
    question = { group, change };
    groups.set(key, question);
  }
  return question;
}

/** Comparisons that only Postgres can make, all in one statement. */
async function settleFilters(
  client: pg.ClientBase,
  open: readonly OpenComparison[],
  log: Log,
): Promise<void> {
  if (open.length === 0) return;
  const { rows } = await client
    .query<{ passed: boolean }>(
      `select realtime.check_equality_op(o::realtime.equality_op, t::regtype, a, b, n) as passed
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[]) with ordinality q(o, t, a, b, n, i)
       order by i`,
      [
        open.map(({ filter }) => filter.operator),
        open.map(({ type }) => type),
        open.map(({ value }) => value),
        open.map(({ filter }) => filter.value),
        open.map(({ filter }) => filter.negate),
      ],
    )
    .catch((error: unknown) => {
      log.error("A filter could not be evaluated: its changes are not delivered.", { error: String(error) });
      return { rows: [] as { passed: boolean }[] };
    });
  open.forEach(({ judgement }, index) => {
    judgement.passed &&= rows[index]?.passed ?? false;
  });
}

/** JSON of values whose form only Postgres knows, all in one statement. */
async function convert(client: pg.ClientBase, changes: readonly RowChange[]): Promise<void> {
  const wanted = changes.flatMap((change) => unconverted(change).map((item) => ({ change, ...item })));
  if (wanted.length === 0) return;
  const { rows } = await client.query<{ json: string | null }>(
    `select realtime."cast"(v, t::regtype)::text as json
     from unnest($1::text[], $2::text[]) with ordinality q(v, t, i) order by i`,
    [wanted.map(({ text }) => text), wanted.map(({ type }) => type)],
  );
  for (const [index, { change, key }] of wanted.entries())
    change.converted.set(key, rows[index]?.json ?? "null");
}

function deliver(
  change: RowChange,
  list: readonly Candidate[],
  visible: ReadonlySet<Question>,
  changeBytes: number,
): void {
  const frames = new Map<string, string>();
  const byListener = new Map<Listener, Map<string, number[]>>();
  for (const { subscription, verdict } of list) {
    if (typeof verdict !== "string" && !visible.has(verdict)) continue;
    const error = verdict === NO_PRIMARY_KEY || verdict === UNAUTHORIZED ? verdict : undefined;
    const key = error ?? JSON.stringify([subscription.role, subscription.select ?? null]);
    if (!frames.has(key)) {
      frames.set(
        key,
        error ? errorJson(change, error) : changeJson(change, shownTo(change, subscription), changeBytes),
      );
    }
    const groups = byListener.get(subscription.listener) ?? new Map<string, number[]>();
    byListener.set(subscription.listener, groups);
    groups.set(key, [...(groups.get(key) ?? []), subscription.id]);
  }
  for (const [listener, groups] of byListener) {
    for (const [key, ids] of groups) listener.onChange(ids, frames.get(key) ?? "{}");
  }
}

/** Columns that a subscription shows: what its role may select, of what it asked for, with the key. */
function shownTo({ relation }: RowChange, { role, select }: Subscription): ReadonlySet<string> {
  const selectable = relation.selectable.get(role) ?? new Set<string>();
  if (!select) return selectable;
  const keys = relation.columns.filter((column) => column.primary).map((column) => column.name);
  return new Set([...select, ...keys].filter((name) => selectable.has(name)));
}
