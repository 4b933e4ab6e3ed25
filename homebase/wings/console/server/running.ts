/** Owns calls of functions that have not been answered yet, as rows of the feed and whole. */
import type { FunctionCall, FunctionsService } from "../../../src/functions/service.ts";
import { type ReadRecord, unfinished } from "../../../src/http/records.ts";
import type { Entry, Gate, Row } from "./api.ts";
import { stripOf } from "./gates.ts";
import type { Source } from "./owner-connections.ts";
import { rowOf } from "./request-lines.ts";
import { type Told, toldOf } from "./told.ts";

export function callsOf({ backend }: Source): readonly FunctionCall[] {
  const service = backend.service("functions") as Partial<FunctionsService> | undefined;
  return service?.calls?.() ?? [];
}

/** The gates that it has passed: what the others will do is not known. */
function passed({ started }: FunctionCall): Gate[] {
  return ["Token", ...(started ? ["Start"] : [])].map((name) => ({
    name,
    mark: "open",
    text: "let it through",
  }));
}

export function runningRow(call: FunctionCall): Row {
  return {
    ...rowOf(unfinished(call.record)),
    running: true,
    status: undefined,
    outcome: call.started ? "running" : "starting",
    gates: stripOf(passed(call)),
  };
}

export function runningTold({ record }: FunctionCall): Told {
  return { ...toldOf(unfinished(record)), status: undefined };
}

export function runningEntry(call: FunctionCall, caused: Row[]): Entry {
  return {
    row: runningRow(call),
    gates: passed(call),
    path: call.record.path,
    caused,
    ...{ answerKept: false, explained: false, sendable: false, testable: false },
  };
}

/** A record whose error names the limit that has ended its function, which the platform's answer says. */
export function limited(record: ReadRecord, answer: string | undefined): ReadRecord {
  if (record.code !== "WORKER_LIMIT") return record;
  const [, limit] = /"details":"([^"]+)"/.exec(answer ?? "") ?? [];
  return limit === undefined
    ? record
    : { ...record, error: { message: `Its limit of ${limit} has ended it.` } };
}
