/** Owns the reasons of an answer, by the library of `homebase explain`. */
import type pg from "pg";
import type { DeveloperStart } from "../../../src/developer/stack-wing.ts";
import {
  type ExplainRequestOptions,
  type Explanation,
  explain,
  explanationText,
  judgedRows,
  keyToText,
  sentenceTexts,
} from "../../../src/explain/index.ts";
import type { ReadRecord } from "../../../src/http/records.ts";
import { momentOf, unchangedSince } from "../../../src/postgres/moment.ts";
import { wireText } from "../../../src/rest/header-text.ts";
import { askedBy, type Question } from "../../../src/tools/asked.ts";
import { runningOptions, whyRequest } from "../../../src/tools/why-request.ts";
import type { Change, ConsoleApi, FilePlace, Gate, Lens, TableName, Why } from "./api.ts";
import { CallRefused } from "./call-refused.ts";
import { readTable } from "./data/tables.ts";
import { gatesOf } from "./gates.ts";
import type { RealtimeQuestion } from "./happened.ts";
import { inDatabase } from "./owner-connections.ts";

type RowQuestion = Parameters<ConsoleApi["whyRow"]>[0];

/** As many as a person goes back to. */
const MOST_KEPT = 50;
/** A policy may ask for the time. */
const KEPT_MS = 60_000;

/** Reasons, with what they hold for. */
interface Kept {
  why: Promise<Why>;
  moment: string;
  asked: number;
  /** REST reads the schema anew some time after it was changed. */
  schema: unknown;
}

export class Reasons {
  readonly #start: Pick<DeveloperStart, "backend">;
  readonly #kept = new Map<string, Kept>();
  /** One at a time: each is a transaction over the project's rows. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(start: Pick<DeveloperStart, "backend">) {
    this.#start = start;
  }

  /** The same as before while nothing has changed. @throws UserError for what cannot be explained */
  async of(record: ReadRecord, signal: AbortSignal): Promise<Why> {
    const { database, clock, config } = this.#start.backend;
    const schema = runningOptions(this.#start.backend, config).running?.cache;
    const kept = this.#kept.get(record.id);
    const recent = kept?.schema === schema && clock.now() - (kept?.asked ?? 0) < KEPT_MS;
    if (kept && recent && (await unchangedSince(database, kept.moment))) return kept.why;
    const moment = await momentOf(database);
    const coming = this.#next(() => {
      if (signal.aborted) throw new CallRefused(499, "The page has moved on.");
      return this.#explain(record);
    });
    this.#kept.delete(record.id);
    this.#kept.set(record.id, { why: coming, moment, asked: clock.now(), schema });
    coming.catch(() => this.#kept.delete(record.id));
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MOST_KEPT) this.#kept.delete(oldest);
    return coming;
  }

  /** The reasons why the first refused receiver did not get an entry of Realtime. @throws UserError */
  async ofRealtime({ method, path, receiver, row }: RealtimeQuestion, gates: Gate[]): Promise<Why> {
    const { happenings } = this.#start.backend;
    const { role, user } = receiver;
    const found = await this.#asked(
      async (client) => {
        const { rows } = await client.query("select from auth.users where id::text = $1", [user]);
        const claims = { role, ...(user === undefined ? {} : { sub: user }) };
        return { method, path, ...(rows.length === 0 ? { claims } : { as: user }) };
      },
      {
        ...(row === undefined ? {} : { row }),
        happened: happenings.list({ kinds: ["join", "change", "broadcast"] }).happenings,
      },
    );
    return whyOf(found, gates);
  }

  /** Why a lens gets a row of a table, or not. @throws UserError */
  async ofRow({ as: lens, table, key }: RowQuestion, signal?: AbortSignal): Promise<Why> {
    if (lens.kind === "postgres") throw new CallRefused(400, "postgres gets every row.");
    const found = await this.#asked(
      async (client) => {
        // The key alone: another column that the lens may not select hides no row.
        const { key: columns } = await readTable(client, table, []);
        const select = columns.map((one) => `"${one.replace(/["\\]/g, "\\$&")}"`).join();
        return {
          method: "GET",
          path: `${pathOf(table)}?select=${encodeURIComponent(select)}`,
          headers: { "accept-profile": wireText(table.schema) },
          ...askerOf(lens),
        };
      },
      { row: keyToText(key) },
      signal,
    );
    const granted = isGranted(found);
    const grant: Gate = { name: "Grant", mark: granted ? "open" : "shut", text: found.asked.role };
    return whyOf(found, granted ? ofOneRow([grant, POLICY], found) : [grant]);
  }

  /** Why a lens may not write a change; none where that is not the reason. @throws UserError */
  async ofChange(lens: Lens, change: Change): Promise<string[]> {
    const found = await this.#asked(async (client) => {
      const { columns, key } = await readTable(client, change.table, []);
      const values = change.kind === "delete" ? {} : change.values;
      const isJson = (name: string) => /^jsonb?$/.test(columns.find((one) => one.name === name)?.type ?? "");
      const body = Object.entries(values).map(([name, value]) => [
        name,
        value !== null && isJson(name) ? JSON.parse(value) : value,
      ]);
      const where = key.map((name, at) => [name, `eq.${change.kind === "insert" ? "" : change.key[at]}`]);
      return {
        method: METHODS[change.kind],
        path: pathOf(change.table) + (change.kind === "insert" ? "" : `?${new URLSearchParams(where)}`),
        headers: { "content-profile": wireText(change.table.schema) },
        ...(change.kind === "delete" ? {} : { body: JSON.stringify(Object.fromEntries(body)) }),
        ...askerOf(lens),
      };
    }, {});
    return isGranted(found) && judgementOf(found)?.hidden === 0 ? [] : sentencesOf(found);
  }

  /** Why Storage does for a lens what a request about a file asks for, or not. @throws UserError */
  async ofFile(
    { as: lens, bucket }: Pick<FilePlace, "as" | "bucket">,
    { method, path }: Pick<Question, "method" | "path">,
    signal?: AbortSignal,
  ): Promise<Why> {
    let open = false;
    const found = await this.#asked(
      async (client) => {
        const text = "select from storage.buckets where id = $1 and public";
        open = (await client.query(text, [bucket])).rowCount === 1;
        return { method, path: `/storage/v1${path}`, ...askerOf(lens) };
      },
      {},
      signal,
    );
    const own: Gate = {
      name: "Bucket",
      mark: "open",
      text: open ? "public: its address is enough" : "private",
    };
    return whyOf(found, open ? [own, POLICY] : ofOneRow([own, POLICY], found));
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const coming = this.#last.then(work);
    this.#last = coming.catch(() => undefined);
    return coming;
  }

  #asked(
    question: (client: pg.ClientBase) => Promise<Question>,
    options: Pick<ExplainRequestOptions, "row" | "happened">,
    signal?: AbortSignal,
  ): Promise<Explanation> {
    const { config } = this.#start.backend;
    return this.#next(() =>
      inDatabase({ ...this.#start, signal }, async (client) =>
        explain(client, await askedBy(client, await question(client), config), {
          ...runningOptions(this.#start.backend, config),
          ...options,
        }),
      ),
    );
  }

  async #explain(record: ReadRecord): Promise<Why> {
    const { backend } = this.#start;
    const found = await whyRequest(backend, backend.config, record);
    return whyOf(found, withPolicies(gatesOf(record), found), `npx homebase explain --id ${record.id}`);
  }
}

