/**
 * Owns the table of tools: those of the Supabase CLI's local MCP server under their names and with their inputs
 * (supabase-community/supabase-mcp 0.13), and those that only Homebase has. Each calls the function that the command of the
 * same purpose calls.
 */
import { z } from "zod";
import { databaseTools } from "./database-tools.ts";
import { developmentTools } from "./development-tools.ts";
import { requestTools } from "./request-tools.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [...databaseTools, ...requestTools, ...developmentTools];

/** As Supabase's parameter has them; `docs` has no tool here. */
export const FEATURES: readonly string[] = ["database", "debugging", "development", "docs"];

/** A tool as `tools/list` shows it. */
export function describe({ name, title, description, input }: Tool): Record<string, unknown> {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
  return {
    name,
    title,
    description,
    inputSchema,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}
