/** Owns the calls of the SQL view: their questions as the page sends them. */
import { z } from "zod";
import { type Call, checked } from "../call.ts";
import { lens } from "../data/calls.ts";
import { runSql } from "./run.ts";
import { snippetActAsk, snippetAsk } from "./snippets.ts";

const sqlAsk = z.strictObject({ as: lens, text: z.string(), explain: z.boolean() });

export const SQL_CALLS = {
  sql: ({ start }, ask, signal) => runSql(start, checked(sqlAsk, ask), signal),
  snippets: ({ snippets }) => snippets.list(),
  snippet: ({ snippets }, ask) => snippets.read(checked(snippetAsk, ask).name),
  snippetAct: ({ snippets }, ask) => snippets.act(checked(snippetActAsk, ask)),
} satisfies Readonly<Record<string, Call>>;
