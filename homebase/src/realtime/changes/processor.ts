/**
 * Owns processing a batch of committed changes for its subscribers: candidates, column privileges, filters,
 * row security, JSON, delivery in commit order (docs/compat/realtime.md 14).
 */
import { setImmediate as breathe } from "node:timers/promises";
import type pg from "pg";
import { type ChangeHappening, type Happened, MOST_RECEIVERS, type Receiver } from "../../core/happenings.ts";
import type { Log } from "../../core/log.ts";
import type { Audience, AudienceMember, Audiences, Group } from "./audience.ts";
import { matchesFilter } from "./comparison.ts";
import { readGenerated } from "./replication/generated-columns.ts";
import { type Relation, selectableBy } from "./replication/relation.ts";
import { isStatementError } from "./statement-error.ts";
import { changeJson, errorJson, filterValue, type RowChange, valuesToConvert } from "./subscribers-view.ts";
import type { Filter } from "./subscription-filter.ts";
import { type VisibilityQuery, visibleRows } from "./visibility.ts";

const NO_PRIMARY_KEY = "Error 400: Bad Request, no primary key";
const UNAUTHORIZED = "Error 401: Unauthorized";
/** Number of frames to write before yielding to the event loop. */
const FRAMES_AT_ONCE = 200;

/** The result of one change for one audience. */
type Verdict = "deliver" | typeof NO_PRIMARY_KEY | typeof UNAUTHORIZED | VisibilityQuery;

interface Candidate {
  audience: Audience;
  verdict: Verdict;
}

/** A list of filters shared by some audiences, and its result for the change. */
interface Judgement {
  passed: boolean;
  candidates: Candidate[];
}

interface Judged {
  change: RowChange;
  subscribed: number;
  otherAction: number;
  refused: Candidate[];
  judgements: Judgement[];
}

interface OpenComparison {
  filter: Filter;
  value: string | null;
  type: string;
  judgement: Judgement;
}

/**
 * Delivers `changes`; resolves when every frame is sent. If it throws, nothing was delivered. @throws when
 * the connection is lost, or for a server error not caused by a policy or filter.
 */
export async function deliverChanges(
  client: pg.ClientBase,
  changes: readonly RowChange[],
  audiences: Audiences,
  { changeBytes, log, happened }: { changeBytes: number; log: Log; happened: Happened },
): Promise<void> {
  const interested = await listeners(client, changes, audiences);
  await readGenerated(
    client,
    changes.filter(({ relation }) => interested.has(relation)),
  );
  const open: OpenComparison[] = [];
  const judged = changes.flatMap((change) => {
    const list = interested.get(change.relation);
    return list ? [judge(change, list, open)] : [];
  });
  await settleFilters(client, open, log);
  const wanted = judged.flatMap(({ change, refused, judgements }) => {
    const passed = judgements.flatMap((one) => (one.passed ? one.candidates : []));
    return refused.length + passed.length > 0 ? [{ change, candidates: [...refused, ...passed] }] : [];
  });
  const questions = new Set<VisibilityQuery>();
  for (const { candidates } of wanted) {
    for (const { verdict } of candidates) if (typeof verdict !== "string") questions.add(verdict);
  }
  const delivered = wanted.map(({ change }) => change);
  const [visible] = await Promise.all([
    visibleRows(client, [...questions], delivered, log),
    convert(client, delivered, log),
  ]);
  for (const one of judged) happened(happeningOf(one, visible));
  let frames = 0;
  for (const { change, candidates } of wanted) {
    if (frames >= FRAMES_AT_ONCE) {
      await breathe();
      frames = 0;
    }
    frames += deliver(change, candidates, visible, changeBytes);
  }
}

/** The audiences of each changed table, after loading the column privileges of their roles. */
async function listeners(
  client: pg.ClientBase,
  changes: readonly RowChange[],
  audiences: Audiences,
): Promise<Map<Relation, readonly Audience[]>> {
  const interested = new Map<Relation, readonly Audience[]>();
  const asked: Promise<unknown>[] = [];
  for (const relation of new Set(changes.map((change) => change.relation))) {
    const list = audiences.of(relation.schema, relation.table);
    if (list.length === 0) continue;
    interested.set(relation, list);
    for (const role of new Set(list.map(({ group }) => group.role))) {
      if (!relation.selectable.has(role)) asked.push(selectableBy(client, relation, role));
    }
  }
  await Promise.all(asked);
  return interested;
}

