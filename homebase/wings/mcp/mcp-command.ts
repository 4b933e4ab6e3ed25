/** Owns `homebase mcp`: the running stack's MCP endpoint for clients that start a program and speak by its streams. */
import { createInterface } from "node:readline";
import { type Command, configFor, parseOptions, sharedHelp } from "../../src/cli/kit/options.ts";
import { running } from "../../src/cli/kit/running.ts";
import type { Config } from "../../src/config/config.ts";
import { isRecord, recordOf } from "../../src/core/record.ts";

export const mcp: Command = {
  help: `Usage: homebase mcp [options]

Lets assistants ask the running stack: their client starts this command and speaks the Model Context Protocol by its
standard input and output. It passes each message on to /mcp of the stack with the token of the stack's start, so that no
token stands in a client's settings and the stack can be started again meanwhile.

Options:
${sharedHelp}

Examples:
  claude mcp add homebase -- npx homebase mcp
  homebase mcp --workdir ../app`,
  run: async (args) => {
    const { values } = parseOptions(args, {});
    const config = configFor(values);
    const open = new Set<Promise<void>>();
    for await (const line of createInterface({ input: process.stdin })) {
      if (line.trim() === "") continue;
      const passing = passOn(config, line).then((answer) => {
        if (answer !== "") process.stdout.write(`${answer}\n`);
        open.delete(passing);
      });
      open.add(passing);
    }
    await Promise.all(open);
  },
};

/** The stack's answer to a message; empty for a notification. An error is an answer, too. */
async function passOn(config: Config, line: string): Promise<string> {
  const message = messageOf(line);
  try {
    const { url, token } = await running<{ url?: string; token: string }>(config, "mcp");
    if (url === undefined)
      throw new Error(`[studio] enabled = false in supabase/${config.file} turns this off.`);
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...headersOf(message),
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      body: line,
    });
    return await response.text();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if (message.id === undefined) return "";
    return JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: text } });
  }
}

function messageOf(line: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(line);
    return recordOf(message);
  } catch {
    // The stack says what is wrong with it.
    return { id: null };
  }
}

/** The headers that repeat parts of a message since version 2026-07-28 of the protocol. */
function headersOf({ method, params }: Record<string, unknown>): Record<string, string> {
  const { _meta: meta, name } = recordOf(params);
  const version = isRecord(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  if (typeof version !== "string") return {};
  return {
    "mcp-protocol-version": version,
    "mcp-method": String(method),
    ...(typeof name === "string" ? { "mcp-name": `=?base64?${Buffer.from(name).toString("base64")}?=` } : {}),
  };
}
