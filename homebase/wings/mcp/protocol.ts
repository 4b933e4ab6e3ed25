/**
 * Owns the messages of the Model Context Protocol: JSON-RPC over Streamable HTTP, without sessions and streams. Each
 * request is answered without regard to earlier ones. Since version 2026-07-28 every message names its version; clients of
 * earlier versions begin with `initialize`.
 */
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";

/** The newest first. */
const MODERN = ["2026-07-28"];
const EARLIER = ["2025-11-25", "2025-06-18"];
const VERSION_FIELD = "io.modelcontextprotocol/protocolVersion";
/** The tools change with the version of the package only. */
const CACHED = { ttlMs: 300_000, cacheScope: "private" };

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_VERSION = -32_022;

export interface ToolResult {
  text: string;
  isError?: boolean;
}

/** The tools that messages list and call. */
export interface ToolHost {
  about: { name: string; version: string };
  instructions: string;
  list(): Record<string, unknown>[];
  /** Undefined for a name that no tool has. */
  call(name: string, input: unknown): Promise<ToolResult | undefined>;
}

/** An HTTP response; without a body for a notification. */
export interface Answer {
  status: number;
  body?: unknown;
}

const MESSAGE = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string(),
  params: z
    .looseObject({ _meta: z.looseObject({ [VERSION_FIELD]: z.string().optional() }).optional() })
    .optional(),
});
const CALL = z.looseObject({ name: z.string(), arguments: z.looseObject({}).default({}) });

type Message = z.infer<typeof MESSAGE>;
type Params = Message["params"];

/** An error of the protocol: `code` by JSON-RPC, `status` by HTTP. */
class ProtocolError extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;
  constructor(status: number, code: number, message: string, data?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.data = data;
  }
}

/** The error of a request that is refused before its message is read. */
export function refusalBody(message: string): unknown {
  return { jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } };
}

/** Answers one message. @param text the request's body. */
export async function answerMessage(
  text: string,
  headers: IncomingHttpHeaders,
  host: ToolHost,
): Promise<Answer> {
  let id: string | number | null = null;
  try {
    const message = messageOf(text);
    // Notifications say that a client is ready or has lost its interest, and neither is remembered.
    if (message.id === undefined) return { status: 202 };
    id = message.id;
    const modern = isModern(message, headers);
    const result = await resultOf(message, modern, host);
    const about = { _meta: { "io.modelcontextprotocol/serverInfo": host.about } };
    return {
      status: 200,
      body: { jsonrpc: "2.0", id, result: modern ? { resultType: "complete", ...about, ...result } : result },
    };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { status, code, message, data } = error;
    return {
      status,
      body: { jsonrpc: "2.0", id, error: { code, message, data } },
    };
  }
}

function messageOf(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ProtocolError(400, PARSE_ERROR, "The body is not JSON.");
  }
  const parsed = MESSAGE.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ProtocolError(
    400,
    INVALID_REQUEST,
    "The body is not one request or notification of JSON-RPC 2.0.",
  );
}

/** Whether a message follows the rules since 2026-07-28. @throws ProtocolError where headers and body differ. */
function isModern({ method, params }: Message, headers: IncomingHttpHeaders): boolean {
  const inHeader = headers["mcp-protocol-version"];
  const inBody = params?._meta?.[VERSION_FIELD];
  const version = inBody ?? inHeader;
  const known = [...MODERN, ...EARLIER];
  if (version !== undefined && !known.includes(String(version))) {
    throw new ProtocolError(400, UNSUPPORTED_VERSION, "Unsupported protocol version", {
      supported: known,
      requested: version,
    });
  }
  if (inBody === undefined && !MODERN.includes(String(inHeader))) return false;
  requireEqual("MCP-Protocol-Version", inHeader, inBody);
  requireEqual("Mcp-Method", headers["mcp-method"], method);
  if (method === "tools/call") requireEqual("Mcp-Name", headerText(headers["mcp-name"]), params?.name);
  return true;
}

function requireEqual(name: string, header: string | string[] | undefined, body: unknown): void {
  if (header !== undefined && header === body) return;
  throw new ProtocolError(
    400,
    HEADER_MISMATCH,
    `Header mismatch: ${name} is ${header ?? "missing"}, and the body says ${body ?? "nothing"}.`,
  );
}

/** A header's value, which is in Base64 where plain ASCII cannot carry it. */
function headerText(value: string | string[] | undefined): string | string[] | undefined {
  const encoded = typeof value === "string" ? /^=\?base64\?(.*)\?=$/.exec(value)?.[1] : undefined;
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString("utf8");
}

async function resultOf({ method, params }: Message, modern: boolean, host: ToolHost): Promise<object> {
  const capabilities = { tools: {} };
  const { instructions } = host;
  if (method === "tools/list") return { tools: host.list(), ...(modern ? CACHED : {}) };
  if (method === "tools/call") return called(params, host);
  if (modern) {
    if (method === "server/discover") {
      return { supportedVersions: MODERN, capabilities, instructions, ...CACHED };
    }
  } else if (method === "initialize") {
    const asked = String(params?.protocolVersion);
    const protocolVersion = EARLIER.includes(asked) ? asked : EARLIER[0];
    return { protocolVersion, capabilities, serverInfo: host.about, instructions };
  } else if (method === "ping") return {};
  throw new ProtocolError(modern ? 404 : 200, METHOD_NOT_FOUND, `Method not found: ${method}`);
}

async function called(params: Params, host: ToolHost): Promise<object> {
  const parsed = CALL.safeParse(params);
  if (!parsed.success) throw new ProtocolError(200, INVALID_PARAMS, "tools/call takes a name and arguments.");
  const { name, arguments: input } = parsed.data;
  const result = await host.call(name, input);
  if (!result) throw new ProtocolError(200, INVALID_PARAMS, `Unknown tool: ${name}`);
  const { text, isError } = result;
  return { content: [{ type: "text", text }], ...(isError ? { isError } : {}) };
}
