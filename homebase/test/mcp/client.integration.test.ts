/** The official client, unmodified, by the newest version of the protocol and by the one before it. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { dataOf, McpStack } from "./stack.ts";

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const stack = new McpStack();
beforeAll(() => stack.start());
afterAll(() => stack.project.remove());

function transport(token = stack.token): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(stack.url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
}

test.each([
  ["2026-07-28", "auto"],
  ["2025-11-25", "legacy"],
] as const)("it connects, lists and calls tools by version %s", async (version, mode) => {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(transport());
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
