/** Owns the calls of the Data view: their questions as the page sends them, and Postgres's refusals as answers. */
import { z } from "zod";
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import { jsonResponse, type ServiceResponse } from "../../../../src/http/exchange.ts";
import { CallRefused } from "../call-refused.ts";
import { inDatabase } from "../session.ts";
import type { Reasons } from "../why.ts";
import { rowOf, rowsOf } from "./rows.ts";
import { readTables } from "./tables.ts";
import { actOnUser, usersOf } from "./users.ts";
import { write } from "./write.ts";

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
const rowAsk = z.strictObject({ table, key });
const whyAsk = z.strictObject({ as: lens, table, key });
const writeAsk = z.strictObject({ as: lens, changes: z.unknown(), save: z.boolean() });
const usersAsk = z.strictObject({ text: z.string().max(MOST_FILTER) });

export type Call = (ask: Readonly<Record<string, unknown>>) => Promise<ServiceResponse>;

export function dataCalls(start: DeveloperStart, reasons: Reasons): Readonly<Record<string, Call>> {
  const { schemas } = start.backend.config.api;
  const calls: Readonly<Record<string, (ask: unknown) => Promise<unknown>>> = {
    tables: () => inDatabase(start, (client) => readTables(client, schemas)),
    rows: (ask) => rowsOf(start, checked(rowsAsk, ask)),
    row: (ask) => rowOf(start, checked(rowAsk, ask)),
    whyRow: (ask) => {
      const { as, table: name, key: values } = checked(whyAsk, ask);
      return reasons.ofRow(as, name, values);
    },
    write: (ask) => {
      const { as, changes, save } = checked(writeAsk, ask);
      return write(start, { as, changes, save });
    },
    users: (ask) => usersOf(start, checked(usersAsk, ask).text),
    userAct: (ask) => actOnUser(start, ask),
  };
  return answered(calls);
}

/** Each call's answer as a response. */
export function answered(
  calls: Readonly<Record<string, (ask: Parameters<Call>[0]) => Promise<unknown>>>,
): Readonly<Record<string, Call>> {
  return Object.fromEntries(
    Object.entries(calls).map(([name, call]): [string, Call] => [
      name,
      async (ask) => jsonResponse(200, await told(() => call(ask))),
    ]),
  );
}

/** @throws CallRefused */
export function checked<Schema extends z.ZodType>(schema: Schema, ask: unknown): z.output<Schema> {
  const parsed = schema.safeParse(ask);
  if (parsed.success) return parsed.data;
  throw new CallRefused(400, parsed.error.issues[0]?.message ?? "The question is not complete.");
}

/** An error of Postgres is an answer for the reader, and no failure of the console. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code, message, detail, hint } = error as Record<string, unknown>;
    if (typeof code !== "string" || !/^[\dA-Z]{5}$/.test(code)) throw error;
    const more = [detail, hint].filter((one) => typeof one === "string" && one !== "");
    throw new CallRefused(422, [`${message} (${code})`, ...more].join(". "));
  }
}
