/** Owns the calls of the SQL view: their questions as the page sends them. */
import { z } from "zod";
import type { DeveloperStart } from "../../../../src/developer/stack-wing.ts";
import { jsonResponse, type ServiceResponse } from "../../../../src/http/exchange.ts";
import { checked, lens } from "../data/calls.ts";
import { runSql } from "./run.ts";
import { Snippets, snippetActAsk, snippetAsk } from "./snippets.ts";

const sqlAsk = z.strictObject({ as: lens, text: z.string(), explain: z.boolean() });

type Call = (ask: unknown, signal: AbortSignal) => Promise<ServiceResponse>;

export function sqlCalls(start: DeveloperStart): Readonly<Record<string, Call>> {
  const snippets = new Snippets(start.backend.config.projectFolder);
  return {
    sql: async (ask, signal) => jsonResponse(200, await runSql(start, checked(sqlAsk, ask), signal)),
    snippets: async () => jsonResponse(200, snippets.list()),
    snippet: async (ask) => jsonResponse(200, snippets.read(checked(snippetAsk, ask).name)),
    snippetAct: async (ask) => jsonResponse(200, snippets.act(checked(snippetActAsk, ask))),
  };
}
