/** Owns the calls of the Data view: their questions as the page sends them. */
import { z } from "zod";
import type { ServiceRequest } from "../../../../src/http/exchange.ts";
import { type Call, type CallContext, checked } from "../call.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase } from "../owner-connections.ts";
import { exportRows } from "./export.ts";
import { rowOf, rowsOf } from "./rows.ts";
import { actOnFile, bucketsOf, bytesOf, filesOf, makeBucket, upload, whyFile } from "./stored-files.ts";
import { readTables } from "./tables.ts";
import { actOnUser, userActAsk, usersOf } from "./users.ts";
import { changesAsk, write } from "./write.ts";

const MOST_FILTER = 500;
/** Of a bucket's or a file's name; Storage allows 1,024 bytes. */
const MOST_NAME = 2_000;
/** Of a signed link; Storage itself has no bound. */
const YEAR_SECONDS = 366 * 86_400;
export const lens = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("postgres") }),
  z.strictObject({ kind: z.literal("role"), role: z.string() }),
  z.strictObject({ kind: z.literal("user"), id: z.string(), name: z.string() }),
]);
const table = z.strictObject({ schema: z.string(), name: z.string() });
const key = z.array(z.string()).min(1);
const rowsAsk = z.strictObject({
  as: lens,
  table,
  where: z.string().max(MOST_FILTER),
  order: z.strictObject({ column: z.string(), descending: z.boolean() }).optional(),
  after: z.array(z.string().nullable()).optional(),
});
const exportAsk = rowsAsk.omit({ after: true });
const rowAsk = z.strictObject({ table, key });
const whyAsk = z.strictObject({ as: lens, table, key });
const writeAsk = z.strictObject({ as: lens, changes: changesAsk, save: z.boolean() });
const usersAsk = z.strictObject({ text: z.string().max(MOST_FILTER) });
const name = z.string().max(MOST_NAME);
const bucketsAsk = z.strictObject({ as: lens });
const bucketAsk = z.strictObject({ name, public: z.boolean(), limit: name, types: z.array(name) });
const filesAsk = z.strictObject({
  as: lens,
  bucket: name.min(1),
  prefix: name,
  after: z
    .string()
    .max(2 * MOST_NAME)
    .optional(),
});
const fileAsk = z.strictObject({ as: lens, bucket: name.min(1), path: name.min(1) });
const bytesAsk = fileAsk.extend({ most: z.int().positive().optional() });
const uploadAsk = fileAsk.extend({ type: name, replace: z.boolean() });
const fileActAsk = z.discriminatedUnion("do", [
  fileAsk.extend({ do: z.literal("sign"), seconds: z.int().positive().max(YEAR_SECONDS) }),
  fileAsk.extend({ do: z.literal("delete") }),
]);

export const DATA_CALLS = {
  tables: ({ start }) => {
    const { schemas } = start.backend.config.api;
    return inDatabase(start, (client) => readTables(client, schemas));
  },
  rows: ({ start }, ask) => rowsOf(start, checked(rowsAsk, ask)),
  export: ({ start }, ask, signal) => exportRows(start, checked(exportAsk, ask), signal),
  row: ({ start }, ask) => rowOf(start, checked(rowAsk, ask)),
  whyRow: ({ reasons }, ask, signal) => reasons.ofRow(checked(whyAsk, ask), signal),
  write: ({ start, reasons }, ask) => write(start, checked(writeAsk, ask), reasons),
  users: ({ start }, ask) => usersOf(start, checked(usersAsk, ask).text),
  userAct: ({ start }, ask) => actOnUser(start, checked(userActAsk, ask)),
  buckets: ({ start }, ask) => bucketsOf(start, checked(bucketsAsk, ask).as),
  makeBucket: ({ start }, ask) => makeBucket(start, checked(bucketAsk, ask)),
  files: ({ start }, ask) => filesOf(start, checked(filesAsk, ask)),
  file: ({ start }, ask) => bytesOf(start, checked(bytesAsk, ask)),
  fileAct: ({ start, reasons }, ask) => actOnFile(start, reasons, checked(fileActAsk, ask)),
  whyFile: ({ reasons }, ask, signal) => whyFile(reasons, checked(fileAsk, ask), signal),
} satisfies Readonly<Record<string, Call>>;

/** The one call whose body is a file: the question is in a header, as percent-encoded JSON. @throws CallRefused */
export function uploadFile({ start, reasons }: CallContext, request: ServiceRequest) {
  let ask: unknown;
  try {
    ask = JSON.parse(decodeURIComponent(String(request.headers["x-ask"])));
  } catch {
    throw new CallRefused(400, "The question is not JSON.");
  }
  return upload(start, reasons, checked(uploadAsk, ask), request);
}
