/** Owns the calls of the Data view: their questions as the page sends them. */
import { z } from "zod";
import { type Call, checked } from "../call.ts";
import { inDatabase } from "../session.ts";
import { exportRows } from "./export.ts";
import { rowOf, rowsOf } from "./rows.ts";
import { readTables } from "./tables.ts";
import { actOnUser, userActAsk, usersOf } from "./users.ts";
import { changesAsk, write } from "./write.ts";

const MOST_FILTER = 500;
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

export const DATA_CALLS = {
  tables: ({ start }) => {
    const { schemas } = start.backend.config.api;
    return inDatabase(start, (client) => readTables(client, schemas));
  },
  rows: ({ start }, ask) => rowsOf(start, checked(rowsAsk, ask)),
  export: ({ start }, ask, signal) => exportRows(start, checked(exportAsk, ask), signal),
  row: ({ start }, ask) => rowOf(start, checked(rowAsk, ask)),
  whyRow: ({ reasons }, ask) => reasons.ofRow(checked(whyAsk, ask)),
  write: ({ start }, ask) => write(start, checked(writeAsk, ask)),
  users: ({ start }, ask) => usersOf(start, checked(usersAsk, ask).text),
  userAct: ({ start }, ask) => actOnUser(start, checked(userActAsk, ask)),
} satisfies Readonly<Record<string, Call>>;
