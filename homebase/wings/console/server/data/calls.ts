/** Owns the calls of the Data view. */
import type { ServiceRequest } from "../../../../src/http/exchange.ts";
import { type Call, type CallContext, checked } from "../call.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase } from "../owner-connections.ts";
import * as asks from "../questions.ts";
import { exportRows } from "./export.ts";
import { rowOf, rowsOf } from "./rows.ts";
import { actOnFile, bucketsOf, bytesOf, filesOf, makeBucket, upload, whyFile } from "./stored-files.ts";
import { readTables } from "./tables.ts";
import { actOnUser, usersOf } from "./users.ts";
import { write } from "./write.ts";

export const DATA_CALLS = {
  tables: ({ start }) => {
    const { schemas } = start.backend.config.api;
    return inDatabase(start, (client) => readTables(client, schemas));
  },
  rows: ({ start }, ask) => rowsOf(start, checked(asks.rowsAsk, ask)),
  export: ({ start }, ask, signal) => exportRows(start, checked(asks.exportAsk, ask), signal),
  row: ({ start }, ask) => rowOf(start, checked(asks.rowAsk, ask)),
  whyRow: ({ reasons }, ask, signal) => reasons.ofRow(checked(asks.whyAsk, ask), signal),
  write: ({ start, reasons }, ask) => write(start, checked(asks.writeAsk, ask), reasons),
  users: ({ start }, ask) => usersOf(start, checked(asks.usersAsk, ask).text),
  userAct: ({ start }, ask) => actOnUser(start, checked(asks.userActAsk, ask)),
  buckets: ({ start }, ask) => bucketsOf(start, checked(asks.bucketsAsk, ask).as),
  makeBucket: ({ start }, ask) => makeBucket(start, checked(asks.bucketAsk, ask)),
  files: ({ start }, ask) => filesOf(start, checked(asks.filesAsk, ask)),
  file: ({ start }, ask) => bytesOf(start, checked(asks.bytesAsk, ask)),
  fileAct: ({ start, reasons }, ask) => actOnFile(start, reasons, checked(asks.fileActAsk, ask)),
  whyFile: ({ reasons }, ask, signal) => whyFile(reasons, checked(asks.fileAsk, ask), signal),
} satisfies Readonly<Record<string, Call>>;

/** The one call whose body is a file: the question is in a header, as percent-encoded JSON. @throws CallRefused */
export function uploadFile({ start, reasons }: CallContext, request: ServiceRequest) {
  let ask: unknown;
  try {
    ask = JSON.parse(decodeURIComponent(String(request.headers["x-ask"])));
  } catch {
    throw new CallRefused(400, "The question is not JSON.");
  }
  return upload(start, reasons, checked(asks.uploadAsk, ask), request);
}
