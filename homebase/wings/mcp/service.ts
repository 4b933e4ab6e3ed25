/**
 * Owns the MCP endpoint of a running stack: HTTP, and calling tools. It stands where the Supabase CLI's stack has its
 * own, `/mcp` of the gateway, and `[studio] enabled` turns it off as there.
 */

import { isDatabaseError, MetaError } from "../../src/catalog/errors.ts";
import type { DeveloperStart } from "../../src/developer/stack-wing.ts";
import {
  BodyTooLarge,
  jsonResponse,
  readBody,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from "../../src/http/exchange.ts";
import { accessRefusal } from "./access.ts";
import { markedAsData } from "./marked.ts";
import { answerMessage, refusalBody, type ToolHost, type ToolResult } from "./protocol.ts";
import { ReadOnly } from "./read-only.ts";
import { type ToolContext, ToolFailed, ToolRefused } from "./tool.ts";
import { describe, FEATURES, tools } from "./tools.ts";

const BODY_LIMIT = 1024 * 1024;
const INSTRUCTIONS =
  "A local Supabase stack (Homebase) for development. Nothing here changes the project: SQL is read-only, and migrations, " +
  "seeds and functions are files below supabase/, which you edit; a saved migration is applied at once. When a row is " +
  "missing, a write is refused or an event does not come, ask `explain`.";

/** The endpoint's service. */
export function createMcpService(options: DeveloperStart): Service {
  const readOnly = new ReadOnly(options.backend.database);
  return {
    handle: (request) => handle(request, options, readOnly),
    close: () => readOnly.close(),
  };
}

async function handle(
  request: ServiceRequest,
  { backend, inbox, logPath, token, version }: DeveloperStart,
  readOnly: ReadOnly,
): Promise<ServiceResponse> {
  const refuse = (status: number, message: string, headers = {}) => {
    request.body.resume();
    return jsonResponse(status, refusalBody(message), headers);
  };
  const refusal = accessRefusal(request.headers, backend.port, token);
  if (refusal) {
    const challenge = refusal.status === 401 ? { "www-authenticate": "Bearer" } : {};
    return refuse(refusal.status, refusal.message, challenge);
  }
  // No stream is offered, and no session is there to end.
  if (request.method !== "POST") return refuse(405, "The MCP endpoint takes POST.", { allow: "POST" });
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers["content-type"] ?? "")) {
    return refuse(415, "Send the message as application/json.");
  }
  const features = featuresOf(request.query);
  const unknown = features.find((one) => !FEATURES.includes(one));
  if (unknown !== undefined) {
    return refuse(400, `There is no feature ${unknown}. There are ${FEATURES.join(", ")}.`);
  }
  let text: string;
  try {
    text = (await readBody(request, BODY_LIMIT)).toString("utf8");
  } catch (error) {
    if (error instanceof BodyTooLarge) return refuse(413, error.message);
    throw error;
  }
  const offered = tools.filter(({ feature }) => features.length === 0 || features.includes(feature));
  const context: ToolContext = {
    config: backend.config,
    backend,
    inbox,
    logPath,
    readOnly,
    signal: request.signal,
  };
  const host: ToolHost = {
    about: { name: "homebase", version },
    instructions: INSTRUCTIONS,
    list: () => offered.map(describe),
    call: async (name, input) => {
      const tool = offered.find((one) => one.name === name);
      return tool && callTool(tool, input, context);
    },
  };
  const { status, body } = await answerMessage(text, request.headers, host);
  return body === undefined ? { status, headers: {}, body: null } : jsonResponse(status, body);
}

/** Supabase's parameter `features`: which groups of tools a client wants; all of them by default. */
function featuresOf(query: string): string[] {
  return (new URLSearchParams(query).get("features") ?? "").split(",").filter((one) => one !== "");
}

/** An error goes to the model, which can ask in another way. Postgres's errors quote values of rows. */
async function callTool(
  tool: (typeof tools)[number],
  input: unknown,
  context: ToolContext,
): Promise<ToolResult> {
  const parsed = tool.input.safeParse(input);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return { text: `${tool.name} does not take this. ${problems.join("; ")}`, isError: true };
  }
  try {
    const result = await tool.run(parsed.data, context);
    const text = typeof result === "string" ? result : JSON.stringify(result, undefined, 1);
    return { text: tool.data ? markedAsData(text) : text };
  } catch (error) {
    if (error instanceof ToolRefused) return { text: error.message, isError: true };
    // Statements of an assistant fail often, and quote rows; others are faults of the stack.
    const expected = error instanceof ToolFailed || error instanceof MetaError || isDatabaseError(error);
    if (!expected) {
      context.backend.log.named("mcp").error(`The tool ${tool.name} failed.`, { error: String(error) });
    }
    return { text: markedAsData(error instanceof Error ? error.message : String(error)), isError: true };
  }
}