const POLICY: Gate = { name: "Policy", mark: "unknown", text: "" };

/** @param command that asks the same in a terminal */
function whyOf(found: Explanation, gates: Gate[], command?: string): Why {
  return { sentences: sentencesOf(found, command), gates, text: explanationText(found) };
}

/** A page has no options of the command, and so names it. */
function sentencesOf(found: Explanation, command = "homebase explain"): string[] {
  return sentenceTexts(found, (option) => `${command} ${option}`);
}

const METHODS = { insert: "POST", update: "PATCH", delete: "DELETE" } as const;

function pathOf({ name }: TableName): string {
  return `/rest/v1/${encodeURIComponent(name)}`;
}

function isGranted({ tables: [table] }: Explanation): boolean {
  return table?.access.schema !== false && table?.access.granted !== false;
}

/** Who asks, for a lens: for Storage postgres is the service. */
function askerOf(lens: Lens): Pick<Question, "as" | "role"> {
  if (lens.kind === "user") return { as: lens.id };
  return { role: lens.kind === "role" ? lens.role : "service_role" };
}

/** As `withPolicies`: of one row there is no part. */
function ofOneRow(gates: Gate[], found: Explanation): Gate[] {
  return withPolicies(gates, found).map(
    ({ name, mark, text }): Gate => ({ name, mark: mark === "part" ? "shut" : mark, text }),
  );
}

/** The rows that policies judge: of a write those that a policy keeps from it, where there are any. */
function judgementOf({ tables: [table] }: Explanation) {
  const judged = (table ? judgedRows(table) : []).map(({ explained: { judgement } }) => ({
    of: judgement.groups.reduce((sum, { count }) => sum + count, 0),
    hidden: judgement.groups.reduce((sum, { visible, count }) => sum + (visible ? 0 : count), 0),
    names: judgement.policies.map(({ name }) => name).join(", "),
  }));
  return judged.findLast(({ hidden }) => hidden > 0) ?? judged[0];
}

/** The gate of the policies as today's rows pass it; a gate that the record has decided stays so. */
function withPolicies(gates: Gate[], found: Explanation): Gate[] {
  const judgement = judgementOf(found);
  if (!judgement) return gates;
  const { of, hidden, names } = judgement;
  return gates.map((gate) => {
    if (gate.name !== "Policy" || gate.mark !== "unknown") return gate;
    const passes = of > 0 && hidden === 0;
    const text = names || (passes ? "not bound by policies" : "no policy lets it through");
    if (of === 0) return { ...gate, text: `${text}: no row was asked for` };
    return { ...gate, mark: hidden === 0 ? "open" : "part", text, hidden, of };
  });
}
