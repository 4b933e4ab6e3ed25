/** The official client, unmodified, by the newest version of the protocol and by the one before it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { COMMAND } from "../../../test/command.ts";
import { dataOf, McpStack } from "./stack.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const stack = new McpStack();
beforeAll(() => stack.start());
afterAll(() => stack.project.remove());

function transport(token = stack.token): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(stack.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
}

/** By `homebase mcp`, which needs no token. */
function program(folder = stack.project.folder): StdioClientTransport {
  const options = ["--workdir", folder, "--port-offset", String(stack.project.offset)];
  return new StdioClientTransport({ command: process.execPath, args: [COMMAND, "mcp", ...options] });
}

test.each([
  ["HTTP", "2026-07-28", "auto"],
  ["HTTP", "2025-11-25", "legacy"],
  ["a program", "2026-07-28", "auto"],
  ["a program", "2025-11-25", "legacy"],
] as const)("by %s it connects, lists and calls tools in version %s", async (way, version, mode) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(way === "HTTP" ? transport() : program());
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  expect(client.getServerVersion()).toMatchObject({ name: "homebase" });
  expect(client.getInstructions()).toContain("ask `explain`");
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("explain");
  const { content, isError } = await client.callTool({
    name: "execute_sql",
    arguments: { query: "select label from tags" },
  });
  expect(isError).not.toBe(true);
  const [first] = content;
  expect(JSON.parse(dataOf(first?.type === "text" ? first.text : ""))).toEqual([{ label: "a" }]);
  await expect(client.callTool({ name: "no_tool", arguments: {} })).rejects.toThrow("Unknown tool: no_tool");
  await client.close();
});

test("without the token it does not connect", async () => {
  const client = new Client({ name: "test", version: "1" });
  await expect(client.connect(transport("x"))).rejects.toThrow(/401|Unauthorized|MCP_TOKEN/);
});

test("homebase mcp says that no stack runs, and goes on with a stack that was started again", async () => {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(program());
  const before = stack.token;
  await stack.project.stop();
  await expect(client.listTools()).rejects.toThrow("is not running. Start it with: homebase start");
  await stack.start();
  expect(stack.token).not.toBe(before);
  expect(
    (await stack.post({ jsonrpc: "2.0", id: 1, method: "ping" }, { authorization: `Bearer ${before}` }))
      .status,
  ).toBe(401);
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  await client.close();
});
