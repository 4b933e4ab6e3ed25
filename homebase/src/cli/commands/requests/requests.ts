/** Owns `homebase requests`: the running stack's record of its last requests, as a list or one of them whole. */
import { setTimeout } from "node:timers/promises";
import { happeningText } from "../../../core/happening-text.ts";
import {
  HAPPENING_KINDS,
  type HappeningFilter,
  type HappeningKind,
  type HappeningList,
  type ReadHappening,
} from "../../../core/happenings.ts";
import type { ReadRecord, RecordFilter, RecordList, RequestSummary } from "../../../http/records.ts";
import { control } from "../../kit/control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../../kit/options.ts";
import { controlSocketPath } from "../../kit/state.ts";
import { CommandError, paint, table } from "../../kit/terminal.ts";

const POLL_MS = 200;
/** As many as a person tells apart by their beginnings. */
const SHORT_ID = 8;
const NOT_RUNNING =
  "The stack of this project does not run, and its requests are in its memory only. Start it with: homebase start";

export const requests: Command = {
  help: `Usage: homebase requests [options]

Shows the last requests of the running stack, those that no service took included: time, method, address, status, rows,
milliseconds, role and id. They are kept in memory: at most 5,000, and 16 MB. Bodies sent to auth, cookies, tokens and
keys are not kept, nor are values above 16 KB. Values are shown where they are of columns of an exposed table; arguments
of functions, claims, headers and all others by type and length.

Options:
  --id ID            one request whole: its claims, statement and values; the beginning of an id is enough
  --values           with --id, all values as they are; in a terminal only
  -f, --follow       keep printing new ones
  -n, --lines N      only the last N (default 50)
  --service NAME     only those of rest, auth, storage, realtime, functions or mcp
  --failed           only those with a status of 400 and more
  --also LIST        also what happened besides, by kinds with commas, or all: mail, job, net (calls of pg_net), join
                     (Realtime's channels), change, broadcast, presence, file (migrations and seeds), log. The last
                     2,000 are kept; a change or a broadcast is one line with how many got it, and how many did not
                     and why
${sharedHelp}

Examples:
  homebase requests --failed
  homebase requests --service rest --follow
  homebase requests --follow --also mail,change,broadcast
  homebase requests --id 1f3a9c20`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      id: { type: "string" },
      values: { type: "boolean" },
      follow: { type: "boolean", short: "f" },
      lines: { type: "string", short: "n" },
      service: { type: "string" },
      failed: { type: "boolean" },
      also: { type: "string" },
    });
    const socket = controlSocketPath(configFor(values));
    const print = <T>(record: T, text: (record: T) => string) => {
      process.stdout.write(values.json ? `${JSON.stringify(record)}\n` : `${text(record)}\n`);
    };
    if (values.values && (values.id === undefined || !process.stdout.isTTY)) {
      throw new CommandError("--values goes with --id, and in a terminal only: values may be secret.", 2);
    }
    if (values.id !== undefined) {
      const record = await requestById(socket, values.id, values.values ? "requestWithValues" : "request");
      const { happenings } = await listHappenings(socket, { request: record.id });
      return print({ ...record, caused: happenings }, whole);
    }
    const limit = Number(values.lines ?? 50);
    if (!Number.isInteger(limit) || limit < 0) throw new CommandError("--lines takes a whole number.", 2);
    const filter: RecordFilter = {
      ...(values.service ? { service: values.service } : {}),
      ...(values.failed ? { failed: true } : {}),
    };
    const kinds = kindsOf(values.also);
    const found = await list(socket, { ...filter, limit });
    const besides = kinds && (await listHappenings(socket, { kinds, limit }));
    printAll(found.records, besides?.happenings ?? [], limit);
    let [after, afterBesides] = [found.cursor, besides?.cursor];
    while (values.follow) {
      await setTimeout(POLL_MS);
      const next = await list(socket, { ...filter, after });
      const more = kinds && (await listHappenings(socket, { kinds, after: afterBesides }));
      const lost = next.lost + (more?.lost ?? 0);
      if (lost > 0) process.stderr.write(`${lost} lines are missing here: more came than are kept.\n`);
      printAll(next.records, more?.happenings ?? []);
      [after, afterBesides] = [next.cursor, more?.cursor];
    }

    function printAll(records: RequestSummary[], happenings: ReadHappening[], last?: number): void {
      const all = [...records, ...happenings].sort((one, other) => one.at.localeCompare(other.at));
      for (const one of last === undefined ? all : all.slice(Math.max(0, all.length - last)))
        print(one, (entry) => ("kind" in entry ? besideLine(entry) : line(entry)));
    }
  },
};

