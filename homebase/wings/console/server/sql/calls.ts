/** Owns the calls of the SQL view. */
import { type Call, checked } from "../call.ts";
import { snippetActAsk, snippetAsk, sqlAsk } from "../questions.ts";
import { runSql } from "./run.ts";

export const SQL_CALLS = {
  sql: ({ start }, ask, signal) => runSql(start, checked(sqlAsk, ask), signal),
  snippets: ({ snippets }) => snippets.list(),
  snippet: ({ snippets }, ask) => snippets.read(checked(snippetAsk, ask).name),
  snippetAct: ({ snippets }, ask) => snippets.act(checked(snippetActAsk, ask)),
} satisfies Readonly<Record<string, Call>>;