/** Evaluates filters of one change's audiences; comparisons for Postgres are added to `open`. */
function judge(change: RowChange, audiences: readonly Audience[], open: OpenComparison[]): Judged {
  const refused: Candidate[] = [];
  const questions = new Map<Group, VisibilityQuery>();
  const judgements = new Map<string, Judgement>();
  let subscribed = 0;
  let otherAction = 0;
  for (const audience of audiences) {
    subscribed += audience.members.length;
    if (audience.action !== "*" && audience.action !== change.action) {
      otherAction += audience.members.length;
      continue;
    }
    const verdict = verdictFor(change, audience.group, questions);
    if (verdict === NO_PRIMARY_KEY || verdict === UNAUTHORIZED) {
      refused.push({ audience, verdict });
      continue;
    }
    // Equal filters are evaluated once for each change, however many audiences have them.
    let judgement = judgements.get(audience.filterKey);
    if (!judgement) {
      judgement = { passed: true, candidates: [] };
      judgements.set(audience.filterKey, judgement);
      for (const filter of audience.filters) compare(change, filter, judgement, open);
    }
    judgement.candidates.push({ audience, verdict });
  }
  return { change, subscribed, otherAction, refused, judgements: [...judgements.values()] };
}

/** How far the change got with its subscribers. */
function happeningOf(
  { change, subscribed, otherAction, refused, judgements }: Judged,
  visible: ReadonlySet<VisibilityQuery>,
): ChangeHappening {
  const { relation, action, next, previous } = change;
  const counts = { filtered: 0, unauthorized: 0, hidden: 0, sent: 0 };
  const named: { receiver: Receiver; gate: "filter" | "grant" | "policy" }[] = [];
  const refuse = ({ audience }: Candidate, gate: "filter" | "grant" | "policy") => {
    for (const { listener } of audience.members) {
      if (named.length === MOST_RECEIVERS) return;
      named.push({ receiver: listener.receiver, gate });
    }
  };
  for (const candidate of refused) {
    counts.unauthorized += candidate.audience.members.length;
    refuse(candidate, "grant");
  }
  for (const { passed, candidates } of judgements) {
    for (const candidate of candidates) {
      const { audience, verdict } = candidate;
      const seen = typeof verdict === "string" || visible.has(verdict);
      counts[passed ? (seen ? "sent" : "hidden") : "filtered"] += audience.members.length;
      if (!passed || !seen) refuse(candidate, passed ? "policy" : "filter");
    }
  }
  const key = relation.primaryKey.map((index) => (next ?? previous)?.[index] ?? null);
  const { schema, table } = relation;
  return { kind: "change", schema, table, action, key, subscribed, otherAction, ...counts, refused: named };
}

function compare(change: RowChange, filter: Filter, judgement: Judgement, open: OpenComparison[]): void {
  const index = change.relation.columns.findIndex((column) => column.name === filter.column);
  const type = change.relation.columns[index]?.type;
  const value = index < 0 ? undefined : filterValue(change, index);
  // A missing column matches no filter.
  const passed = value === undefined || !type ? false : matchesFilter(filter, value, type);
  if (passed === false) judgement.passed = false;
  else if (passed === undefined && type)
    open.push({ filter, value: value ?? null, type: type.sql, judgement });
}

function verdictFor(change: RowChange, group: Group, questions: Map<Group, VisibilityQuery>): Verdict {
  const { relation, action } = change;
  if (action === "DELETE") return "deliver";
  if (relation.primaryKey.length === 0) return NO_PRIMARY_KEY;
  const selectable = relation.selectable.get(group.role);
  if (!relation.primaryKey.every((index) => selectable?.has(relation.columns[index]?.name ?? "")))
    return UNAUTHORIZED;
  if (!relation.rowSecurity) return "deliver";
  let question = questions.get(group);
  if (!question) {
    question = { group, change };
    questions.set(group, question);
  }
  return question;
}