/** @throws CommandError */
function kindsOf(given: string | undefined): readonly HappeningKind[] | undefined {
  if (given === undefined) return undefined;
  const names = given.split(",").map((name) => name.trim());
  if (names.includes("all")) return HAPPENING_KINDS;
  const kinds = HAPPENING_KINDS.filter((kind) => names.includes(kind));
  const unknown = names.find((name) => !(HAPPENING_KINDS as readonly string[]).includes(name));
  if (unknown === undefined) return kinds;
  throw new CommandError(`--also takes all, or some of ${HAPPENING_KINDS.join(", ")}; not ${unknown}.`, 2);
}

async function listHappenings(socket: string, filter: HappeningFilter): Promise<HappeningList> {
  const answer = await control<HappeningList>(socket, "happenings", filter);
  if (!answer) throw new CommandError(NOT_RUNNING);
  return answer;
}

function besideLine(happening: ReadHappening): string {
  const failed = "failure" in happening && happening.failure !== undefined;
  const text = happeningText(happening);
  return `${paint("dim", happening.at.slice(11, 23))} ${happening.kind.padEnd(9)} ${failed ? paint("yellow", text) : text}`;
}

/**
 * @param id may be a beginning that no other one has. @param command of the control socket. @throws CommandError
 */
export async function requestById(
  socket: string,
  id: string,
  command: "request" | "requestWithValues",
): Promise<ReadRecord> {
  const record = await control<ReadRecord | null>(socket, command, id);
  if (record === undefined) throw new CommandError(NOT_RUNNING);
  if (record) return record;
  throw new CommandError(
    `No request, or more than one, has an id that begins with ${id}. The last ones: homebase requests.`,
  );
}

/** The newest request that matches, with its values. @throws CommandError */
export async function lastRequest(socket: string, filter: RecordFilter): Promise<ReadRecord> {
  const [record] = (await list(socket, { ...filter, limit: 1 })).records;
  if (record) return requestById(socket, record.id, "requestWithValues");
  throw new CommandError("The stack has had no such request since it started.");
}

async function list(socket: string, filter: RecordFilter): Promise<RecordList> {
  const answer = await control<RecordList>(socket, "requests", filter);
  if (!answer) throw new CommandError(NOT_RUNNING);
  return answer;
}

function line(record: RequestSummary): string {
  const { at, method, status, rows, milliseconds, role, code, id } = record;
  const colour = status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  return [
    paint("dim", at.slice(11, 23)),
    method.padEnd(6),
    addressOf(record),
    paint(colour, code === undefined ? `${status}` : `${status} ${code}`),
    ...(rows === undefined ? [] : [`${rows} row${rows === 1 ? "" : "s"}`]),
    `${milliseconds} ms`,
    ...(role === undefined ? [] : [role]),
    paint("dim", id.slice(0, SHORT_ID)),
  ].join(" ");
}

function addressOf({ path, query }: RequestSummary): string {
  return query === "" ? path : `${path}?${query}`;
}

/** One request with all that is known of it. */
function whole(record: ReadRecord & { caused: ReadHappening[] }): string {
  const { statement, claims } = record;
  const rows: [string, string | undefined][] = [
    ["Request", `${record.method} ${addressOf(record)}`],
    ["Id", record.id],
    ["Part of", record.parent],
    ["At", `${record.at}, ${record.milliseconds} ms`],
    ["Service", record.service ?? "none: no route has this path"],
    ["Status", record.code === undefined ? `${record.status}` : `${record.status} (${record.code})`],
    ["Error", record.error?.message],
    ["Hint", record.error?.hint],
    ["Rows", record.rows?.toString()],
    ["Bytes", record.bytes?.toString()],
    ["Role", record.role],
    ["Claims", claims && JSON.stringify(claims)],
    ["Search path", statement?.searchPath],
    ...Object.entries(statement?.headers ?? {}).map(([name, value]): [string, string] => [
      `Header ${name}`,
      value,
    ]),
    ["Statement", statement?.text],
    ...(statement?.values ?? []).map((value, at): [string, string] => [`$${at + 1}`, value ?? "null"]),
  ];
  for (const sentence of record.later ?? []) rows.push(["Not on hosted", sentence]);
  for (const one of record.caused) rows.push(["Caused", `${one.kind}: ${happeningText(one)}`]);
  const known = rows.filter((row): row is [string, string] => row[1] !== undefined);
  const reduced = record.role !== undefined && !record.replayable;
  return table(known) + (reduced ? "\nIts values were not kept: they are larger than 16 KB." : "");
}
