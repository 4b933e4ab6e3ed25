/** Owns `homebase requests`: the running stack's record of its last requests, as a list or one of them whole. */
import { setTimeout } from "node:timers/promises";
import type { ReadRecord, RecordFilter, RecordList, RequestSummary } from "../../http/records.ts";
import { control } from "../control.ts";
import { type Command, configFor, parseOptions, sharedHelp } from "../options.ts";
import { controlSocketPath } from "../state.ts";
import { CommandError, paint, table } from "../terminal.ts";

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
${sharedHelp}

Examples:
  homebase requests --failed
  homebase requests --service rest --follow
  homebase requests --id 1f3a9c20`,
  run: async (args) => {
    const { values } = parseOptions(args, {
      id: { type: "string" },
      values: { type: "boolean" },
      follow: { type: "boolean", short: "f" },
      lines: { type: "string", short: "n" },
      service: { type: "string" },
      failed: { type: "boolean" },
    });
    const socket = controlSocketPath(configFor(values));
    const print = <T>(record: T, text: (record: T) => string) => {
      process.stdout.write(values.json ? `${JSON.stringify(record)}\n` : `${text(record)}\n`);
    };
    if (values.values && (values.id === undefined || !process.stdout.isTTY)) {
      throw new CommandError("--values goes with --id, and in a terminal only: values may be secret.", 2);
    }
    if (values.id !== undefined) {
      return print(
        await requestById(socket, values.id, values.values ? "requestWithValues" : "request"),
        whole,
      );
    }
    const limit = Number(values.lines ?? 50);
    if (!Number.isInteger(limit) || limit < 0) throw new CommandError("--lines takes a whole number.", 2);
    const filter: RecordFilter = {
      ...(values.service ? { service: values.service } : {}),
      ...(values.failed ? { failed: true } : {}),
    };
    let { records, cursor } = await list(socket, { ...filter, limit });
    for (const record of records) print(record, line);
    while (values.follow) {
      await setTimeout(POLL_MS);
      let lost: number;
      ({ records, cursor, lost } = await list(socket, { ...filter, after: cursor }));
      if (lost > 0) process.stderr.write(`${lost} requests are missing here: more came than are kept.\n`);
      for (const record of records) print(record, line);
    }
  },
};

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
function whole(record: ReadRecord): string {
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
  const known = rows.filter((row): row is [string, string] => row[1] !== undefined);
  const reduced = record.role !== undefined && !record.replayable;
  return table(known) + (reduced ? "\nIts values were not kept: they are larger than 16 KB." : "");
}
