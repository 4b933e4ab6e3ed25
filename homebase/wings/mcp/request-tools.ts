/** Owns the tools about requests (their list, the reason of an answer, a test of it) and the coverage of policies. */
import type pg from "pg";
import { z } from "zod";
import { happeningText } from "../../src/core/happening-text.ts";
import { HAPPENING_KINDS } from "../../src/core/happenings.ts";
import {
  type Asked,
  askedOf,
  ExplainError,
  type ExplainRequestOptions,
  explain,
  explanationText,
  lastAsked,
  percentOf,
  testOf,
  textOfCoverage,
  UntestedError,
} from "../../src/explain/index.ts";
import type { ReadRecord, RequestSummary } from "../../src/http/records.ts";
import { connected } from "../../src/postgres/connected.ts";
import { askedBy } from "../../src/tools/asked.ts";
import { projectCoverage } from "../../src/tools/decided-by-tests.ts";
import { failureOf, testFileOf } from "../../src/tools/made-test.ts";
import { runningOptions } from "../../src/tools/why-request.ts";
import { type ToolContext, ToolFailed, ToolRefused, tool } from "./tool.ts";

/** A request that ran, or one by its method and path and who asks. */
const QUESTION = {
  id: z.string().optional().describe("A request that ran, by its id (list_requests) or the beginning of it."),
  last: z.boolean().optional().describe("The last request to REST or Storage."),
  method: z
    .string()
    .optional()
    .describe(
      "GET, POST, …; EVENT: why no event of a table, or no broadcast of realtime:<topic>, comes; JOIN: joining a private channel.",
    ),
  path: z
    .string()
    .optional()
    .describe("With the query, e.g. /rest/v1/notes?done=is.false; a table or a topic for EVENT and JOIN."),
  as: z.string().optional().describe("Ask as the user with this email."),
  role: z.string().optional().describe("Ask as this role, without a user; anon by default."),
  claims: z.record(z.string(), z.unknown()).optional().describe("Ask with these claims of a token."),
  body: z.string().optional().describe("The body of a write, as JSON."),
  upsert: z.boolean().optional().describe("A POST that replaces what is there."),
  row: z.string().optional().describe("The row in question by its primary key; several columns with commas."),
};
type Question = z.output<z.ZodObject<typeof QUESTION>>;

const MOST_RECORDS = 200;