/** Evaluates comparisons in Postgres, all in one statement. */
async function settleFilters(client: pg.ClientBase, all: readonly OpenComparison[], log: Log): Promise<void> {
  const open = all.filter(({ judgement }) => judgement.passed);
  if (open.length === 0) return;
  const { rows } = await client
    .query<{ passed: boolean | null }>(
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
      if (!isStatementError(error)) throw error;
      log.error("A filter could not be evaluated: its changes are not delivered.", { error: String(error) });
      return { rows: [] as { passed: boolean | null }[] };
    });
  open.forEach(({ judgement }, index) => {
    judgement.passed &&= rows[index]?.passed === true;
  });
}

/** Has Postgres convert values to JSON, all in one statement. */
async function convert(client: pg.ClientBase, changes: readonly RowChange[], log: Log): Promise<void> {
  const wanted = changes.flatMap((change) => valuesToConvert(change).map((item) => ({ change, ...item })));
  if (wanted.length === 0) return;
  const { rows } = await client
    .query<{ json: string | null }>(
      `select realtime."cast"(v, t::regtype)::text as json
       from unnest($1::text[], $2::text[]) with ordinality q(v, t, i) order by i`,
      [wanted.map(({ text }) => text), wanted.map(({ type }) => type)],
    )
    .catch((error: unknown) => {
      if (!isStatementError(error)) throw error;
      // If a type was dropped meanwhile, its values are sent as strings.
      log.warn("Values could not be converted to JSON.", { error: String(error) });
      return { rows: undefined };
    });
  if (!rows) return;
  for (const [index, { change, key }] of wanted.entries())
    change.converted.set(key, rows[index]?.json ?? "null");
}

/** Sends one change to every allowed listener. @returns the number of frames. */
function deliver(
  change: RowChange,
  candidates: readonly Candidate[],
  visible: ReadonlySet<VisibilityQuery>,
  changeBytes: number,
): number {
  const byContent = new Map<string, { data: string; members: (readonly AudienceMember[])[] }>();
  for (const { audience, verdict } of candidates) {
    if (typeof verdict !== "string" && !visible.has(verdict)) continue;
    const error = verdict === NO_PRIMARY_KEY || verdict === UNAUTHORIZED ? verdict : undefined;
    const key = error ?? audience.shownKey;
    const content = byContent.get(key);
    if (content) content.members.push(audience.members);
    else {
      const data = error
        ? errorJson(change, error)
        : changeJson(change, shownTo(change, audience), changeBytes);
      byContent.set(key, { data, members: [audience.members] });
    }
  }
  let frames = 0;
  for (const { data, members } of byContent.values()) {
    // Channels with the same name, format and ids get the same frame.
    const written = new Map<string, Buffer>();
    for (const { listener, ids } of merged(members)) {
      const key = `${listener.wire} ${ids.join(",")}`;
      let frame = written.get(key);
      if (!frame) {
        frame = listener.changeFrame(ids, change.action, data);
        written.set(key, frame);
      }
      listener.onChange(frame);
      frames += 1;
    }
  }
  return frames;
}

/** One entry for each listener, of which several subscriptions may match. */
function merged(lists: readonly (readonly AudienceMember[])[]): Iterable<AudienceMember> {
  if (lists.length === 1) return lists[0] ?? [];
  const byListener = new Map<AudienceMember["listener"], AudienceMember>();
  for (const { listener, ids } of lists.flat()) {
    const before = byListener.get(listener);
    byListener.set(listener, { listener, ids: before ? [...before.ids, ...ids] : ids });
  }
  return byListener.values();
}

/** The columns for an audience: those that its role may select, of the requested ones, with the key. */
function shownTo({ relation }: RowChange, { group, select }: Audience): ReadonlySet<string> {
  const selectable = relation.selectable.get(group.role) ?? new Set<string>();
  if (!select) return selectable;
  const keys = relation.columns.filter((column) => column.primary).map((column) => column.name);
  return new Set([...select, ...keys].filter((name) => selectable.has(name)));
}