export const requestTools = [
  tool({
    name: "list_requests",
    title: "List requests",
    description:
      "The last requests that the stack has answered, the newest last: time, method, path, status, rows, role, id. With id one request whole, with its claims and statement, and what it caused. With also what happened besides: mails, jobs, calls of pg_net, channels of Realtime, changes and broadcasts with how many got them and how many did not and why, migrations, log lines. Only values of tables' columns are shown, others by type and length.",
    feature: "debugging",
    input: z.object({
      id: z.string().optional().describe("One request, by its id or the beginning of it."),
      service: z.enum(["rest", "auth", "storage", "realtime", "functions"]).optional(),
      failed: z.boolean().default(false).describe("Only those with a status of 400 and more."),
      also: z.array(z.enum(HAPPENING_KINDS)).default([]).describe("Kinds of what happened besides."),
      limit: z.number().int().min(1).max(MOST_RECORDS).default(20),
    }),
    data: true,
    run: async ({ id, service, failed, also, limit }, { backend }) => {
      if (id !== undefined) {
        const record = recorded(backend.requests.get(id), id);
        return { ...record, caused: backend.happenings.list({ request: record.id }).happenings };
      }
      const { records } = backend.requests.list({ failed, service });
      const { happenings } = backend.happenings.list({ kinds: also, limit });
      const lines = [
        ...records.filter((record) => record.service !== "mcp").map((record) => [record.at, line(record)]),
        ...happenings.map((one) => [one.at, `${one.at} ${one.kind} ${happeningText(one)}`]),
      ];
      return lines
        .sort(([one = ""], [other = ""]) => one.localeCompare(other))
        .slice(-limit)
        .map(([, text]) => text)
        .join("\n");
    },
  }),
  tool({
    name: "explain",
    title: "Explain a request",
    description:
      "Says why a request to REST or Storage is answered as it is: missing grants, filters, and each policy split into its parts with their verdicts for rows that come back and rows that do not, into subqueries, functions and other tables' policies. Take a request that ran (id or last) or ask by method and path. Nothing is changed by it; of functions only those are run that read.",
    feature: "debugging",
    input: z.object(QUESTION),
    data: true,
    run: (question, context) =>
      withQuestion(question, context, async (client, asked, options) =>
        explanationText(await explain(client, asked, options)),
      ),
  }),
  tool({
    name: "make_test",
    title: "Make a test of a request",
    description:
      "Writes a pgTAP test of what a request gets: a row of a table or view is seen or hidden, a write, an upload or a call is allowed or refused, a function returns a value. It is run once in a new database and returned with the path where it belongs; you write the file. Values of rows are left out or replaced, except those that decide.",
    feature: "debugging",
    input: z.object({
      ...QUESTION,
      keep: z.array(z.string()).default([]).describe("Columns whose values stay, as schema.table.column."),
    }),
    data: true,
    run: async ({ keep, ...question }, context) => {
      const test = await withQuestion(question, context, (client, asked, options) =>
        testOf(client, asked, { ...options, keep }),
      );
      const path = testFileOf(context.config, test);
      const failure = await failureOf(context.config, path, test);
      if (failure !== undefined) {
        throw new ToolFailed(`The test does not pass in a new database: ${failure}\nIt was:\n${test.text}`);
      }
      return `-- ${path}: ${test.title}. It passes in a new database.\n${test.text}`;
    },
  }),
  tool({
    name: "policies_coverage",
    title: "Coverage of policies",
    description:
      "Shows each part of each policy with how often tests have decided it as true, false or unknown, and what would decide the parts that never were. Tests count where HOMEBASE_COVERAGE=1 is set.",
    feature: "debugging",
    input: z.object({}),
    data: true,
    run: async (_, { config }) => {
      try {
        const found = projectCoverage(config);
        return `${percentOf(found)} % of the verdicts were seen.\n${textOfCoverage(found)}`;
      } catch (error) {
        throw error instanceof UntestedError ? new ToolRefused(error.message) : error;
      }
    },
  }),
];

/** Calls `work` with the request in question, on a connection of role `postgres` as the command has. @throws ToolRefused */
async function withQuestion<T>(
  { id, last, row, method, path, ...who }: Question,
  { backend, config }: ToolContext,
  work: (client: pg.Client, asked: Asked, options: ExplainRequestOptions) => Promise<T>,
): Promise<T> {
  const ways = [id !== undefined, last === true, method !== undefined && path !== undefined];
  if (ways.filter(Boolean).length !== 1) throw new ToolRefused("Give id, or last, or method and path.");
  if ([who.as, who.role, who.claims].filter((one) => one !== undefined).length > 1) {
    throw new ToolRefused("Give one of as, role and claims.");
  }
  const { requests, database } = backend;
  try {
    const wanted = last ? lastAsked(requests.list().records)?.id : id;
    const record = wanted === undefined ? undefined : recorded(requests.withValues(wanted), wanted);
    if (last && !record)
      throw new ToolRefused("No request to REST or Storage has asked the database since the start.");
    return await connected(database.connection("postgres"), async (client) => {
      const asked = record
        ? askedOf(record)
        : await askedBy(client, { ...who, method: method ?? "", path: path ?? "" }, config);
      return work(client, asked, {
        happened: backend.happenings.list({ kinds: ["join", "change", "broadcast"] }).happenings,
        ...runningOptions(backend, config),
        row,
      });
    });
  } catch (error) {
    // It may quote a row or the request, which can be a visitor's.
    throw error instanceof ExplainError ? new ToolFailed(error.message) : error;
  }
}

function recorded(record: ReadRecord | undefined, id: string): ReadRecord {
  if (record) return record;
  throw new ToolRefused(`No request, or more than one, has an id that begins with ${id}.`);
}

function line({ at, method, path, query, status, code, rows, role, id }: RequestSummary): string {
  const address = query === "" ? path : `${path}?${query}`;
  const parts = [
    at,
    method,
    address,
    status,
    code,
    rows === undefined ? undefined : `${rows} rows`,
    role,
    id,
  ];
  return parts.filter((part) => part !== undefined).join(" ");
}
